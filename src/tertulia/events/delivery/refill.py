"""The log read again for one queue, whose mailbox is not here or was given up."""

import msgspec

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.events.log import PAGE
from tertulia.events.logged_event import LoggedEvent

MAX_DELIVERY_CHANGES = (
    20_000  # events that changed who sees what: whoever has missed more begins afresh
)


class Page(msgspec.Struct, frozen=True):
    """A stretch of the log, and what has turned after it, up to the head of that moment."""

    happenings: list[LoggedEvent]
    turning: list[LoggedEvent]
    head: int

    def turned_after(self, seq: int, until: int) -> list[LoggedEvent]:
        """All that changed by what is judged between two places."""
        return [
            each
            for each in (*self.happenings, *self.turning)
            if seq < each.seq <= until and each.event.affects_delivery()
        ]


def read_page(tx: Tx, after: int) -> Page | None:
    """The log from a place on; None if that place is gone, or too much has turned since."""
    asked_head = tx.later(storage.log.head)
    asked_oldest = tx.later(storage.log.oldest, tx.realm_id)
    found = tx.later(events.log.read, after, PAGE)
    head, oldest = asked_head(), asked_oldest()
    if after < head and (oldest is None or after + 1 < oldest):
        return None
    happenings = found()
    end = happenings[-1].seq if happenings else head
    turning = events.log.turning(tx, end, MAX_DELIVERY_CHANGES + 1) if end < head else []
    return None if len(turning) > MAX_DELIVERY_CHANGES else Page(happenings, turning, head)
