"""SQLite, embedded: one file, one writer, reads on the caller's thread.

`synchronous=FULL` with a write-ahead log: a commit that returned is on the disk.
"""

import asyncio
import hashlib
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from tertulia.database import change_watch
from tertulia.database.change_watch import Changed
from tertulia.database.dialects import sqlite_check
from tertulia.database.tx import Cursor
from tertulia.errors.parameters import NulInText
from tertulia.memo import memoized

POLL_SECONDS = 0.1
PAGE_BYTES = 2048  # a send touches about eight pages, and each is written as a whole
WAL_CHECKPOINT_PAGES = (
    4000  # pages in the write-ahead log before a commit copies them into the file
)
ROWS_PER_INSERT = 32  # rows per INSERT; each number of rows is another prepared statement
MAX_CACHED_STATEMENTS = 500  # prepared statements per connection; we have about that many

_BUSY_TIMEOUT_MS = 5000  # timeout for the lock of another program
_IN_LIST = re.compile(r"\bIN :([a-z_]+)")

# Errors that the operating system or another process causes, not our SQL.
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
    }
)

_DISK_FAILURES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
    }
)


class _Connection(sqlite3.Connection):
    """Remembers its lock timeout: setting it before each write takes a while."""

    _busy_timeout_ms = -1

    def set_busy_timeout(self, milliseconds: int) -> None:
        if milliseconds != self._busy_timeout_ms:
            self.execute(f"PRAGMA busy_timeout = {milliseconds}")
            self._busy_timeout_ms = milliseconds


