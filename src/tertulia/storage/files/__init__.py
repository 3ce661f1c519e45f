"""Uploaded files, and who links them."""

from tertulia.storage.files import attachments, upload_locations, uploads
