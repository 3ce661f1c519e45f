"""Counts what transactions do: their statements, and the rows that these change and return.

Time depends on the machine; these numbers do not. `latency_guard.WatchedDatabase` counts the writes
of all calls while a test records, and not those of jobs.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tertulia.database.dialect import BulkLoad, Cursor
from tertulia.database.tx import Tx

_CHANGES = re.compile(r"\s*(INSERT|UPDATE|DELETE|WITH\b.*\b(INSERT|UPDATE|DELETE))\b", re.S)


@dataclass
class CountedWrite:
    """One transaction. A statement for many rows counts once, and changes many rows."""

    action: str
    statements: int = 0
    rows: int = 0  # that are changed
    fetched: int = 0
    seconds: float = 0.0


class WriteCounter:
    def __init__(self) -> None:
        self._recorded: list[CountedWrite] | None = None

    @contextmanager
    def recording(self) -> Iterator[list[CountedWrite]]:
        """The writes that servers run meanwhile."""
        recorded: list[CountedWrite] = []
        self._recorded = recorded
        try:
            yield recorded
        finally:
            self._recorded = None

    def counted(self, action: Callable[..., Any], clock: Callable[[], float]) -> Callable[..., Any]:
        @functools.wraps(action)
        def run(tx: Tx, *args: Any) -> Any:
            if self._recorded is None:
                return action(tx, *args)
            write = CountedWrite(f"{action.__module__}.{action.__qualname__}")
            self._recorded.append(write)
            dialect: Any = _CountingDialect(tx.dialect, write)
            tx.dialect = dialect
            began = clock()
            try:
                return action(tx, *args)
            finally:
                write.seconds = clock() - began

        return run


COUNTER = WriteCounter()


class _CountingCursor:
    def __init__(self, cursor: Cursor, write: CountedWrite) -> None:
        self.cursor = cursor
        self._write = write

    @property
    def rowcount(self) -> int:
        return self.cursor.rowcount

    def fetchone(self) -> Any:
        self._write.fetched += 1
        return self.cursor.fetchone()

    def fetchall(self) -> list[Any]:
        found = self.cursor.fetchall()
        self._write.fetched += len(found)
        return found


class _CountingDialect:
    """A dialect that counts what is run through it."""

    def __init__(self, dialect: Any, write: CountedWrite) -> None:
        self._dialect = dialect
        self._write = write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dialect, name)

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
        cursor: Cursor = self._dialect.run(connection, sql, params)
        self._write.statements += 1
        if _CHANGES.match(sql):
            # The database counts the rows of a query that changes them once all are fetched.
            self._write.rows += 1 if "RETURNING" in sql else max(0, cursor.rowcount)
        return _CountingCursor(cursor, self._write)

    def tuples(self, cursor: "_CountingCursor") -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._dialect.tuples(cursor.cursor)
        self._write.fetched += len(found)
        return found

    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None:
        self._write.statements += 1
        self._write.rows += len(params)
        self._dialect.run_many(connection, sql, params)

    def bulk_load(self, connection: Any) -> "_CountingBulkLoad":
        return _CountingBulkLoad(self._dialect.bulk_load(connection), self._write)


class _CountingBulkLoad:
    def __init__(self, bulk: BulkLoad, write: CountedWrite) -> None:
        self._bulk = bulk
        self._write = write

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        listed = list(rows)
        self._write.statements += 1
        self._write.rows += len(listed)
        self._bulk.load_rows(table, columns, listed)
