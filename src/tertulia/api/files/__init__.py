"""Uploading files."""

from tertulia.api.files import contents, pictures, uploads
