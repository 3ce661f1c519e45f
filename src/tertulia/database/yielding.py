"""Cooperative yielding: long work pauses while newer requests are being answered.

All threads share one interpreter. A request gives up the interpreter lock about ten times before it
is answered, and would wait each time for the thread. PostgreSQL on the same machine shares the
processors with us, too.
"""

import asyncio
import time
from collections import deque

from tertulia.database.interruption import Interruption

MAX_ANSWER_SECONDS = 0.006  # nearly all requests but polls are answered within this
MAX_EARLIER = 32  # arrivals of unanswered requests
SLEEP_SECONDS = 0.0002
NEVER = float("-inf")


class RequestActivity:
    """When the newest request arrived that is not answered yet; and how many have arrived that did
    not wait for their turn.

    An answered request counts as the newest one. That is wrong for a poll, but a request is
    mostly answered within `MAX_ANSWER_SECONDS`, and older ones do not matter.
    """

    def __init__(self) -> None:
        self.arrived_at = NEVER
        self._earlier: deque[float] = deque(maxlen=MAX_EARLIER)
        self.urgent = 0

    def request_started(self) -> None:
        self._earlier.append(self.arrived_at)
        self.arrived_at = time.perf_counter()
        self.urgent += 1

    def request_finished(self) -> None:
        self.arrived_at = self._earlier.pop() if self._earlier else NEVER

    def request_queued(self) -> None:
        """The last request waits for its turn: other work need not wait for it."""
        self.request_finished()
        self.urgent -= 1

    def request_resumed(self) -> None:
        """A request that had waited for its turn is about to be answered."""
        self._earlier.append(self.arrived_at)
        self.arrived_at = time.perf_counter()

    def is_answering(self, since: float, now: float) -> bool:
        """Whether a request that arrived after `since` is probably still being answered."""
        return self.arrived_at > since and now - self.arrived_at <= MAX_ANSWER_SECONDS


class LoopYieldPoint:
    """Lets other requests go first between two steps of work on the event loop.

    The work waits at most `max_seconds` in all, so that it ends on a busy server, too.
    """

    def __init__(self, requests: RequestActivity, max_seconds: float) -> None:
        self._requests = requests
        self._until = time.perf_counter() + max_seconds

    async def yield_to_requests(self) -> None:
        # In the first turn, asyncio continues this task before it reads from sockets.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        now = time.perf_counter()
        while now < self._until and self._requests.is_answering(NEVER, now):
            await asyncio.sleep(SLEEP_SECONDS)
            now = time.perf_counter()


class YieldPoint:
    """Sleeps while newer requests are being answered, for at most half of the time it exists.

    `requests` is `tx.yields_to`: None if others wait for this work, on the event loop or in the
    writer. Then it never sleeps. `interruption` is `tx.interruption`.
    """

    def __init__(
        self, requests: RequestActivity | None, interruption: Interruption | None = None
    ) -> None:
        self._requests = requests
        self._interruption = interruption
        self._began_at = time.perf_counter()
        self._slept_seconds = 0.0

    @property
    def has_yielded(self) -> bool:
        return self._slept_seconds > 0

    def yield_to_requests(self) -> None:
        """Call this every few dozen microseconds, and before anything that takes longer.

        Raises ReadInterrupted if the caller of the read is gone.
        """
        if self._interruption is not None:
            self._interruption.check()
        requests = self._requests
        while requests is not None:
            now = time.perf_counter()
            if not requests.is_answering(self._began_at, now):
                return
            if self._slept_seconds > (now - self._began_at) / 2:
                return
            time.sleep(SLEEP_SECONDS)
            self._slept_seconds += time.perf_counter() - now
