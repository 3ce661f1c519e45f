"""The state a client starts from, at the moment it registers."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.events.snapshot import (
        asked_unread,
        channels,
        compose,
        elements,
        facts,
        lists,
        people,
        preparing,
        presence,
        realm,
        recollections,
        surroundings,
        unread,
    )
else:
    __getattr__ = on_demand(__name__)
