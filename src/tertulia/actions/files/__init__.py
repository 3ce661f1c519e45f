"""Uploads, and access to uploaded files."""

from tertulia.actions.files import attachments, upload
