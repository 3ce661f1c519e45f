"""Uploaded files, and who links them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.storage.files import attachments, upload_locations, uploads
else:
    __getattr__ = on_demand(__name__)
