"""Connections for reading: one on the event loop, and several that threads share.

The connection that was used last is reused first, because its statements are prepared and the
caches of its PostgreSQL process are warm. Threads serve people in turn, so that one person's many
searches delay others by only one of them.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tertulia.database.dialect import Dialect
from tertulia.database.interruption import Interruption, ReadInterrupted
from tertulia.errors.http import ServiceUnavailable
from tertulia.fair_queue import QUEUES, FairQueue, Person

READERS = 4  # threads that read from PostgreSQL; with SQLite, one for long reads
MAX_WAITING_READS = 1000  # of one person; on PostgreSQL every read is queued here
QUEUE = "reads"

T = TypeVar("T")


class ReadConnections:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._on_loop: Any = None
        self._queue: FairQueue | None = None
        self._idle: list[Any] = []  # of threads; the last one was used last

    def start(self) -> None:
        threads = 1 if self._dialect.is_embedded else READERS
        self._queue = FairQueue(
            QUEUE,
            slots=threads,
            slots_per_person=max(1, threads - 1),
            max_waiting=MAX_WAITING_READS,
            is_listed=QUEUE not in QUEUES,  # a test process may have several databases
        )

    def stop(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None
            self._close_idle()
        if self._on_loop is not None:
            self._on_loop.close()
            self._on_loop = None

    @property
    def queue(self) -> FairQueue:
        if self._queue is None:
            self.start()
        assert self._queue is not None
        return self._queue

    def on_loop(self, query: Callable[[Any], T]) -> T:
        """Read on the event loop, which is blocked meanwhile."""
        try:
            if self._on_loop is None:
                self._on_loop = self._dialect.connect(to_serve=True)
            return query(self._on_loop)
        except Exception as error:
            if self._dialect.failures.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    async def in_thread(self, person: Person, query: Callable[[Any], T]) -> T:
        """Read on a thread in a person's turn. Raises RateLimited."""
        return await self.on_thread(person, partial(self._query_in_thread, query))

    async def interruptibly(self, person: Person, query: Callable[[Any, Interruption], T]) -> T:
        """The same, and the read ends if the caller is cancelled."""
        interruption = Interruption(self._dialect.interrupt)

        def interruptible(connection: Any) -> T:
            with interruption.during(connection):
                return query(connection, interruption)

        try:
            return await self.on_thread(
                person, partial(self._query_in_thread, interruptible, interruption)
            )
        except asyncio.CancelledError:
            interruption.request()
            # PostgreSQL is asked over a connection of its own, which takes a while.
            asyncio.get_running_loop().run_in_executor(None, interruption.deliver)
            raise

    async def on_thread(self, person: Person, query: Callable[[], T]) -> T:
        """Run a function on a thread; it brings its own connection."""
        return await self.queue.run(person, query)

    def _query_in_thread(
        self, query: Callable[[Any], T], interruption: Interruption | None = None
    ) -> T:
        idle = self._pop()
        if idle is not None:
            try:
                return self._query_on(idle, query, interruption)
            except Exception as error:
                if not self._dialect.failures.is_outage(error):
                    raise
                self._close_idle()  # what ended this connection has ended the others, too
        # There is no connection, or it was lost, perhaps long ago: try with a new one.
        try:
            return self._query_on(self._dialect.connect(to_serve=True), query, interruption)
        except Exception as error:
            if self._dialect.failures.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    def _pop(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _close_idle(self) -> None:
        while (idle := self._pop()) is not None:
            idle.close()

    def _query_on(
        self, connection: Any, query: Callable[[Any], T], interruption: Interruption | None
    ) -> T:
        try:
            found = query(connection)
        except Exception as error:
            if interruption is not None and interruption.is_requested:
                connection.close()
                raise ReadInterrupted from None
            if self._dialect.failures.is_outage(error):
                connection.close()
            else:
                self._idle.append(connection)
            raise
        if interruption is not None and interruption.is_requested:
            connection.close()
        else:
            self._idle.append(connection)
        return found
