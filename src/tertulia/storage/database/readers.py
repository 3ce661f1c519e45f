"""The connections that a server reads by: one on the loop, and those that threads share.

Of these the one that was used last is used first: it has its statements planned, and its process
in PostgreSQL the caches filled.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from tertulia import storage
from tertulia.errors.http import ServiceUnavailable
from tertulia.modules import asyncio
from tertulia.storage.database.tx import Dialect

READERS = 4  # threads that read from PostgreSQL; with SQLite, one for what may take long

T = TypeVar("T")


class ReadConnections:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._here: Any = None
        self._threads: ThreadPoolExecutor | None = None
        self._resting: list[Any] = []  # those of threads; the last one was used last

    def start(self) -> None:
        threads = 1 if self._dialect.reads_block else READERS
        rest = storage.database.giving_way.rest_on_this_thread
        self._threads = ThreadPoolExecutor(threads, "reader", initializer=rest)

    def stop(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
            while self._resting:
                self._resting.pop().close()
        if self._here is not None:
            self._here.close()
            self._here = None

    def here(self, ask: Callable[[Any], T]) -> T:
        """On the loop, where everybody else waits meanwhile."""
        try:
            if self._here is None:
                self._here = self._dialect.connect(to_serve=True)
            return ask(self._here)
        except Exception as error:
            if self._dialect.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    def aside(self, ask: Callable[[Any], T]) -> "asyncio.Future[T]":
        """On a thread, while others are served."""
        return self.on_thread(partial(self._ask_in_thread, ask))

    def on_thread(self, ask: Callable[[], T]) -> "asyncio.Future[T]":
        """The same, by a connection of one's own."""
        return asyncio.get_running_loop().run_in_executor(self._threads, ask)

    def _ask_in_thread(self, ask: Callable[[Any], T]) -> T:
        kept = self._take()
        if kept is not None:
            try:
                return self._ask_by(kept, ask)
            except Exception as error:
                if not self._dialect.is_outage(error):
                    raise
        # There is none, or it was lost, perhaps long ago: try with a new one.
        try:
            return self._ask_by(self._dialect.connect(to_serve=True), ask)
        except Exception as error:
            if self._dialect.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    def _take(self) -> Any:
        try:
            return self._resting.pop()
        except IndexError:
            return None

    def _ask_by(self, connection: Any, ask: Callable[[Any], T]) -> T:
        try:
            found = ask(connection)
        except Exception as error:
            if self._dialect.is_outage(error):
                connection.close()
            else:
                self._resting.append(connection)
            raise
        self._resting.append(connection)
        return found
