"""Row counts over all organizations, for the metrics."""

from tertulia.database.tx import Tx

_COUNTS = {
    "people": "SELECT count(*) AS value FROM account WHERE is_active AND bot_type IS NULL",
    "messages": "SELECT count(*) AS value FROM message",
    "queues": "SELECT count(*) AS value FROM queue",
    "log_events": "SELECT count(*) AS value FROM event",
    "upload_bytes": "SELECT coalesce(sum(upload_bytes), 0) AS value FROM realm",
}
NAMES = (*_COUNTS, "database_bytes")


def count(tx: Tx) -> dict[str, int]:
    found = {name: tx.number(sql) for name, sql in _COUNTS.items()}
    return found | {"database_bytes": tx.number(tx.dialect.sql.size)}
