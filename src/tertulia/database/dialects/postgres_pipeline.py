"""Pipelining: statements that are sent to PostgreSQL together.

psycopg checks the network after each statement of a pipeline and releases the interpreter lock.
Here all statements are sent at once and all results are read at once. Statements that are pipelined
are frequent and find rows by their keys, so they are prepared with one plan for all values:
planning takes PostgreSQL longer than running them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import psycopg
from psycopg import generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGresult

# A plan from when a table was small would scan all of it forever.
_USE_GENERIC_PLAN = (
    b"SELECT set_config('plan_cache_mode', 'force_generic_plan', true),"
    b" set_config('enable_seqscan', 'off', true)"
)
_USE_DEFAULT_PLAN = (
    b"SELECT set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true)"
)
_SUCCESS = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.PIPELINE_SYNC)


class PipelinedQuery:
    """A statement that is queued for the next pipeline, and later its result."""

    __slots__ = ("_flush", "_rowcount", "_rows", "is_prepared", "sql", "values")

    def __init__(
        self, sql: str, values: Sequence[Any], is_prepared: bool, flush: Callable[[], None]
    ) -> None:
        self.sql = sql.encode()
        self.values = values
        self.is_prepared = is_prepared
        self._flush = flush
        self._rows: list[dict[str, Any]] | None = None
        self._rowcount = 0

    def set_result(self, rows: list[dict[str, Any]], rowcount: int) -> None:
        self._rows, self._rowcount = rows, rowcount

    @property
    def rowcount(self) -> int:
        self.fetchall()
        return self._rowcount

    def fetchone(self) -> Any:
        return next(iter(self.fetchall()), None)

    def fetchall(self) -> list[Any]:
        if self._rows is None:
            self._flush()
        assert self._rows is not None, "its transaction is over"
        return self._rows


Key = tuple[bytes, tuple[int, ...]]  # the statement and the types of its parameters
ResultHandler = Callable[[PGresult], None]


class EncodedQuery(NamedTuple):
    """A statement with its encoded parameters."""

    query: PipelinedQuery
    values: Sequence[Any]
    types: tuple[int, ...]
    formats: Sequence[Format]


class StatementPipeline:
    """The pipeline of a connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._prepared: dict[Key, bytes] = {}
        self._numbers = count()

    def run(self, begin_sql: str, queries: Sequence[PipelinedQuery]) -> None:
        """Begin a transaction, if `begin_sql` is not empty, and run all statements."""
        encoded = [self._encode(each) for each in queries]
        self._pgconn.enter_pipeline_mode()
        try:
            results = self._send(begin_sql.encode(), encoded)
        finally:
            if self._pgconn.status != ConnStatus.BAD:
                self._pgconn.exit_pipeline_mode()
        for result in results:
            if result.status not in _SUCCESS:
                raise psycopg.errors.error_from_result(result)

    def _encode(self, query: PipelinedQuery) -> EncodedQuery:
        transformer = self._transformer
        values = transformer.dump_sequence(query.values, [PyFormat.AUTO] * len(query.values))
        return EncodedQuery(query, values, transformer.types or (), transformer.formats or ())

    def _send(self, begin_sql: bytes, encoded: Sequence[EncodedQuery]) -> list[PGresult]:
        handlers: list[ResultHandler] = []
        if begin_sql:
            handlers += [self._send_sql(begin_sql), self._send_sql(_USE_GENERIC_PLAN)]
        for each in encoded:
            handlers += self._send_query(each)
        if begin_sql:
            handlers.append(self._send_sql(_USE_DEFAULT_PLAN))
        self._pgconn.pipeline_sync()
        wait = self._connection.wait
        wait(generators.send(self._pgconn))
        results = [wait(generators.fetch_many(self._pgconn))[-1] for _ in handlers]
        wait(generators.fetch_many(self._pgconn))
        for handle, result in zip(handlers, results, strict=True):
            if result.status in _SUCCESS:
                handle(result)
        return results

    def _send_sql(self, sql: bytes) -> ResultHandler:
        self._pgconn.send_query_params(sql, None)
        return _ignore

    def _send_query(self, encoded: EncodedQuery) -> list[ResultHandler]:
        query, values, types, formats = encoded
        key = (query.sql, types)
        name, handlers = self._prepared.get(key), list[ResultHandler]()
        if name is None:
            name = b"pipeline_%d" % next(self._numbers) if query.is_prepared else b""
            self._pgconn.send_prepare(name, query.sql, types)
            handlers.append(partial(self._record_prepared, key, name) if name else _ignore)
        self._pgconn.send_query_prepared(name, values, formats, Format.BINARY)
        handlers.append(partial(self._store_result, query))
        return handlers

    def _record_prepared(self, key: Key, name: bytes, result: PGresult) -> None:
        self._prepared[key] = name

    def _store_result(self, query: PipelinedQuery, result: PGresult) -> None:
        names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
        self._transformer.set_pgresult(result)
        rows = self._transformer.load_rows(
            0, result.ntuples, lambda values: dict(zip(names, values, strict=True))
        )
        query.set_result(rows, result.command_tuples or 0)


def _ignore(result: PGresult) -> None:
    """Only the success of the statement matters."""
