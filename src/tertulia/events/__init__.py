"""What happened, and who waits to hear of it."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.events import (
        audience,
        delivery,
        directory,
        follower,
        fragments,
        happening,
        known_sessions,
        listener,
        loading,
        log,
        mailbox,
        mailroom,
        passed_over,
        presence,
        settled,
        snapshot,
        types,
        whereabouts,
        whispers,
    )
else:
    __getattr__ = on_demand(__name__)
