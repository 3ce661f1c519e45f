"""Loading and reading whole tables of PostgreSQL in the fastest way."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class PostgresBulkLoad:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        sql = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
        with self._connection.cursor().copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    def allocate_ids(self, table: str) -> None:
        self._connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"
        )

    def counters(self) -> dict[str, int]:
        rows = self._connection.execute(
            "SELECT c.table_name, s.last_value FROM information_schema.columns c"
            " JOIN pg_sequences s ON s.schemaname = current_schema() AND"
            " format('%I.%I', s.schemaname, s.sequencename)"
            " = pg_get_serial_sequence(c.table_name, c.column_name)"
            " WHERE c.table_schema = current_schema() AND c.is_identity = 'YES'"
        ).fetchall()
        return {row["table_name"]: row["last_value"] or 0 for row in rows}

    def set_counter(self, table: str, last: int) -> None:
        self._connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
            f" {max(last, 1):d}, {bool(last)})"
        )

    def stream_rows(self, table: str, columns: Mapping[str, str]) -> Iterator[Sequence[Any]]:
        sql = f"COPY (SELECT {', '.join(columns)} FROM {table}) TO STDOUT (FORMAT BINARY)"
        with self._connection.cursor().copy(sql) as copy:
            copy.set_types(list(columns.values()))
            yield from copy.rows()

    def start(self) -> None:
        """Use one core at most. Other transactions see nothing before the commit."""
        self._connection.execute("SET max_parallel_maintenance_workers = 0")

    def end(self) -> None:
        """Nothing to do: the connection is closed afterwards."""

    def analyze(self) -> None:
        """ANALYZE now, as autovacuum would a few minutes later."""
        self._connection.execute("VACUUM (ANALYZE)")

    def truncate_wal(self) -> bool:
        """Nothing to do: PostgreSQL recycles its log by itself."""
        return True

    def suspend_indexes(self) -> list[str]:
        """Drop them. Returns the statements that create them again."""
        references = self._connection.execute(
            "SELECT conrelid::regclass::text AS table_name, conname,"
            " pg_get_constraintdef(oid) AS definition FROM pg_constraint"
            " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        ).fetchall()
        indexes = self._connection.execute(
            "SELECT c.relname, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i"
            " JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE c.relnamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)"
        ).fetchall()
        for row in references:
            self._connection.execute(
                f"ALTER TABLE {row['table_name']} DROP CONSTRAINT {row['conname']}"
            )
        for row in indexes:
            self._connection.execute(f"DROP INDEX {row['relname']}")
        return [row["definition"] for row in indexes] + [
            f"ALTER TABLE {row['table_name']} ADD CONSTRAINT {row['conname']} {row['definition']}"
            for row in references
        ]
