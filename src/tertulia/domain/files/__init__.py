"""Uploaded files and images."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.files import attachments, images, picture, upload_locations
else:
    __getattr__ = lazy_submodules(__name__)
