"""The in-memory state of organizations, and the follower that keeps it at the head of the log."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.directory import (
        accounts,
        applier,
        channels_by_privacy,
        finder,
        follower,
        lease,
        loader,
        log_activity,
        log_updates,
        message_caches,
        name_index,
        organization,
        registry,
        reloads,
        remote_sends,
        reorder_buffer,
        skipped_events,
        update_gate,
    )
else:
    __getattr__ = lazy_submodules(__name__)
