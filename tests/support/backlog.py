"""A backlog in a fair queue: work of one person that ends when the test says so."""

import asyncio
import threading
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Any

from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.errors.http import RateLimited
from tertulia.fair_queue import FairQueue, Person


class Backlog:
    """Fills a queue with one person's work until the block ends.

    `room` is how much more of this person's work the queue takes.
    """

    def __init__(self, queue: FairQueue, person: Person, room: int = 0) -> None:
        self._count = queue.max_waiting - room
        self._queue = queue
        self._person = person
        self._permits = threading.Semaphore(0)
        self._started = self._ended = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._fill()))

    def __enter__(self) -> "Backlog":
        self._thread.start()
        try:
            eventually(self._is_full)
        except AssertionError:
            self._end()
            raise
        return self

    def _is_full(self) -> bool:
        """Other work, such as a job's, may wait meanwhile as well."""
        return self._started == self._queue.slots_per_person and self._queue.waiting >= self._count

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._permits.release(self._size)
        self._thread.join()

    @property
    def _size(self) -> int:
        return self._count + self._queue.slots_per_person

    @property
    def waiting(self) -> int:
        return self._size - self._started

    def turns_until(self, answer: "Future[Any]") -> int:
        """Let as much work end as is served before another person's, and count it."""
        turns = 0
        while True:
            eventually(lambda: answer.done() or self._queue.waiting > self.waiting)
            if answer.done():
                return turns
            turns += 1
            self._permits.release()
            eventually(partial(self._has_ended, turns))

    def _has_ended(self, count: int) -> bool:
        return self._ended == count

    async def _fill(self) -> None:
        await asyncio.gather(*(self._enqueue() for _ in range(self._size)))

    async def _enqueue(self) -> None:
        """A job's work may hold a slot meanwhile; then one item has no room until it ends."""
        while True:
            try:
                return await self._queue.run(self._person, self._work)
            except RateLimited:
                await asyncio.sleep(0.01)

    def _work(self) -> None:
        with self._lock:
            self._started += 1
        self._permits.acquire(timeout=TIMEOUT_SECONDS)
        with self._lock:
            self._ended += 1
