"""Batching window for fast sends: decides when the next batch starts.

A batch costs as much as two or three sends, so fewer and larger batches are cheaper. A client that
was just answered usually sends again within a few turns of the event loop. So a batch starts after
three turns without a new send, when it is full, or after the maximum wait.
"""

import asyncio
import time
from collections.abc import Callable

QUIET_TURNS = 3
MAX_WAIT_SECONDS = 0.005  # until the window closes


class BatchWindow:
    def __init__(
        self, waiting: Callable[[], int], max_count: int, begin: Callable[[], None]
    ) -> None:
        """`waiting` is the number of queued sends; `max_count` of them close the window at once."""
        self._waiting = waiting
        self._max_count = max_count
        self._begin = begin
        self._loop = asyncio.get_running_loop()
        self.is_awaited = False

    def schedule(self) -> None:
        if not self.is_awaited:
            self.is_awaited = True
            end = time.monotonic() + MAX_WAIT_SECONDS
            self._loop.call_soon(self._tick, self._waiting(), QUIET_TURNS - 1, end)

    def _tick(self, before: int, turns: int, end: float) -> None:
        count = self._waiting()
        if count > before:
            turns = QUIET_TURNS
        if turns == 0 or count >= self._max_count or time.monotonic() > end:
            self.is_awaited = False
            self._begin()
        else:
            self._loop.call_soon(self._tick, count, turns - 1, end)
