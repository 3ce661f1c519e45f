"""Uploaded files and pictures."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.domain.files import attachments, drawn_pictures, images, places
else:
    __getattr__ = on_demand(__name__)
