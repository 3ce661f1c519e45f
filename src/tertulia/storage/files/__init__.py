"""Uploaded files, and who links them."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.storage.files import attachments, places, uploads
else:
    __getattr__ = on_demand(__name__)
