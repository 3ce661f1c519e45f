"""Uploaded files and pictures."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.domain.files import attachments, images, picture, upload_locations
else:
    __getattr__ = on_demand(__name__)
