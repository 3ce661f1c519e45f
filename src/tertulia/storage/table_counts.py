"""Row counts: over all organizations for the metrics, and what a user has created for limits."""

from tertulia.database.tx import Tx
from tertulia.domain.people.user import User

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


def created_channels(tx: Tx, user: User) -> int:
    return _count(tx, user, "channel", "creator_id")


def created_groups(tx: Tx, user: User) -> int:
    return _count(tx, user, "user_group", "creator_id")


def created_emoji(tx: Tx, user: User) -> int:
    return _count(tx, user, "emoji", "author_id")


def _count(tx: Tx, user: User, table: str, maker: str) -> int:
    """A user and their bots count together."""
    return tx.number(
        f"SELECT count(*) AS value FROM {table} t WHERE t.realm_id = :realm AND t.{maker} IN"
        " (SELECT a.id FROM account a WHERE a.id = :owner OR a.bot_owner_id = :owner)",
        owner=user.bot_owner_id or user.id,
    )
