"""A pause among those who come: when to begin with the plain sends that were gathered.

Every gathering costs as much as two or three sends, so a few large ones are better than many small.
Whoever was answered goes on within a few rounds of the loop, so it is begun when some rounds have
brought nobody. Whoever comes alone after somebody who did need not wait: those of the same round go
together, and that is all.
"""

import asyncio
import time
from collections.abc import Callable

QUIET_ROUNDS = 3
MAX_WAIT_SECONDS = 0.005  # to wait for that


class BatchWindow:
    def __init__(self, waiting: Callable[[], int], most: int, begin: Callable[[], None]) -> None:
        """`waiting` says how many have come, and `most` are not waited for any longer."""
        self._waiting = waiting
        self._most = most
        self._begin = begin
        self._loop = asyncio.get_running_loop()
        self._is_calm = True  # the last one came alone
        self.is_awaited = False

    def schedule(self) -> None:
        if not self.is_awaited:
            self.is_awaited = True
            count = self._waiting()
            rounds = 1 if self._is_calm and count == 1 else QUIET_ROUNDS
            self._look_again(count, rounds, time.monotonic() + MAX_WAIT_SECONDS)

    def _look(self, before: int, rounds: int, end: float) -> None:
        count = self._waiting()
        if count > before:
            rounds = QUIET_ROUNDS
        if rounds == 0 or count >= self._most or time.monotonic() > end:
            self.is_awaited = False
            self._is_calm = count <= 1
            self._begin()
        else:
            self._look_again(count, rounds, end)

    def _look_again(self, count: int, rounds: int, end: float) -> None:
        self._loop.call_soon(self._look, count, rounds - 1, end)
