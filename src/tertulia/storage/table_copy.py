"""All rows of all tables, for a backup and for the way into another database.

What a copy cannot hold is left out: event queues, and the log that they are positions in. A client
that had gone further than the copy would otherwise miss what lies between without knowing it.
"""

from collections.abc import Iterable, Iterator, Sequence
from graphlib import TopologicalSorter
from typing import Any

from tertulia.database.tx import Tx

# A copy that is restored beside the original is another installation.
LEFT_OUT = frozenset(
    {"schema_version", "schema_change", "event", "queue", "file_hold", "installation"}
)

Tables = dict[str, dict[str, str]]  # the columns of each table, and their types


def tables(tx: Tx) -> Tables:
    """The tables of a copy, each after those that it refers to."""
    found: Tables = {}
    for row in tx.all(tx.dialect.columns):
        if row["table_name"] not in LEFT_OUT:
            found.setdefault(row["table_name"], {})[row["column_name"]] = row["type"]
    before: dict[str, set[str]] = {name: set() for name in found}
    for row in tx.all(tx.dialect.declared_references):
        if row["table_name"] in found and row["target"] != row["table_name"]:
            before[row["table_name"]].add(row["target"])
    return {name: found[name] for name in TopologicalSorter(before).static_order()}


def count(tx: Tx, table: str) -> int:
    return tx.number(f"SELECT count(*) AS value FROM {table}")


def rows(tx: Tx, table: str, columns: dict[str, str]) -> Iterator[Sequence[Any]]:
    return tx.stream_rows(table, columns)


def load(tx: Tx, table: str, columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    tx.load_rows(table, list(columns), rows)


def make_again(tx: Tx, statements: list[str]) -> None:
    """What `Tx.suspend_indexes` has dropped."""
    for statement in statements:
        tx.execute(statement)


def counters(tx: Tx) -> dict[str, int]:
    """The last id that was given out, by table. What was deleted had one too."""
    deleted = has_deleted_messages(tx) and tx.value(
        "SELECT max(newest) AS value FROM deleted_message"
    )
    newest = tx.value("SELECT max(id) AS value FROM message")
    known = tx.counters()
    return known | {"message": max(known.get("message", 0), newest or 0, deleted or 0)}


def has_deleted_messages(tx: Tx) -> bool:
    """Whether the schema is so new that it remembers the newest message when it is deleted."""
    return any(row["table_name"] == "deleted_message" for row in tx.all(tx.dialect.columns))


# What was on its way out when a copy was made has left since.
ERRANDS = (
    "letter",
    "login_departure",
    "login_token",
    "missed_message",
    "missed_timer",
    "push_notice",
    "webhook_call",
)


def drop_pending_jobs(tx: Tx) -> None:
    for table in ERRANDS:
        tx.execute(f"DELETE FROM {table}")
    tx.execute(
        "UPDATE missed_position SET seq ="
        " (SELECT h.seq FROM log_head h WHERE h.realm_id = missed_position.realm_id)"
    )


# How many ids may have been given out since a copy was made, at the very most.
LEAP = 1_000_000
LEAP_PER_SECOND = 20


def leap_after(seconds: float) -> int:
    """How far to leap if a copy is so old."""
    return LEAP + int(LEAP_PER_SECOND * max(0.0, seconds))


def leap(tx: Tx, counters: dict[str, int], by: int) -> None:
    """Go on counting so far from where a copy was made that no number is given out twice.

    The schema must be up to date.
    """
    leap_ids(tx, counters, by)
    tx.execute("UPDATE log_head SET seq = seq + :by", by=by)


def leap_ids(tx: Tx, counters: dict[str, int], by: int) -> None:
    """The same for everything but the log, in which queues are positions."""
    for table, last in counters.items():
        tx.count_from(table, last + by)
    tx.execute("DELETE FROM deleted_message")
    tx.execute(
        "INSERT INTO deleted_message (realm_id, newest)"
        " SELECT min(id), :newest FROM realm HAVING count(*) > 0",
        newest=counters["message"] + by,
    )
    tx.execute("UPDATE presence SET update_id = update_id + :by", by=by)
