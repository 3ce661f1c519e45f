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
_PLANNED_ONCE = (
    b"SELECT set_config('plan_cache_mode', 'force_generic_plan', true),"
    b" set_config('enable_seqscan', 'off', true)"
)
_PLANNED_AS_USUAL = (
    b"SELECT set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true)"
)
_FINE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.PIPELINE_SYNC)


class PostponedQuestion:
    """A statement that is queued for the next pipeline, and later its result."""

    __slots__ = ("_ask_all", "_rows", "_rows_touched", "is_prepared", "sql", "values")

    def __init__(
        self, sql: str, values: Sequence[Any], is_prepared: bool, ask_all: Callable[[], None]
    ) -> None:
        self.sql = sql.encode()
        self.values = values
        self.is_prepared = is_prepared
        self._ask_all = ask_all
        self._rows: list[dict[str, Any]] | None = None
        self._rows_touched = 0

    def answer(self, rows: list[dict[str, Any]], rows_touched: int) -> None:
        self._rows, self._rows_touched = rows, rows_touched

    @property
    def rowcount(self) -> int:
        self.fetchall()
        return self._rows_touched

    def fetchone(self) -> Any:
        return next(iter(self.fetchall()), None)

    def fetchall(self) -> list[Any]:
        if self._rows is None:
            self._ask_all()
        assert self._rows is not None, "its transaction is over"
        return self._rows


Key = tuple[bytes, tuple[int, ...]]  # the statement and the types of its parameters
Taker = Callable[[PGresult], None]  # handles a result


class DumpedQuestion(NamedTuple):
    """A statement with its encoded parameters."""

    question: PostponedQuestion
    values: Sequence[Any]
    types: tuple[int, ...]
    formats: Sequence[Format]


class Together:
    """The pipeline of a connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._prepared: dict[Key, bytes] = {}
        self._numbers = count()

    def ask(self, beginning: str, questions: Sequence[PostponedQuestion]) -> None:
        """Begin a transaction, if a beginning is given, and run all statements."""
        spoken = [self._dump(each) for each in questions]
        self._pgconn.enter_pipeline_mode()
        try:
            results = self._send(beginning.encode(), spoken)
        finally:
            if self._pgconn.status != ConnStatus.BAD:
                self._pgconn.exit_pipeline_mode()
        for result in results:
            if result.status not in _FINE:
                raise psycopg.errors.error_from_result(result)

    def _dump(self, question: PostponedQuestion) -> DumpedQuestion:
        transformer = self._transformer
        values = transformer.dump_sequence(question.values, [PyFormat.AUTO] * len(question.values))
        return DumpedQuestion(question, values, transformer.types or (), transformer.formats or ())

    def _send(self, beginning: bytes, dumped: Sequence[DumpedQuestion]) -> list[PGresult]:
        takers: list[Taker] = []
        if beginning:
            takers += [self._send_sql(beginning), self._send_sql(_PLANNED_ONCE)]
        for each in dumped:
            takers += self._send_query(each)
        if beginning:
            takers.append(self._send_sql(_PLANNED_AS_USUAL))
        self._pgconn.pipeline_sync()
        wait = self._connection.wait
        wait(generators.send(self._pgconn))
        results = [wait(generators.fetch_many(self._pgconn))[-1] for _ in takers]
        wait(generators.fetch_many(self._pgconn))
        for take, result in zip(takers, results, strict=True):
            if result.status in _FINE:
                take(result)
        return results

    def _send_sql(self, sql: bytes) -> Taker:
        self._pgconn.send_query_params(sql, None)
        return _ignore

    def _send_query(self, dumped: DumpedQuestion) -> list[Taker]:
        question, values, types, formats = dumped
        key = (question.sql, types)
        name, takers = self._prepared.get(key), list[Taker]()
        if name is None:
            name = b"together_%d" % next(self._numbers) if question.is_prepared else b""
            self._pgconn.send_prepare(name, question.sql, types)
            takers.append(partial(self._note_prepared, key, name) if name else _ignore)
        self._pgconn.send_query_prepared(name, values, formats, Format.BINARY)
        takers.append(partial(self._answer, question))
        return takers

    def _note_prepared(self, key: Key, name: bytes, result: PGresult) -> None:
        self._prepared[key] = name

    def _answer(self, question: PostponedQuestion, result: PGresult) -> None:
        names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
        self._transformer.set_pgresult(result)
        rows = self._transformer.load_rows(
            0, result.ntuples, lambda values: dict(zip(names, values, strict=True))
        )
        question.answer(rows, result.command_tuples or 0)


def _ignore(result: PGresult) -> None:
    """Only the success of the statement matters."""
