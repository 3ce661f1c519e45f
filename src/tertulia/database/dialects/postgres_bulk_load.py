"""Suspends foreign keys and indexes during a bulk load into PostgreSQL."""

from typing import Any


def suspend_indexes(connection: Any) -> list[str]:
    """Drop them. Returns the statements that create them again."""
    references = connection.execute(
        "SELECT conrelid::regclass::text AS table_name, conname,"
        " pg_get_constraintdef(oid) AS definition FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
    ).fetchall()
    indexes = connection.execute(
        "SELECT c.relname, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE c.relnamespace = current_schema()::regnamespace"
        " AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)"
    ).fetchall()
    for row in references:
        connection.execute(f"ALTER TABLE {row['table_name']} DROP CONSTRAINT {row['conname']}")
    for row in indexes:
        connection.execute(f"DROP INDEX {row['relname']}")
    return [row["definition"] for row in indexes] + [
        f"ALTER TABLE {row['table_name']} ADD CONSTRAINT {row['conname']} {row['definition']}"
        for row in references
    ]
