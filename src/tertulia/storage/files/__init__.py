"""Uploaded files, and the messages that link to them."""

from tertulia.storage.files import attachments, upload_locations, uploads
