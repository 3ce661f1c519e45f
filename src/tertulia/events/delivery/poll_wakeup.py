"""Poll wake-up: parked polls are answered in small groups, so that no request waits for all of
them.

Answering a poll takes a tenth of a millisecond. If one turn of the event loop woke all listeners of
a large channel, the sender and every other request would wait for the last of them.
"""

import asyncio
from collections import deque

from tertulia.events.delivery.mailbox import Mailbox

AT_ONCE = 32  # polls per turn of the event loop


class WakeupQueue:
    def __init__(self) -> None:
        self._left = AT_ONCE  # polls that this turn may still wake
        self._in_line: deque[Mailbox] = deque()
        self._is_scheduled = False

    def wake(self, mailbox: Mailbox) -> None:
        """Wake the waiting poll, now or in a later turn. Without a waiting poll there is nothing
        to do."""
        if not _is_awaited(mailbox):
            return
        if self._left and not self._in_line:
            self._left -= 1
            mailbox.wake()
        else:
            self._in_line.append(mailbox)
        self._schedule()

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
                mailbox.wake()
        if self._left < AT_ONCE:
            self._schedule()


def _is_awaited(mailbox: Mailbox) -> bool:
    return mailbox.is_parked and bool(mailbox.pending)
