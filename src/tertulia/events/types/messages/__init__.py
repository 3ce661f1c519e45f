"""Messages, and what happens to them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.events.types.messages import edits, flags, message, reactions, submessages
else:
    __getattr__ = on_demand(__name__)
