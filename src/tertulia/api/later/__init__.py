"""Messages to be sent later."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.api.later import reminders, scheduled
else:
    __getattr__ = on_demand(__name__)
