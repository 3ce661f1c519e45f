"""Which jobs have something to do, over all organizations in one statement."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.outbox import Transport

EXPORT = (
    "SELECT 1 FROM realm_export WHERE path_id IS NULL AND failed_at IS NULL AND deleted_at IS NULL"
)
PENDING_FLAG = "SELECT 1 FROM pending_flag"
UPLOAD = "SELECT 1 FROM upload WHERE touched_at < :now"


def outbox(transport: Transport) -> str:
    return f"SELECT 1 FROM outbox WHERE transport = '{transport}' AND due_at <= :now"


def which(tx: Tx, names: Sequence[str]) -> set[str]:
    """The queries that return a row."""
    columns = ", ".join(f"EXISTS ({sql}) AS q{number}" for number, sql in enumerate(names))
    row = tx.one(f"SELECT {columns}", now=tx.now)
    assert row is not None
    return {sql for number, sql in enumerate(names) if row[f"q{number}"]}


def next_delivery(tx: Tx) -> float | None:
    """When the next scheduled message or reminder is due."""
    row = tx.one(
        "SELECT min(deliver_at) AS value FROM ("
        "SELECT deliver_at FROM scheduled_message WHERE sent_at IS NULL AND NOT failed"
        " UNION ALL SELECT deliver_at FROM reminder WHERE NOT failed) AS waiting"
    )
    assert row is not None
    return None if row["value"] is None else float(row["value"])
