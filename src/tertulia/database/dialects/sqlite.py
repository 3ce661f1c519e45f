"""SQLite, embedded: one file, one writer, reads on the caller's thread.

`synchronous=FULL` with a write-ahead log: a commit that returned is on the disk.
"""

import hashlib
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tertulia.database.dialect import BulkLoad, Cursor, Failures, SqlSpelling
from tertulia.database.dialects import sqlite_check, sqlite_failures, sqlite_sql
from tertulia.database.dialects.sqlite_bulk_load import SqliteBulkLoad
from tertulia.database.dialects.sqlite_cluster import SqliteCluster
from tertulia.errors.parameters import NulInText
from tertulia.memo import memoized

PAGE_BYTES = 2048  # a send touches about eight pages, and each is written as a whole
WAL_CHECKPOINT_PAGES = (
    4000  # pages in the write-ahead log before a commit copies them into the file
)
MAX_CACHED_STATEMENTS = 500  # prepared statements per connection; we have about that many

_BUSY_TIMEOUT_MS = 5000  # timeout for the lock of another program
_IN_LIST = re.compile(r"\bIN :([a-z_]+)")


class _Connection(sqlite3.Connection):
    """Remembers its lock timeout: setting it before each write takes a while."""

    _busy_timeout_ms = -1

    def set_busy_timeout(self, milliseconds: int) -> None:
        if milliseconds != self._busy_timeout_ms:
            self.execute(f"PRAGMA busy_timeout = {milliseconds}")
            self._busy_timeout_ms = milliseconds


class Sqlite:
    name = "sqlite"
    is_embedded = True
    sql: SqlSpelling = sqlite_sql
    bulk_load: type[BulkLoad] = SqliteBulkLoad
    failures: Failures = sqlite_failures

    def __init__(self, path: Path) -> None:
        self.path = path
        self.node = ""
        self.cluster = SqliteCluster(self.connect)

    def connect(self, *, to_serve: bool = False) -> sqlite3.Connection:
        connection = self._open()
        connection.create_function("sha256", 1, _sha256, deterministic=True)
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # only affects an empty file
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # the default depends on the build
        connection.execute("PRAGMA cache_size = -8000")
        connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_CHECKPOINT_PAGES}")
        connection.execute("PRAGMA journal_size_limit = 16777216")
        return connection

    def _open(self) -> _Connection:
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=MAX_CACHED_STATEMENTS,
            factory=_Connection,
        )
        connection.row_factory = sqlite3.Row
        return connection

    async def connect_to_append(self) -> Any:
        """Never called: the event loop writes the file itself."""
        raise NotImplementedError

    def connect_to_write(self, *, prepares: bool = False) -> sqlite3.Connection:
        return self.connect(to_serve=True)

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
        has_lists = False
        for value in params.values():
            if type(value) is list:
                has_lists = True
            elif type(value) is str and "\0" in value:
                raise NulInText()
        if has_lists:
            return _run_with_lists(connection, sql, params)
        cursor: Cursor = connection.execute(sql, params)
        return cursor

    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None:
        connection.executemany(_translate(sql), [_bind(row) for row in params])

    def tuples(self, cursor: Cursor) -> list[tuple[Any, ...]]:
        assert isinstance(cursor, sqlite3.Cursor)
        cursor.row_factory = None
        return cursor.fetchall()

    def command(self, connection: Any, sql: str) -> None:
        connection.execute(sql)

    def begin_read(self, connection: Any) -> None:
        connection.execute("BEGIN")

    def end_read(self, connection: Any) -> None:
        connection.execute("ROLLBACK")

    def begin_write(self, connection: Any) -> None:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        connection.execute("BEGIN IMMEDIATE")

    def begin_write_nowait(self, connection: Any) -> None:
        """Raises if another program is writing to the file."""
        connection.set_busy_timeout(0)
        connection.execute("BEGIN IMMEDIATE")

    def lock_organization(self, connection: Any, realm_id: int) -> None:
        """Nothing to do: BEGIN IMMEDIATE has the lock of the file."""

    lock_organization_last = lock_organization

    def try_lock_organization(self, connection: Any, realm_id: int) -> bool:
        """Always: BEGIN IMMEDIATE has the lock of the file."""
        return True

    def limit_migration(self, connection: Any) -> None:
        """Nothing to do: a SQLite file has one server."""

    def lock_schema(self, connection: Any) -> None:
        """Nothing to do, for the same reason."""

    def interrupt(self, connection: Any) -> None:
        connection.interrupt()

    def has_table(self, connection: Any, table: str) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return connection.execute(sql, (table,)).fetchone() is not None

    def integrity_problems(self, connection: Any) -> list[str]:
        return sqlite_check.problems(connection)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _run_with_lists(connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
    """Lists are passed as JSON. A list with one value, as most have, is passed as that value."""
    cursor: Cursor
    if all(len(value) == 1 for value in params.values() if type(value) is list):
        cursor = connection.execute(_translate_single(sql), _bind_single(params))
    else:
        cursor = connection.execute(_translate(sql), _bind(params))
    return cursor


@memoized("sqlite_sql", 2048)
def _translate(sql: str) -> str:
    return _IN_LIST.sub(r"IN (SELECT value FROM json_each(:\1))", sql)


@memoized("sqlite_sql_single", 2048)
def _translate_single(sql: str) -> str:
    return _IN_LIST.sub(r"IN (:\1)", sql)


def _bind(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: msgspec.json.encode(value).decode() if type(value) is list else value
        for name, value in params.items()
    }


def _bind_single(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value[0] if type(value) is list else value for name, value in params.items()}
