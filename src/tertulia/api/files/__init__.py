"""Uploading files."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.api.files import contents, pictures, uploads
else:
    __getattr__ = on_demand(__name__)
