"""The queue of a writer: it takes people in turn, and keeps slow writes away from quick ones.

A batch answers all its callers after its commit, so a slow write delays those that share its batch.
How long a write takes is known only afterwards. A person with a slow write is therefore *slow* for
a while: their writes get batches of their own. Batches of slow people alternate with batches of
everyone else, so a quick write waits for one slow write at most, however many are queued.

The writes of one person keep their order. The server's own work has a turn in each organization.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any

import msgspec

from tertulia.database.fast_send import FastSend
from tertulia.database.tx import Tx
from tertulia.errors.http import ServiceUnavailable
from tertulia.fair_queue import SERVER, Person, Turns

MAX_BATCH = 256
MAX_QUEUED = 10_000
SLOW_WRITE_SECONDS = 0.02
SLOW_FACTOR = 10  # a person is slow for so many times as long as the slow write took


# Raises if the caller of a write has lost its rights.
Check = Callable[[Tx], None]
# Runs in the transaction of a write, before it locks the organization.
Prepare = Callable[[Tx], object]


class PendingWrite(msgspec.Struct):
    """A queued action, and later its result."""

    action: Callable[..., Any]
    args: tuple[Any, ...]
    realm_id: int
    done: Callable[["PendingWrite"], None]
    fast_send: FastSend | None = None  # the same write for the fast path, if it is still possible
    check: Check | None = None  # runs before the action
    person: Person = SERVER  # whose turn it uses
    prepare: Prepare | None = None
    event: Any = None  # the event that the fast path has made
    result: Any = None
    error: BaseException | None = None
    revoked: dict[int, int] | None = None  # the last event of each log that revoked a credential

    @property
    def turn(self) -> Hashable:
        return (SERVER, self.realm_id) if self.person == SERVER else self.person


class Batch(msgspec.Struct):
    """Jobs that share a commit, and the new events of the commit."""

    jobs: list[PendingWrite]
    updates: Any = None

    def resolve_all(self) -> None:
        for job in self.jobs:
            job.done(job)


class WriteQueue:
    """The event loop fills it, the thread of a writer takes from it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, max_batch: int = MAX_BATCH
    ) -> None:
        self._clock = clock
        self._max_batch = max_batch
        self._changed = threading.Condition()
        self._waiting: Turns[PendingWrite] = Turns()
        self._inserted: Batch | None = None  # the event loop has written it already
        self._is_stopped = False
        # Until when each slow person is slow.
        self._slow_until: dict[Hashable, float] = {}
        self._was_slow = False  # the last batch

    def __len__(self) -> int:
        """The number of queued jobs, without a batch that the event loop has inserted."""
        return len(self._waiting)

    def put(self, job: PendingWrite) -> None:
        with self._changed:
            if len(self._waiting) > MAX_QUEUED:
                raise ServiceUnavailable()
            self._waiting.append(job.turn, job)
            self._changed.notify()

    def put_inserted(self, batch: Batch) -> None:
        with self._changed:
            self._inserted = batch
            self._changed.notify()

    def put_back(self, jobs: list[PendingWrite]) -> None:
        """Return jobs that were taken and not started."""
        with self._changed:
            self._waiting.put_back((job.turn, job) for job in jobs)

    def stop(self) -> None:
        """Let `take` return None when nothing is left."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()

    def take(self) -> list[PendingWrite] | Batch | None:
        """Wait for the jobs of the next batch, or a batch that the event loop has inserted."""
        with self._changed:
            while not (self._waiting or self._inserted or self._is_stopped):
                self._changed.wait()
            if self._inserted is not None:
                batch, self._inserted = self._inserted, None
                return batch
            return self._take_jobs() if self._waiting else None

    def record(self, job: PendingWrite, seconds: float) -> None:
        """Record how long a write took. Called on the thread that takes."""
        if seconds > SLOW_WRITE_SECONDS:
            self._slow_until[job.turn] = self._clock() + SLOW_FACTOR * seconds

    def _take_jobs(self) -> list[PendingWrite]:
        if not self._slow_until:  # nearly always
            return self._take_all(lambda turn: True)
        now = self._clock()
        self._slow_until = {turn: end for turn, end in self._slow_until.items() if end > now}
        slow = self._slow_until
        first = self._waiting.find(lambda turn: not self._was_slow or turn not in slow)
        if first is None:  # only slow people are waiting
            first = self._waiting.find(lambda turn: True)
        self._was_slow = first in slow
        if not self._was_slow:
            return self._take_all(lambda turn: turn not in slow)
        count = min(self._max_batch, self._waiting.waiting(first))
        return [self._waiting.take(first) for _ in range(count)]

    def _take_all(self, may_join: Callable[[Hashable], bool]) -> list[PendingWrite]:
        jobs: list[PendingWrite] = []
        while len(jobs) < self._max_batch and (turn := self._waiting.find(may_join)) is not None:
            jobs.append(self._waiting.take(turn))
        return jobs
