"""Fair queues: slow work on a shared resource, served person by person in turn.

A person is an account together with all its bots, or a network address for callers that are not
logged in. Waiting work is served round-robin by person, so what one person submits delays another
by one work item, not by all of them. A person may use only some of the slots at once, and may
have only so much waiting; beyond that `RateLimited` is raised.

Every shared slow resource has one `FairQueue`, created at import and listed in `QUEUES`, which
`/metrics` reads. A queue is guarded by a lock and bound to no event loop.
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

from tertulia.errors.http import RateLimited

# The id of an account (a bot counts with its owner), or a network (`ratelimit.neighbourhood`).
Person: TypeAlias = int | str

# Work that no person asked for, such as a scheduled job.
SERVER: Person = "server"

RETRY_AFTER_SECONDS = 1

QUEUES: dict[str, "FairQueue"] = {}

T = TypeVar("T")


class FairQueue:
    """`slots` work items run at once, at most `slots_per_person` of them for one person.

    A person may have `max_waiting` items waiting besides those that run.
    """

    def __init__(
        self, name: str, *, slots: int, max_waiting: int, slots_per_person: int | None = None
    ) -> None:
        assert name not in QUEUES, f"there are two queues called {name}"
        self.name = name
        self._slots = slots
        self._slots_per_person = slots_per_person or slots
        self._max_waiting = max_waiting
        self._lock = threading.Lock()
        # The order of the keys is the order of turns. A deque is never empty.
        self._waiting: dict[Person, deque[_Item]] = {}
        self._running: Counter[Person] = Counter()
        self._threads: ThreadPoolExecutor | None = None
        self.served = 0
        self.refused = 0
        self.waited_seconds = 0.0
        QUEUES[name] = self

    @property
    def waiting(self) -> int:
        with self._lock:
            return sum(map(len, self._waiting.values()))

    @property
    def running(self) -> int:
        return self._running.total()

    async def run(self, person: Person, work: Callable[[], T]) -> T:
        """Run `work` on a thread when it is this person's turn, and return its result.

        If the caller is cancelled, work that waits is dropped, and work that runs keeps its slot
        until it ends. Raises RateLimited if the person has too much waiting.
        """
        result: Future[T] = Future()
        item = _Item(person, lambda: self._run_on_thread(item, work, result))
        self._enqueue(item)
        try:
            return await asyncio.wrap_future(result)
        except asyncio.CancelledError:
            self._withdraw(item)
            raise

    @asynccontextmanager
    async def slot(self, person: Person) -> AsyncIterator[None]:
        """Hold a slot during the `async with` block, for work that awaits instead of computing."""
        ready: Future[None] = Future()
        item = _Item(person, lambda: _resolve(ready, None))
        self._enqueue(item)
        try:
            await asyncio.wrap_future(ready)
            yield
        finally:
            if not self._withdraw(item):
                self._release(item)

    def _enqueue(self, item: "_Item") -> None:
        with self._lock:
            waiting = self._waiting.get(item.person)
            is_free = self._running.total() < self._slots and waiting is None
            if not is_free and len(waiting or ()) >= self._max_waiting:
                self.refused += 1
                raise RateLimited(retry_after=RETRY_AFTER_SECONDS)
            self._waiting.setdefault(item.person, deque()).append(item)
            started = self._take_turns()
        _start(started)

    def _withdraw(self, item: "_Item") -> bool:
        """Drop an item that has not started. Returns whether it had not."""
        with self._lock:
            if item.has_started:
                return False
            waiting = self._waiting[item.person]
            waiting.remove(item)
            if not waiting:
                del self._waiting[item.person]
            return True

    def _release(self, item: "_Item") -> None:
        with self._lock:
            self._running[item.person] -= 1
            if not self._running[item.person]:
                del self._running[item.person]
            started = self._take_turns()
        _start(started)

    def _take_turns(self) -> list["_Item"]:
        """Claim the free slots. The caller holds the lock, and starts the items without it."""
        started = []
        while self._running.total() < self._slots:
            person = self._next_person()
            if person is None:
                break
            waiting = self._waiting.pop(person)
            item = waiting.popleft()
            if waiting:
                self._waiting[person] = waiting  # behind everybody else
            item.has_started = True
            self._running[person] += 1
            self.served += 1
            self.waited_seconds += time.monotonic() - item.enqueued_at
            started.append(item)
        return started

    def _next_person(self) -> Person | None:
        for person in self._waiting:
            if self._running[person] < self._slots_per_person:
                return person
        return None

    def _run_on_thread(self, item: "_Item", work: Callable[[], Any], result: Future[Any]) -> None:
        def run() -> None:
            try:
                if result.set_running_or_notify_cancel():
                    result.set_result(work())
            except BaseException as error:
                result.set_exception(error)
            finally:
                self._release(item)

        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._slots, thread_name_prefix=self.name)
        self._threads.submit(run)


class _Item:
    __slots__ = ("enqueued_at", "has_started", "person", "start")

    def __init__(self, person: Person, start: Callable[[], None]) -> None:
        self.person = person
        self.start = start
        self.enqueued_at = time.monotonic()
        self.has_started = False


def _start(items: list[_Item]) -> None:
    for item in items:
        item.start()


def _resolve(future: Future[Any], result: Any) -> None:
    if future.set_running_or_notify_cancel():
        future.set_result(result)
