"""Interruption: ends a read on a thread whose caller is gone.

The running statement fails, and so does the next step of work that yields (`YieldPoint`). The
connection is not used again, because PostgreSQL may cancel its next statement instead.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

REPEAT_SECONDS = 0.1


class ReadInterrupted(Exception):
    """The caller of a read is gone."""


class Interruption:
    def __init__(self, interrupt_statement: Callable[[Any], None]) -> None:
        self._interrupt_statement = interrupt_statement
        self._lock = threading.Lock()
        self._connection: Any = None
        self.is_requested = False

    def request(self) -> None:
        """Called on the event loop; `deliver` then ends the running statement."""
        self.is_requested = True

    def deliver(self) -> None:
        """Runs on a thread. It repeats, because the read may be between two statements."""
        while True:
            with self._lock:
                if self._connection is None:
                    return
                self._interrupt_statement(self._connection)
            time.sleep(REPEAT_SECONDS)

    @contextmanager
    def during(self, connection: Any) -> Iterator[None]:
        """While the read uses a connection."""
        with self._lock:
            self._connection = connection
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._connection = None

    def check(self) -> None:
        if self.is_requested:
            raise ReadInterrupted
