"""Event types of uploaded files."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.files import attachments
else:
    __getattr__ = lazy_submodules(__name__)
