"""The watchdog: ends statements that wait for a PostgreSQL that does not answer any more.

A frozen PostgreSQL, or a network that drops packets, closes no socket, so libpq waits for ever. One
thread looks at the connections of this process. When a statement has run for SUSPECT_SECONDS, it
asks PostgreSQL on a new connection which sessions are at work. If there is no answer, or the
session of the statement is not among them, the thread shuts the socket down, and the statement
fails like any other whose connection is lost. A long statement that PostgreSQL works on continues.
"""

import threading
import time
import weakref
from collections.abc import Callable

from tertulia.database.dialects.postgres_connection import Connection
from tertulia.log import log

SUSPECT_SECONDS = 5.0
LOOK_SECONDS = 0.5  # between two looks

# The sessions at work, by process id; None if PostgreSQL answers, but refuses to say. Raises if
# PostgreSQL does not answer.
WorkingSessions = Callable[[], set[int] | None]


class Watchdog:
    def __init__(self, working_sessions: WorkingSessions) -> None:
        self._working_sessions = working_sessions
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._is_running = False
        self._is_asking = False

    def watch(self, connection: Connection) -> None:
        with self._lock:
            self._connections.add(connection)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def _run(self) -> None:
        """Look at all connections until there are none."""
        while self._look():
            time.sleep(LOOK_SECONDS)

    def _look(self) -> bool:
        with self._lock:
            connections = list(self._connections)
            self._is_running = bool(connections)
        now = time.monotonic()
        suspects: list[tuple[Connection, float]] = []
        for connection in connections:
            since = connection.busy_since
            if since is None or now - since < min(SUSPECT_SECONDS, connection.max_seconds):
                continue
            if now - since > connection.max_seconds:
                self._interrupt(connection, since)
            else:
                suspects.append((connection, since))
        if suspects and not self._is_asking:
            self._is_asking = True
            ask = threading.Thread(target=self._judge, args=(suspects,), daemon=True)
            ask.start()
        return self._is_running

    def _judge(self, suspects: list[tuple[Connection, float]]) -> None:
        try:
            working = self._working_sessions()
        except Exception:
            working = set()
        for connection, since in suspects:
            if working is not None and connection.session not in working:
                self._interrupt(connection, since)
        self._is_asking = False

    def _interrupt(self, connection: Connection, since: float) -> None:
        """End a statement, unless it has ended by now."""
        if connection.interrupt(since):
            waited = round(time.monotonic() - since, 1)
            log.error("database.no_answer", waited_s=waited)
