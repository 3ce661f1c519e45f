"""Messages that are sent when their time has come."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.domain.later import reminders, scheduled
else:
    __getattr__ = on_demand(__name__)
