"""A PostgreSQL connection for threads of a server.

On a busy machine round trips take more time than statements: in each of them two processes wait for
a core. So a connection avoids round trips whose result is not needed. BEGIN is sent with the first
statements, statements that are deferred are sent together, and the result of a ROLLBACK is
read later.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg import generators
from psycopg.adapt import Dumper
from psycopg.postgres import types as postgres_types
from psycopg.pq import ConnStatus, ExecStatus

from tertulia.database.dialects.postgres_pipeline import PipelinedQuery, StatementPipeline
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
    _queued: tuple[PipelinedQuery, ...] = ()
    _statement_pipeline: StatementPipeline | None = None

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
        if self._queued and sql == "COMMIT":
            self.flush()
        if sql in ("COMMIT", "ROLLBACK"):
            self._free_result()
        self._queued = ()
        self._has_unread_rollback = False  # libpq reads that result first
        result = self.pgconn.exec_(sql.encode())
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
        self._queued = ()
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

    @property
    def has_queued_queries(self) -> bool:
        return bool(self._queued)

    def enqueue(self, sql: str, values: Sequence[Any], *, is_prepared: bool) -> PipelinedQuery:
        query = PipelinedQuery(sql, values, is_prepared, self.flush)
        self._queued += (query,)
        return query

    def flush(self) -> None:
        """Send all statements, and wait once for all results."""
        queued, self._queued = self._queued, ()
        begin_sql, self._begin_sql = self._begin_sql, ""
        self._make_ready()
        if self._statement_pipeline is None:
            self._statement_pipeline = StatementPipeline(self)
        with _nul_as_client_error:
            self._statement_pipeline.run(begin_sql, queued)

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
