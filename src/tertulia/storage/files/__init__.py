"""Uploaded files, and who links them."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.storage.files import attachments, upload_locations, uploads
else:
    __getattr__ = lazy_submodules(__name__)
