"""Messages that wait for their time."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.storage.later import reminders, scheduled
else:
    __getattr__ = on_demand(__name__)
