"""All rows of all tables, for backups and for copies to another database.

A copy leaves out event queues and the log, in which they are positions. A client that had read
further than the copy would otherwise miss events without noticing.
"""

from collections.abc import Iterable, Iterator, Sequence
from graphlib import TopologicalSorter
from typing import Any

from tertulia.database.tx import Tx

# A restored copy beside the original is another installation.
SKIPPED_TABLES = frozenset(
    {"schema_version", "schema_change", "event", "queue", "file_hold", "installation"}
)

Tables = dict[str, dict[str, str]]  # the columns of each table, and their types


def tables(tx: Tx) -> Tables:
    """The tables of a copy, each after those that it refers to."""
    found: Tables = {}
    for row in tx.all(tx.dialect.sql.columns):
        if row["table_name"] not in SKIPPED_TABLES:
            found.setdefault(row["table_name"], {})[row["column_name"]] = row["type"]
    before: dict[str, set[str]] = {name: set() for name in found}
    for row in tx.all(tx.dialect.sql.declared_references):
        if row["table_name"] in found and row["target"] != row["table_name"]:
            before[row["table_name"]].add(row["target"])
    return {name: found[name] for name in TopologicalSorter(before).static_order()}


def count(tx: Tx, table: str) -> int:
    return tx.number(f"SELECT count(*) AS value FROM {table}")


def rows(tx: Tx, table: str, columns: dict[str, str]) -> Iterator[Sequence[Any]]:
    return tx.bulk.stream_rows(table, columns)


def load(tx: Tx, table: str, columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    tx.bulk.load_rows(table, list(columns), rows)


def run_statements(tx: Tx, statements: list[str]) -> None:
    """Create again what `BulkLoad.suspend_indexes` has dropped."""
    for statement in statements:
        tx.execute(statement)


# The outbox and pending logins: the original sends or finishes them itself.
ERRANDS = (
    "pending_login",
    "login_token",
    "missed_message",
    "missed_timer",
    "outbox",
    "push_notice",
)


def drop_pending_jobs(tx: Tx) -> None:
    for table in ERRANDS:
        tx.execute(f"DELETE FROM {table}")
    tx.execute(
        "UPDATE missed_position SET seq ="
        " (SELECT h.seq FROM log_head h WHERE h.realm_id = missed_position.realm_id)"
    )
