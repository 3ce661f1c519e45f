"""Messages that wait for their time, as their owners see them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.events.types.later import reminders, scheduled
else:
    __getattr__ = on_demand(__name__)
