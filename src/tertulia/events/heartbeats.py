"""Heartbeats: whoever has waited in vain for a while is told that we are still there.

One timer serves all. Nearly every poll is answered long before, and a timer for each of them would
take a tenth of what answering it takes. So a queue stands on the list once, and whether its client
has been answered meanwhile and waits anew is seen when its time has come.
"""

import asyncio
import heapq
import random
from collections.abc import Callable

from tertulia.events.mailbox import Mailbox
from tertulia.events.mailroom import Mailroom

SPREAD = 2 / 9  # of the usual time: clients that came together do not return together


class Heartbeats:
    def __init__(self, mailroom: Mailroom, seconds: float, beat: Callable[[Mailbox], None]) -> None:
        self._mailroom = mailroom
        self._seconds = seconds
        self._beat = beat
        self._listed: list[tuple[float, str]] = []  # a heap of moments and queues
        self._timer: asyncio.TimerHandle | None = None

    def expect(self, mailbox: Mailbox) -> None:
        """Somebody begins to wait."""
        wait = self._seconds * (1 + random.random() * SPREAD)  # noqa: S311
        mailbox.beats_at = asyncio.get_running_loop().time() + wait
        if not mailbox.is_listed:
            mailbox.is_listed = True
            self._list(mailbox)
            if self._timer is None or self._timer.when() > mailbox.beats_at:
                self._wind_up()

    def _list(self, mailbox: Mailbox) -> None:
        heapq.heappush(self._listed, (mailbox.beats_at, mailbox.listener.queue_id))

    def _wind_up(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._listed:
            first, _ = self._listed[0]
            self._timer = asyncio.get_running_loop().call_at(first, self._ring)

    def _ring(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._listed and self._listed[0][0] <= now:
            _, queue_id = heapq.heappop(self._listed)
            mailbox = self._mailroom.find(queue_id)
            if mailbox is None:
                continue
            if mailbox.is_parked and mailbox.beats_at > now:
                self._list(mailbox)
                continue
            mailbox.is_listed = False
            if mailbox.is_parked:
                self._beat(mailbox)
        self._wind_up()