class Sqlite:
    name = "sqlite"
    types: Mapping[str, str] = {
        "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
        # AUTOINCREMENT writes one more page for every row, which is too expensive for messages.
        "numbered": "INTEGER PRIMARY KEY",
        "last_message_id": "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence"
        " WHERE name = 'message')",
        "blob": "BLOB",
        "unreadable_vote": (
            "json_valid(content) AND json_extract(content, '$.type') = 'vote' AND NOT ("
            "replace(coalesce(json_extract(content, '$.key'), ''), 'canned', '0')"
            " GLOB '[0-9]*,[0-9]*'"
            " AND replace(json_extract(content, '$.key'), 'canned', '0') NOT GLOB '*[^0-9,]*'"
            " AND json_extract(content, '$.key') NOT GLOB '*,*,*'"
            " AND length(json_extract(content, '$.key')) <= 16)"
        ),
        "bytewise": "",  # lower() changes only ASCII letters
        "clustered": " WITHOUT ROWID",
        "sha256_of_digest": "sha256(digest)",
        "random_id": "lower(hex(randomblob(16)))",
        "random_stamp": "(1 + abs(random() % 2147483646))",
    }
    declared_references = (
        'SELECT m.name AS table_name, f."from" AS column_name, f."table" AS target'
        " FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'"
    )
    columns = (
        "SELECT m.name AS table_name, c.name AS column_name, c.type AS type FROM sqlite_master m"
        " JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
        " ORDER BY m.name, c.cid"
    )
    next_message_id = (
        "(SELECT 1 + max(coalesce((SELECT max(id) FROM message), 0),"
        " coalesce((SELECT max(newest) FROM deleted_message), 0)))"
    )
    version = "SELECT 'SQLite ' || sqlite_version() AS value"
    size = "SELECT page_count * page_size AS value FROM pragma_page_count(), pragma_page_size()"
    is_embedded = True
    writes_in_queries = False
    row_lock = ""  # SQLite has one writer

    def __init__(self, path: Path) -> None:
        self.path = path
        self.node = ""

    def connect(self, *, to_serve: bool = False) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=MAX_CACHED_STATEMENTS,
            factory=_Connection,
        )
        connection.row_factory = sqlite3.Row
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

    def channel(self, name: str) -> str:
        """Never called: a file has one server."""
        return name

    async def connect_on_loop(
        self, on_notification: Any = None, channels: Sequence[str] = ()
    ) -> Any:
        """Never called: the event loop reads the file itself."""
        raise NotImplementedError

    async def connect_to_append(self) -> Any:
        """Never called: the event loop writes the file itself."""
        raise NotImplementedError

    def connect_to_write(self) -> sqlite3.Connection:
        return self.connect(to_serve=True)

    def connect_for_leader(self) -> sqlite3.Connection:
        return self.connect()

    def try_lead(self, connection: Any) -> bool:
        """Always: a file has one server."""
        return True

    def resign(self, connection: Any) -> None:
        """Nothing to do: a file has one server."""

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

    enqueue = run  # there are no round trips to save

    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None:
        connection.executemany(_translate(sql), [_bind(row) for row in params])

    def tuples(self, cursor: Cursor) -> list[tuple[Any, ...]]:
        assert isinstance(cursor, sqlite3.Cursor)
        cursor.row_factory = None
        return cursor.fetchall()

    def joined_ids(self, column: str) -> str:
        return f"group_concat({column})"

    def lower(self, text: str) -> str:
        return f"lower({text})"

    def floor(self, number: str) -> str:
        return f"CAST({number} AS INTEGER)"

    def byte_length(self, column: str) -> str:
        return f"length(CAST({column} AS BLOB))"

    def beside(self, group: str, value: str, sign: str, bound: str) -> str:
        return f"{group} = {value} AND id {sign} {bound}"

    def load_rows(
        self, connection: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None:
        """Many rows per statement. The interpreter lock is free while it runs."""
        left, names = iter(rows), tuple(columns)
        while some := list(islice(left, ROWS_PER_INSERT)):
            connection.execute(_insert(table, names, len(some)), list(chain.from_iterable(some)))

    def allocate_ids(self, connection: Any, table: str) -> None:
        """Nothing to do: SQLite looks at the largest id."""

    def counters(self, connection: Any) -> dict[str, int]:
        rows = connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
        return {row["name"]: row["seq"] for row in rows}

    def set_counter(self, connection: Any, table: str, last: int) -> None:
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))

    def stream_rows(
        self, connection: Any, table: str, columns: Mapping[str, str]
    ) -> Iterator[Sequence[Any]]:
        cursor = connection.cursor()
        cursor.row_factory = None
        # Return the rows, not the cursor: it could be closed after its connection.
        yield from chain(cursor.execute(f"SELECT {', '.join(columns)} FROM {table}"))

    def start_bulk_load(self, connection: Any) -> None:
        """Turn off durability: the file is new and is discarded after a failure."""
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF"):
            connection.execute(f"PRAGMA {pragma}")

    def end_bulk_load(self, connection: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")

    def suspend_indexes(self, connection: Any) -> list[str]:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        for row in rows:
            connection.execute(f"DROP INDEX {row['name']}")
        return [row["sql"] for row in rows]

    def truncate_wal(self, connection: Any) -> bool:
        """Copy the write-ahead log into the file and empty it; False while there are readers."""
        busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not busy

    def analyze(self, connection: Any) -> None:
        """Nothing to do: the planner uses no statistics."""

    def command(self, connection: Any, sql: str) -> None:
        connection.execute(sql)

    def flush(self, connection: Any) -> None:
        """Nothing to do: each statement runs at once."""

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

    def try_lock_organization(self, connection: Any, realm_id: int) -> bool:
        """Always: BEGIN IMMEDIATE has the lock of the file."""
        return True

    def limit_migration(self, connection: Any) -> None:
        """Nothing to do: a SQLite file has one server."""

    def is_migration_conflict(self, error: BaseException) -> bool:
        """Never, for the same reason."""
        return False

    def lock_schema(self, connection: Any) -> None:
        """Nothing to do, for the same reason."""

    def notify_all(self, connection: Any) -> None:
        """Nothing to do: other processes poll `PRAGMA data_version`."""

    def is_outage(self, error: BaseException) -> bool:
        code = getattr(error, "sqlite_errorcode", None)
        return isinstance(error, sqlite3.Error) and code is not None and code & 0xFF in _OUTAGES

    def is_lock_timeout(self, error: BaseException) -> bool:
        """Never: organizations have no locks of their own."""
        return False

    def may_have_committed(self, error: BaseException) -> bool:
        """Whether a COMMIT may have been done although it raised this error.

        A commit writes its frames to the log in order, and the last one makes it valid. A failed
        write is therefore no commit. If the frames were written and could not be synced, the next
        process that opens the file may find a valid commit.
        """
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if code is None:
            return True
        return code & 0xFF == sqlite3.SQLITE_IOERR and code != sqlite3.SQLITE_IOERR_WRITE

    def disk_failure(self, error: BaseException) -> str | None:
        """The name of a disk error; None for other errors."""
        code = getattr(error, "sqlite_errorcode", None)
        if code is None or code & 0xFF not in _DISK_FAILURES:
            return None
        name = str(getattr(error, "sqlite_errorname", code))
        is_full = code & 0xFF == sqlite3.SQLITE_FULL
        return f"{name} (ENOSPC): the disk is full" if is_full else name

    def check_fitness(self) -> None:
        """Nothing to do: no pooler is involved."""

    def peers_query(self) -> tuple[str, dict[str, Any]]:
        """Never called: a file has one server."""
        raise NotImplementedError

    def serving_nodes_query(self) -> tuple[str, dict[str, Any]]:
        """Never called: a file has one server."""
        raise NotImplementedError

    def has_peers(self, connection: Any) -> bool:
        """Always False: the lock on the folder keeps other servers away."""
        return False

    def own_clock(self) -> Callable[[], float]:
        return time.time

    def time(self, connection: Any) -> float | None:
        """None: SQLite has no clock of its own."""
        return None

    def timeline(self, connection: Any) -> str:
        """Empty: a file has one timeline. `tertulia restore` begins a new epoch."""
        return ""

    def has_table(self, connection: Any, table: str) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return connection.execute(sql, (table,)).fetchone() is not None

    def integrity_problems(self, connection: Any) -> list[str]:
        return sqlite_check.problems(connection)

    async def watch(self, changed: Changed) -> None:
        """Poll a few times a second whether the file has changed."""
        connection = self.connect()
        try:
            known = self.data_version(connection)
            while True:
                await asyncio.sleep(POLL_SECONDS)
                try:
                    version = self.data_version(connection)
                    if version != known:
                        await changed(None)
                        known = version
                except Exception as error:
                    change_watch.log_failure(error, self.is_outage(error))
        finally:
            connection.close()

    def data_version(self, connection: Any) -> int:
        """A number that changes whenever another connection commits."""
        version: int = connection.execute("PRAGMA data_version").fetchone()[0]
        return version


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


@memoized("sqlite_inserts", 2048)
def _insert(table: str, columns: tuple[str, ...], count: int) -> str:
    row = f"({', '.join('?' for _ in columns)})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * count)}"


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
