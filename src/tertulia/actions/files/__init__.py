"""Uploads, and access to uploaded files."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.actions.files import attachments, upload
else:
    __getattr__ = lazy_submodules(__name__)
