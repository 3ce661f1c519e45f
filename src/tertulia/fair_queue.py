"""Fair queues: slow work on a shared resource, served person by person in turn.

A person is an account together with all its bots, or a network address for callers that are not
logged in. Waiting work is served round-robin by person, so what one person submits delays another
by one work item, not by all of them. A person may use only some of the slots at once, and may
have only so much waiting; beyond that `RateLimited` is raised. Only the server's own work is never
refused.

Every shared slow resource has one `FairQueue`, created at import and listed in `QUEUES`, which
`/metrics` reads; only the queue of a database is created and closed with it. What waits and runs in
it is its `QueueState`, guarded by a lock and bound to no event loop. Servers that share a process
have states of their own (`QUEUE_STATES`).
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeAlias, TypeVar, cast

from tertulia.errors.http import RateLimited, ServiceUnavailable

# The id of an account (a bot counts with its owner), or a network (`ratelimit.address_bucket`).
Person: TypeAlias = int | str

# Work that no person asked for, such as a scheduled job.
SERVER: Person = "server"

RETRY_AFTER_SECONDS = 1

QUEUES: dict[str, "FairQueue"] = {}

T = TypeVar("T")


class Turns(Generic[T]):
    """Waiting items, taken round-robin by person. The items of one person keep their order.

    Not guarded: the owner has a lock.
    """

    def __init__(self) -> None:
        # The order of the keys is the order of turns. A deque is never empty.
        self._waiting: dict[Hashable, deque[T]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        for items in self._waiting.values():
            yield from items

    def waiting(self, person: Hashable) -> int:
        return len(self._waiting.get(person, ()))

    def append(self, person: Hashable, item: T) -> None:
        self._waiting.setdefault(person, deque()).append(item)
        self._count += 1

    def put_back(self, items: Iterable[tuple[Hashable, T]]) -> None:
        """Return items that were taken. They are the next ones."""
        first: dict[Hashable, deque[T]] = {}
        for person, item in items:
            first.setdefault(person, deque()).append(item)
            self._count += 1
        for person, returned in first.items():
            returned.extend(self._waiting.pop(person, ()))
        self._waiting = first | self._waiting

    def find(self, may_start: Callable[[Any], bool]) -> Hashable | None:
        """The next person who may start, or None."""
        return next(filter(may_start, self._waiting), None)

    def take(self, person: Hashable) -> T:
        """The first item of a person; the next ones wait behind all other persons."""
        waiting = self._waiting.pop(person)
        self._count -= 1
        item = waiting.popleft()
        if waiting:
            self._waiting[person] = waiting
        return item

    def remove(self, person: Hashable, item: T) -> None:
        waiting = self._waiting.get(person)
        if waiting is not None and item in waiting:
            waiting.remove(item)
            self._count -= 1
            if not waiting:
                del self._waiting[person]


class FairQueue:
    """`slots` work items run at once, at most `slots_per_person` of them for one person.

    A person may have `max_waiting` items waiting besides those that run.
    """

    def __init__(
        self,
        name: str,
        *,
        slots: int,
        max_waiting: int,
        slots_per_person: int | None = None,
        is_listed: bool = True,
    ) -> None:
        assert not is_listed or name not in QUEUES, f"there are two queues called {name}"
        self.name = name
        self.slots = slots
        self.slots_per_person = slots_per_person or slots
        self.max_waiting = max_waiting
        if is_listed:
            QUEUES[name] = self

    @property
    def state(self) -> "QueueState":
        """What waits and runs, in the server of the caller."""
        states = QUEUE_STATES.get()
        return states.get(self) or states.setdefault(self, QueueState(self))

    @property
    def waiting(self) -> int:
        return self.state.count_waiting()

    @property
    def running(self) -> int:
        return self.state.count_running()

    async def run(self, person: Person, work: Callable[[], T]) -> T:
        """Run `work` on a thread when it is this person's turn, and return its result.

        If the caller is cancelled, work that waits is dropped, and work that runs keeps its slot
        until it ends. Raises RateLimited if the person has too much waiting.
        """
        state, item = self.state, _WorkItem(person, work)
        state.enqueue(item)
        try:
            return cast(T, await asyncio.wrap_future(item.result))
        except asyncio.CancelledError:
            state.withdraw(item)
            raise
        finally:
            # The traceback of an error references this frame, and the item references the error.
            del item

    @asynccontextmanager
    async def slot(self, person: Person) -> AsyncIterator["HeldSlot"]:
        """Hold a slot during the `async with` block, for work that awaits instead of computing.

        The block may set `rest_seconds`: the slot then stays taken for that long after it.
        """
        turn = asyncio.get_running_loop().create_future()
        state, item, held = self.state, _SlotItem(person, turn), HeldSlot()
        state.enqueue(item)
        try:
            if not turn.done():
                held.has_waited = True
                await turn
            yield held
        finally:
            if not state.withdraw(item):
                if held.rest_seconds:
                    loop = asyncio.get_running_loop()
                    loop.call_later(held.rest_seconds, state.release, item.person)
                else:
                    state.release(item.person)

    def close(self) -> None:
        """Wait for the work that runs; work that waits fails. Only for a queue with an owner."""
        self.state.close()
        QUEUE_STATES.get().pop(self, None)
        if QUEUES.get(self.name) is self:
            del QUEUES[self.name]


class QueueState:
    """The items of a queue that wait and run in one server."""

    def __init__(self, queue: FairQueue) -> None:
        self._queue = queue
        self._lock = threading.Lock()
        self._waiting: Turns[_Item] = Turns()
        self._running: Counter[Person] = Counter()
        self._threads: ThreadPoolExecutor | None = None
        self.served = 0
        self.refused = 0
        self.waited_seconds = 0.0

    def count_waiting(self, person: Person | None = None) -> int:
        """Of all, or of one person."""
        with self._lock:
            return len(self._waiting) if person is None else self._waiting.waiting(person)

    def count_running(self) -> int:
        with self._lock:
            return self._running.total()

    def enqueue(self, item: "_Item") -> None:
        with self._lock:
            if not self._has_room(item.person):
                self.refused += 1
                raise RateLimited(retry_after=RETRY_AFTER_SECONDS)
            self._waiting.append(item.person, item)
            started = self._claim_slots()
        self._start(started)

    def withdraw(self, item: "_Item") -> bool:
        """Drop an item that has not started. Returns whether it had not."""
        with self._lock:
            if item.has_started:
                return False
            self._waiting.remove(item.person, item)
            return True

    def release(self, person: Person) -> None:
        """Free a slot, and start the next items."""
        with self._lock:
            self._free_slot(person)
            started = self._claim_slots()
        self._start(started)

    def close(self) -> None:
        with self._lock:
            waiting = list(self._waiting)
            self._waiting = Turns()
            threads = self._threads
        for item in waiting:
            item.fail(ServiceUnavailable())
        if threads is not None:
            threads.shutdown()

    def _has_room(self, person: Person) -> bool:
        if person == SERVER:
            return True
        max_waiting = self._queue.max_waiting
        if waiting := self._waiting.waiting(person):
            return waiting < max_waiting
        is_free = self._running.total() < self._queue.slots
        return max_waiting > 0 or (is_free and self._may_start(person))

    def _free_slot(self, person: Person) -> None:
        self._running[person] -= 1
        if not self._running[person]:
            del self._running[person]

    def _claim_slots(self) -> list["_Item"]:
        """Claim the free slots. The caller holds the lock, and starts the items without it."""
        started = []
        while self._running.total() < self._queue.slots:
            person = self._waiting.find(self._may_start)
            if person is None:
                break
            item = self._waiting.take(person)
            item.has_started = True
            self._running[item.person] += 1
            self.served += 1
            self.waited_seconds += time.monotonic() - item.enqueued_at
            started.append(item)
        return started

    def _may_start(self, person: Person) -> bool:
        return self._running.get(person, 0) < self._queue.slots_per_person

    def _start(self, items: list["_Item"]) -> None:
        """Start items that hold a slot. Where no thread can be started, they fail and free it."""
        while items:
            failed = [item for item in items if not self._start_item(item)]
            if not failed:
                return
            with self._lock:
                for item in failed:
                    self._free_slot(item.person)
                items = self._claim_slots()

    def _start_item(self, item: "_Item") -> bool:
        if isinstance(item, _SlotItem):
            item.start()
            return True
        assert isinstance(item, _WorkItem)
        try:
            self._pool().submit(self._run_on_thread, item)
        except RuntimeError:  # the system has no thread left
            item.fail(ServiceUnavailable())
            return False
        return True

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                queue = self._queue
                self._threads = ThreadPoolExecutor(queue.slots, thread_name_prefix=queue.name)
            return self._threads

    def _run_on_thread(self, item: "_WorkItem") -> None:
        work, result = item.work, item.result
        item.work = None  # frees what it references before the caller takes the result
        assert work is not None
        answer, failure = None, None
        try:
            if result.set_running_or_notify_cancel():
                answer = work()
        except BaseException as error:
            failure = error
        self.release(item.person)  # before the caller continues, who may enqueue the next item
        if failure is not None:
            result.set_exception(failure)
        elif not result.cancelled():
            result.set_result(answer)
        del work, result, failure  # the traceback of an error references this frame


# The states of the server that the current context belongs to. A process mostly has one server.
QUEUE_STATES: ContextVar[dict[FairQueue, QueueState]] = ContextVar("queue_states", default={})  # noqa: B039


class HeldSlot:
    __slots__ = ("has_waited", "rest_seconds")

    def __init__(self) -> None:
        self.rest_seconds = 0.0
        self.has_waited = False


class _Item:
    __slots__ = ("enqueued_at", "has_started", "person")

    def __init__(self, person: Person) -> None:
        self.person = person
        self.enqueued_at = time.monotonic()
        self.has_started = False

    def fail(self, error: Exception) -> None:
        raise NotImplementedError


class _WorkItem(_Item):
    """Runs on a thread."""

    __slots__ = ("result", "work")

    def __init__(self, person: Person, work: Callable[[], Any]) -> None:
        super().__init__(person)
        self.work: Callable[[], Any] | None = work
        self.result: Future[Any] = Future()

    def fail(self, error: Exception) -> None:
        if self.result.set_running_or_notify_cancel():
            self.result.set_exception(error)


class _SlotItem(_Item):
    """Gets a slot for as long as its caller wants.

    A slot is mostly freed on the event loop of the next caller, which then continues without
    waking the loop: that would take a tenth of a millisecond.
    """

    __slots__ = ("_turn",)

    def __init__(self, person: Person, turn: asyncio.Future[None]) -> None:
        super().__init__(person)
        self._turn = turn

    def start(self) -> None:
        self._on_its_loop(_set_result)

    def fail(self, error: Exception) -> None:
        self._on_its_loop(_set_exception, error)

    def _on_its_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        loop = self._turn.get_loop()
        if _running_loop() is loop:
            function(self._turn, *arguments)
        else:
            loop.call_soon_threadsafe(function, self._turn, *arguments)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # on a thread
        return None


def _set_result(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


def _set_exception(turn: asyncio.Future[None], error: Exception) -> None:
    if not turn.done():
        turn.set_exception(error)
