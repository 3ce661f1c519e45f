"""What is done when its time has come."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.actions.later import reminders, retention, scheduled
else:
    __getattr__ = on_demand(__name__)
