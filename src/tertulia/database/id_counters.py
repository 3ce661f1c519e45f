"""Counters of ids, and how far they jump when some of the ids they assigned may be lost.

A restored backup and a standby that takes over may lack the last transactions. Clients know the ids
of these. No id may be assigned twice, so all counters jump ahead.
"""

from tertulia.database.tx import Tx

MIN_JUMP = 1_000_000
JUMP_PER_SECOND = 20  # more ids than a server assigns in a second, on average


def jump_after(seconds: float) -> int:
    """How far to jump if transactions of this many seconds may be missing."""
    return MIN_JUMP + int(JUMP_PER_SECOND * max(0.0, seconds))


def counters(tx: Tx) -> dict[str, int]:
    """The last assigned id by table, ids of deleted rows included."""
    deleted = _newest_deleted(tx)
    newest = tx.value("SELECT max(id) AS value FROM message")
    known = tx.bulk.counters()
    return known | {"message": max(known.get("message", 0), newest or 0, deleted)}


def jump(tx: Tx, counters: dict[str, int], by: int) -> None:
    """Move the counters of ids and of events ahead. The schema must be up to date."""
    jump_ids(tx, counters, by)
    tx.execute("UPDATE log_head SET seq = seq + :by", by=by)


def jump_ids(tx: Tx, counters: dict[str, int], by: int) -> None:
    """Move all counters ahead except those of events: queues are positions in the log."""
    for table, last in counters.items():
        tx.bulk.set_counter(table, last + by)
    tx.execute("DELETE FROM newest_deleted_message")
    tx.execute(
        "INSERT INTO newest_deleted_message (realm_id, newest)"
        " SELECT min(id), :newest FROM realm HAVING count(*) > 0",
        newest=counters["message"] + by,
    )
    tx.execute("UPDATE presence SET update_id = update_id + :by", by=by)


def _newest_deleted(tx: Tx) -> int:
    """The newest id of a deleted message; also in data that is not upgraded yet."""
    names = (
        row["table_name"]
        for row in tx.all(tx.dialect.sql.columns)
        if row["column_name"] == "newest"
    )
    return max((tx.number(f"SELECT max(newest) AS value FROM {name}") for name in names), default=0)
