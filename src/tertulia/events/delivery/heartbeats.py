"""Heartbeats: whoever has waited in vain for a while is told that we are still there.

One timer serves all. Nearly every poll is answered long before, and a timer for each of them would
take a tenth of what answering it takes. So a queue stands on the list once, and whether its client
has been answered meanwhile and waits anew is seen when its time has come.
"""

import asyncio
import heapq
import random
from collections.abc import Callable

from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.delivery.mailboxes import MailboxRegistry

SPREAD = 2 / 9  # of the usual time: clients that came together do not return together


class Heartbeats:
    def __init__(
        self, mailboxes: MailboxRegistry, seconds: float, beat: Callable[[Mailbox], None]
    ) -> None:
        self._mailroom = mailboxes
        self._seconds = seconds
        self._beat = beat
        self._listed: list[tuple[float, str]] = []  # a heap of moments and queues
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # uvloop's timer, if that is at once, could not tell

    def expect(self, mailbox: Mailbox) -> None:
        """Somebody begins to wait."""
        wait = self._seconds * (1 + random.random() * SPREAD)  # noqa: S311
        mailbox.beats_at = asyncio.get_running_loop().time() + wait
        if not mailbox.listed_at:
            self._list(mailbox)
            if self._timer is None or self._rings_at > mailbox.beats_at:
                self._arm()

    def _list(self, mailbox: Mailbox) -> None:
        mailbox.listed_at = mailbox.beats_at
        heapq.heappush(self._listed, (mailbox.beats_at, mailbox.listener.queue_id))

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._listed:
            self._rings_at, _ = self._listed[0]
            self._timer = asyncio.get_running_loop().call_at(self._rings_at, self._ring)

    def _ring(self) -> None:
        """Should one fail, the others are told all the same."""
        try:
            now = asyncio.get_running_loop().time()
            while self._listed and self._listed[0][0] <= now:
                moment, queue_id = heapq.heappop(self._listed)
                mailbox = self._mailroom.find(queue_id)
                if mailbox is not None and mailbox.listed_at == moment:  # it is no earlier one's
                    self._look_at(mailbox, now)
        finally:
            self._arm()

    def _look_at(self, mailbox: Mailbox, now: float) -> None:
        if mailbox.is_parked and mailbox.beats_at > now:
            self._list(mailbox)
            return
        mailbox.listed_at = 0.0
        if mailbox.is_parked:
            self._beat(mailbox)
