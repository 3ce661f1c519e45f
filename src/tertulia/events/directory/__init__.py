"""The in-memory state of an organization, and what keeps it at the head of the log."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.directory import (
        accounts,
        channels_by_privacy,
        follower,
        loader,
        log_activity,
        log_updates,
        name_index,
        organization,
        registry,
        skipped_events,
    )
else:
    __getattr__ = lazy_submodules(__name__)
