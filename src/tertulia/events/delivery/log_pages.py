"""Pages of the log, read again for a queue whose mailbox is not in memory."""

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.events import log
from tertulia.events.log import PAGE
from tertulia.events.logged_event import LoggedEvent

MAX_DELIVERY_CHANGES = (
    20_000  # events that affect delivery; a client that missed more must register again
)


class Page(msgspec.Struct, frozen=True):
    """Consecutive log events, and the events after them, up to the head, that affect delivery."""

    logged: list[LoggedEvent]
    turning: list[LoggedEvent]
    head: int

    def turned_after(self, seq: int, until: int) -> list[LoggedEvent]:
        """Events between two positions that affect the delivery of others."""
        return [
            each
            for each in (*self.logged, *self.turning)
            if seq < each.seq <= until and each.event.affects_delivery()
        ]


def read_page(tx: Tx, after: int) -> Page | None:
    """The log after a position; None if it was trimmed, or if too many later events affect
    delivery."""
    head = storage.log.head(tx)
    oldest = storage.log.oldest(tx, tx.realm_id)
    if after < head and (oldest is None or after + 1 < oldest):
        return None
    logged = log.read(tx, after, PAGE)
    end = logged[-1].seq if logged else head
    turning = log.turning(tx, end, MAX_DELIVERY_CHANGES + 1) if end < head else []
    return None if len(turning) > MAX_DELIVERY_CHANGES else Page(logged, turning, head)
