"""Delivery: pending events of each queue, parked polls, wake-up and refill from the log."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.delivery import (
        dispatch,
        heartbeats,
        mailbox,
        mailboxes,
        poll_wakeup,
        refill,
        rewound_directory,
    )
else:
    __getattr__ = lazy_submodules(__name__)
