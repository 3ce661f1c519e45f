"""The SQLite dialect on the simulated disk: apsw in the shape of Python's `sqlite3`.

Python's `sqlite3` cannot use a VFS of ours. This module gives apsw's connections the methods that
the dialect calls, and the errors that it expects.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import apsw
from tests.simulation.disk import VFS_NAME

from tertulia.database.dialects.sqlite import Sqlite


class SimulatedSqlite(Sqlite):
    def _open(self) -> Any:
        return Connection(self.path)

    def tuples(self, cursor: Any) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = cursor.fetch_tuples()
        return found


_EMPTY = sqlite3.connect(":memory:", check_same_thread=False)


@cache
def _with_columns(*names: str) -> sqlite3.Cursor:
    """A cursor of `sqlite3` that describes these columns, which its rows need."""
    return _EMPTY.execute("SELECT " + ", ".join(f'0 AS "{name}"' for name in names))


class Cursor:
    def __init__(self, connection: "Connection", cursor: apsw.Cursor) -> None:
        self._connection, self._cursor = connection, cursor
        self.row_factory: Any = None
        self._shape: sqlite3.Cursor | None = None

    def execute(self, sql: str, params: Any = None) -> "Cursor":
        try:
            self._cursor.execute(sql, params)
        except apsw.Error as error:
            raise translated(error) from None
        return self

    def _row(self, values: tuple[Any, ...]) -> sqlite3.Row:
        if self._shape is None:
            self._shape = _with_columns(*[each[0] for each in self._cursor.get_description()])
        return sqlite3.Row(self._shape, values)

    def fetchone(self) -> Any:
        try:
            values = self._cursor.fetchone()
            return None if values is None else self._row(values)
        except apsw.Error as error:
            raise translated(error) from None

    def fetch_tuples(self) -> list[tuple[Any, ...]]:
        try:
            return self._cursor.fetchall()
        except apsw.Error as error:
            raise translated(error) from None

    def fetchall(self) -> list[Any]:
        rows = []
        while (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetch_tuples() if self.row_factory is None else self.fetchall())

    @property
    def rowcount(self) -> int:
        return self._connection.raw.changes()


class Connection:
    def __init__(self, path: Path) -> None:
        try:
            self.raw = apsw.Connection(str(path), vfs=VFS_NAME, statementcachesize=500)
        except apsw.Error as error:
            raise translated(error) from None
        self.row_factory: Any = None
        self._busy_timeout_ms = -1

    def cursor(self) -> Cursor:
        return Cursor(self, self.raw.cursor())

    def execute(self, sql: str, params: Mapping[str, Any] | Sequence[Any] = ()) -> Cursor:
        return self.cursor().execute(sql, params or None)

    def executemany(self, sql: str, rows: Iterable[Any]) -> None:
        for row in rows:
            self.execute(sql, row)

    def create_function(
        self, name: str, count: int, function: Any, *, deterministic: bool = False
    ) -> None:
        self.raw.create_scalar_function(name, function, count, deterministic=deterministic)

    def set_busy_timeout(self, milliseconds: int) -> None:
        if milliseconds != self._busy_timeout_ms:
            self.raw.set_busy_timeout(milliseconds)
            self._busy_timeout_ms = milliseconds

    def interrupt(self) -> None:
        self.raw.interrupt()

    def close(self) -> None:
        """SQLite closes the file even if it cannot copy the write-ahead log into it, and reports
        no error. apsw raises what the disk has raised."""
        with contextlib.suppress(apsw.IOError, apsw.FullError):
            self.raw.close(True)


_KINDS = {
    apsw.ConstraintError: sqlite3.IntegrityError,
    apsw.CorruptError: sqlite3.DatabaseError,
    apsw.NotADBError: sqlite3.DatabaseError,
}


def translated(error: apsw.Error) -> sqlite3.Error:
    """The error that Python's `sqlite3` would raise."""
    found = _KINDS.get(type(error), sqlite3.OperationalError)(str(error))
    code = getattr(error, "extendedresult", 0) or getattr(error, "result", 0)
    found.sqlite_errorcode = code
    names = apsw.mapping_extended_result_codes | apsw.mapping_result_codes
    found.sqlite_errorname = str(names.get(code, code))
    return found
