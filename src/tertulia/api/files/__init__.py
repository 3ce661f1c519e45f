"""Uploading files."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.api.files import contents, pictures, uploads
else:
    __getattr__ = lazy_submodules(__name__)
