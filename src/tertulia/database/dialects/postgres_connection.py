"""A PostgreSQL connection for threads of a server.

On a busy machine round trips take more time than statements: in each of them two processes wait for
a core. So a transaction that only reads begins with its first statement, and the result of its
ROLLBACK is read later.
"""

import math
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import generators
from psycopg.adapt import Dumper
from psycopg.postgres import types as postgres_types
from psycopg.pq import ConnStatus, ExecStatus

from tertulia.errors.parameters import NulInText


class Ids:
    """Many numbers as one parameter."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers


class IdsDumper(Dumper):
    """Encodes ten thousand numbers in a millisecond, where psycopg's encoder for lists takes 25."""

    oid = postgres_types["int8"].array_oid

    def dump(self, obj: Ids) -> bytes:
        return f"{{{','.join(map(str, obj.numbers))}}}".encode()


class _NulAsClientError:
    """Refuses NUL characters, which PostgreSQL cannot store, with our own error."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, psycopg.DataError) and "NUL" in str(error):
            raise NulInText() from None


_nul_as_client_error = _NulAsClientError()


class Connection(psycopg.Connection[dict[str, Any]]):
    """A connection with one cursor for single statements. A new cursor costs a quarter of a
    statement, and the rows of one statement are always fetched before the next."""

    _cursor: psycopg.Cursor[dict[str, Any]] | None = None
    _timeline: str | None = None
    _begin_sql = ""  # sent before the next statement
    _has_unread_rollback = False  # the result of a ROLLBACK was not read yet
    busy_since: float | None = None  # of the running statement, by the monotonic clock
    max_seconds = math.inf  # how long a statement may run; see `postgres_watchdog.py`
    _session: int | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._running = threading.Lock()  # of `busy_since`

    @property
    def session(self) -> int:
        """The process id of the session."""
        return self.pgconn.backend_pid if self._session is None else self._session

    def record_session(self, session: int) -> None:
        """A pooler gives its clients process ids of its own."""
        self._session = session

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        self.busy_since = time.monotonic()
        try:
            return super().wait(*args, **kwargs)
        finally:
            with self._running:
                self.busy_since = None

    def interrupt(self, since: float) -> bool:
        """Shut the socket down if the statement that began then still runs. For other threads."""
        with self._running:  # so that the socket is not closed meanwhile
            if self.busy_since != since:
                return False
            shut = socket.socket(fileno=self.pgconn.socket)
            try:
                shut.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is not connected any more
            finally:
                shut.detach()
            return True

    @property
    def shared_cursor(self) -> psycopg.Cursor[dict[str, Any]]:
        self._make_ready()
        if self._cursor is None:
            self._cursor = super().cursor(binary=True)
        return self._cursor

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        self._make_ready()
        return super().cursor(*args, **kwargs)

    @property
    def timeline(self) -> str:
        if self._timeline is None:
            found = self.shared_cursor.execute(
                "SELECT pg_walfile_name(pg_current_wal_lsn()) AS name"
            )
            self._timeline = (found.fetchone() or {})["name"][:8]
        return self._timeline

    def record_timeline(self, timeline: str) -> None:
        self._timeline = timeline

    def execute_simple(self, sql: str) -> None:
        """Bypasses psycopg, which would drop its prepared statements at every ROLLBACK."""
        if sql in ("COMMIT", "ROLLBACK"):
            self._free_result()
        self._has_unread_rollback = False  # libpq reads that result first
        self.busy_since = time.monotonic()
        try:
            result = self.pgconn.exec_(sql.encode())
        finally:
            with self._running:
                self.busy_since = None
        if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
            if self.pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
            raise psycopg.errors.error_from_result(result)
        if sql == "COMMIT" and result.command_status != b"COMMIT":
            # PostgreSQL rolls back a transaction in which a statement failed, and reports no error.
            raise psycopg.errors.InFailedSqlTransaction("the transaction was rolled back")

    def begin(self, sql: str) -> None:
        """Begin a transaction, together with the first statement."""
        self._begin_sql = sql

    def end_read(self) -> None:
        """End a transaction that wrote nothing."""
        self._free_result()
        if self._begin_sql:
            self._begin_sql = ""
        else:
            self.pgconn.send_query(b"ROLLBACK")
            self._has_unread_rollback = True

    def run(
        self, sql: str, params: Mapping[str, Any], prepare: bool | None
    ) -> psycopg.Cursor[dict[str, Any]]:
        with _nul_as_client_error:
            return self.shared_cursor.execute(sql, params, prepare=prepare)

    def _free_result(self) -> None:
        """Free the last result, which may have many megabytes."""
        if self._cursor is not None and self._cursor.pgresult is not None:
            self._cursor.pgresult.clear()

    def _make_ready(self) -> None:
        if self._begin_sql:
            begin_sql, self._begin_sql = self._begin_sql, ""
            self.execute_simple(begin_sql)
        elif self._has_unread_rollback:
            self._has_unread_rollback = False
            self.wait(generators.fetch_many(self.pgconn))
