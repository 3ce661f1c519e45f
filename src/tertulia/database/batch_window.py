"""Batching window for fast sends: decides when the next batch starts.

A batch costs as much as two or three sends, so fewer and larger batches are cheaper. A client that
was just answered usually sends again within a few turns of the event loop. So a batch starts after
three turns without a new send, when it is full, or after the maximum wait.
"""

import asyncio
import time
from collections.abc import Callable

QUIET_ROUNDS = 3
MAX_WAIT_SECONDS = 0.005  # until the window closes


class BatchWindow:
    def __init__(self, waiting: Callable[[], int], most: int, begin: Callable[[], None]) -> None:
        """`waiting` is the number of queued sends; `most` of them close the window at once."""
        self._waiting = waiting
        self._most = most
        self._begin = begin
        self._loop = asyncio.get_running_loop()
        self.is_awaited = False

    def schedule(self) -> None:
        if not self.is_awaited:
            self.is_awaited = True
            end = time.monotonic() + MAX_WAIT_SECONDS
            self._loop.call_soon(self._tick, self._waiting(), QUIET_ROUNDS - 1, end)

    def _tick(self, before: int, rounds: int, end: float) -> None:
        count = self._waiting()
        if count > before:
            rounds = QUIET_ROUNDS
        if rounds == 0 or count >= self._most or time.monotonic() > end:
            self.is_awaited = False
            self._begin()
        else:
            self._loop.call_soon(self._tick, count, rounds - 1, end)
