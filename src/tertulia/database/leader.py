"""Duty: of all servers on a database, one does what needs to be done only once.

Who has it holds a lock of the database, for as long as its connection lives. It asks there what is
due, a few times a second; if it does not for some seconds, because it stands still or was cut off,
the database hangs up and another one takes over. So two may believe to have it for a moment, and
whoever comes second must still find nothing to do.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tertulia import storage
from tertulia.database.tx import Dialect, Tx
from tertulia.log import log


class Leader:
    def __init__(self, dialect: Dialect, clock: Callable[[], float]) -> None:
        self._dialect = dialect
        self._clock = clock
        self._connection: Any = None
        self._is_ours = False
        self._turn = threading.Lock()

    def look(self, questions: Sequence[str]) -> set[str] | None:
        """Those of the questions that are answered with yes; None if the duty is another's."""
        with self._turn:
            try:
                return self._look(questions)
            except Exception:
                self._close()
                raise

    def give_up(self) -> None:
        """Let another server have it, at once."""
        if self._is_ours:
            with contextlib.suppress(Exception):
                self._dialect.resign(self._connection)
        self._close()

    def _close(self) -> None:
        connection, self._connection, self._is_ours = self._connection, None, False
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _look(self, questions: Sequence[str]) -> set[str] | None:
        if self._connection is None:
            self._connection = self._dialect.connect_for_duty()
        if not self._is_ours:
            self._is_ours = self._dialect.take_duty(self._connection)
            if not self._is_ours:
                return None
            log.debug("cluster.became_leader")
        tx = Tx(self._connection, self._dialect, 0, self._clock())
        return storage.due_jobs.those(tx, questions)
