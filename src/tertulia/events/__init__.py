"""What happened, and who waits to hear of it."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.events import (
        accounts,
        activity,
        audience,
        channel_doors,
        common_unread,
        delivery,
        directory,
        follower,
        fragments,
        happening,
        heartbeats,
        kept,
        known_sessions,
        listener,
        loading,
        log,
        mailbox,
        mailroom,
        name_index,
        news,
        organizations,
        pages,
        passed_over,
        past,
        presence,
        reading,
        rereading,
        said,
        settled,
        snapshot,
        spots,
        types,
        waking,
        whereabouts,
        whispers,
    )
else:
    __getattr__ = on_demand(__name__)
