"""The connections that a server reads by: one on the loop, and one for each thread that reads."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

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
        self._of_thread: dict[int, Any] = {}

    def start(self) -> None:
        threads = 1 if self._dialect.reads_block else READERS
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="reader")

    def stop(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
            for thread in list(self._of_thread):
                self._close(thread)
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

    async def aside(self, ask: Callable[[Any], T]) -> T:
        """On a thread, while others are served."""
        return await self.on_thread(partial(self._ask_in_thread, ask))

    async def on_thread(self, ask: Callable[[], T]) -> T:
        """The same, by a connection of one's own."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, ask)

    def _ask_in_thread(self, ask: Callable[[Any], T]) -> T:
        thread = threading.get_ident()
        is_new = thread not in self._of_thread
        try:
            if is_new:
                self._of_thread[thread] = self._dialect.connect(to_serve=True)
            return ask(self._of_thread[thread])
        except Exception as error:
            if not self._dialect.is_outage(error):
                raise
            self._close(thread)
            if is_new:
                raise ServiceUnavailable() from error
        # A connection that we kept may have been lost long ago: try once more with a new one.
        return self._ask_in_thread(ask)

    def _close(self, thread: int) -> None:
        connection = self._of_thread.pop(thread, None)
        if connection is not None:
            connection.close()
