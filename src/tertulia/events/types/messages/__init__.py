"""Event types of messages."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.messages import edits, flags, message, reactions, submessages
else:
    __getattr__ = lazy_submodules(__name__)
