"""Loading and reading whole tables of a SQLite file in the fastest way."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from tertulia.memo import memoized

ROWS_PER_INSERT = 32  # rows per INSERT; each number of rows is another prepared statement


class SqliteBulkLoad:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Many rows per statement. The interpreter lock is free while it runs."""
        left, names = iter(rows), tuple(columns)
        while some := list(islice(left, ROWS_PER_INSERT)):
            values = list(chain.from_iterable(some))
            self._connection.execute(_insert(table, names, len(some)), values)

    def allocate_ids(self, table: str) -> None:
        """Nothing to do: SQLite looks at the largest id."""

    def counters(self) -> dict[str, int]:
        rows = self._connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
        return {row["name"]: row["seq"] for row in rows}

    def set_counter(self, table: str, last: int) -> None:
        self._connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self._connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last)
        )

    def stream_rows(self, table: str, columns: Mapping[str, str]) -> Iterator[Sequence[Any]]:
        cursor = self._connection.cursor()
        cursor.row_factory = None
        # Return the rows, not the cursor: it could be closed after its self._connection.
        yield from chain(cursor.execute(f"SELECT {', '.join(columns)} FROM {table}"))

    def start(self) -> None:
        """Turn off durability: the file is new and is discarded after a failure."""
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF"):
            self._connection.execute(f"PRAGMA {pragma}")

    def end(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")

    def suspend_indexes(self) -> list[str]:
        rows = self._connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        for row in rows:
            self._connection.execute(f"DROP INDEX {row['name']}")
        return [row["sql"] for row in rows]

    def analyze(self) -> None:
        """Nothing to do: the planner uses no statistics."""

    def truncate_wal(self) -> bool:
        """Copy the write-ahead log into the file and empty it; False while there are readers."""
        busy: int = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not busy


@memoized("sqlite_inserts", 2048)
def _insert(table: str, columns: tuple[str, ...], count: int) -> str:
    row = f"({', '.join('?' for _ in columns)})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * count)}"
