"""Poll wake-up: answers parked polls in small groups, and busy listeners less often.

Answering a poll takes a tenth of a millisecond. If one turn of the event loop woke all listeners of
a large channel, the sender and every other request would wait for the last of them.

When events for many listeners follow each other quickly, a listener that was answered a moment ago
gets the next ones together, at most `MAX_DELAY_SECONDS` after the first of them. A single event,
and every event for a few listeners, is delivered at once.
"""

import asyncio
from collections import deque

from tertulia.events.delivery.mailbox import Mailbox

AT_ONCE = 32  # polls per turn of the event loop
BUSY_QUEUE_LENGTH = 128  # polls that wait for their turn; from here on events are delayed
MAX_DELAY_SECONDS = 0.05
BUSY_SECONDS = 0.1  # a listener that was answered within this time gets the next events later


class WakeupQueue:
    def __init__(self) -> None:
        self._left = AT_ONCE  # polls that this turn may still wake
        self._in_line: deque[Mailbox] = deque()
        self._is_scheduled = False
        self._delayed: dict[Mailbox, float] = {}  # when to answer each, the first one first

    def wake(self, mailbox: Mailbox) -> None:
        """Wake the waiting poll, now or in a later turn. Without a waiting poll there is nothing
        to do."""
        if not _is_awaited(mailbox) or mailbox in self._delayed:
            return
        if self._left and not self._in_line:
            self._left -= 1
            self._answer(mailbox)
        elif len(self._in_line) >= BUSY_QUEUE_LENGTH and self._is_busy(mailbox):
            self._delay(mailbox)
        else:
            self._in_line.append(mailbox)
        self._schedule()

    def _is_busy(self, mailbox: Mailbox) -> bool:
        return asyncio.get_running_loop().time() - mailbox.woken_at < BUSY_SECONDS

    def _delay(self, mailbox: Mailbox) -> None:
        loop = asyncio.get_running_loop()
        if not self._delayed:
            loop.call_later(MAX_DELAY_SECONDS, self._answer_delayed)
        self._delayed[mailbox] = loop.time() + MAX_DELAY_SECONDS

    def _answer_delayed(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        due = [mailbox for mailbox, at in self._delayed.items() if at <= now]
        for mailbox in due:
            del self._delayed[mailbox]
        self._in_line.extend(due)
        self._schedule()
        if self._delayed:
            next_at = next(iter(self._delayed.values()))
            loop.call_at(next_at, self._answer_delayed)

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._next_round)

    def _next_round(self) -> None:
        self._is_scheduled = False
        self._left = AT_ONCE
        while self._left and self._in_line:
            mailbox = self._in_line.popleft()
            if _is_awaited(mailbox):
                self._left -= 1
                self._answer(mailbox)
        if self._left < AT_ONCE:
            self._schedule()

    def _answer(self, mailbox: Mailbox) -> None:
        mailbox.woken_at = asyncio.get_running_loop().time()
        mailbox.poll.wake()


def _is_awaited(mailbox: Mailbox) -> bool:
    return mailbox.poll.is_parked and bool(mailbox.pending)
