"""Heartbeats: answer a poll that has waited for long, so that the client knows the server is alive.

One timer serves all mailboxes. Nearly every poll is answered long before its heartbeat, and a timer
for each would take a tenth of the time that answering it takes. So a mailbox is in the heap once;
when its entry is due, the server checks whether the poll still waits or a newer one does.
"""

import asyncio
import heapq
import random
from collections.abc import Callable

from tertulia.events.delivery.mailbox import Mailbox, MailboxRegistry

SPREAD = 2 / 9  # of the interval: clients that connected together do not reconnect together


class Heartbeats:
    def __init__(
        self, mailboxes: MailboxRegistry, seconds: float, beat: Callable[[Mailbox], None]
    ) -> None:
        self._mailboxes = mailboxes
        self._seconds = seconds
        self._beat = beat
        self._listed: list[tuple[float, str]] = []  # a heap of due times and queues
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # uvloop's handle cannot tell when it is due

    def schedule(self, mailbox: Mailbox) -> None:
        """A poll starts to wait."""
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
            self._timer = asyncio.get_running_loop().call_at(self._rings_at, self._fire)

    def _fire(self) -> None:
        """If one heartbeat fails, the others are still sent."""
        try:
            now = asyncio.get_running_loop().time()
            while self._listed and self._listed[0][0] <= now:
                moment, queue_id = heapq.heappop(self._listed)
                mailbox = self._mailboxes.find(queue_id)
                # Otherwise the entry is of an earlier mailbox.
                if mailbox is not None and mailbox.listed_at == moment:
                    self._check(mailbox, now)
        finally:
            self._arm()

    def _check(self, mailbox: Mailbox, now: float) -> None:
        if mailbox.poll.is_parked and mailbox.beats_at > now:
            self._list(mailbox)
            return
        mailbox.listed_at = 0.0
        if mailbox.poll.is_parked:
            self._beat(mailbox)
