"""Uploaded files and images."""

from tertulia.domain.files import attachments, images, picture, upload_locations
