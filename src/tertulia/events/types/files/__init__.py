"""Uploaded files, as their owners see them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.events.types.files import attachments
else:
    __getattr__ = on_demand(__name__)
