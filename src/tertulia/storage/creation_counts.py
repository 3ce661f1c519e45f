"""How many shared things users have created, deactivated ones included."""

from tertulia.database.tx import Tx
from tertulia.domain.people.user import User


def channels(tx: Tx, user: User) -> int:
    return _count(tx, user, "channel", "creator_id")


def groups(tx: Tx, user: User) -> int:
    return _count(tx, user, "user_group", "creator_id")


def emoji(tx: Tx, user: User) -> int:
    return _count(tx, user, "emoji", "author_id")


def _count(tx: Tx, user: User, table: str, maker: str) -> int:
    """A user and their bots count together."""
    return tx.number(
        f"SELECT count(*) AS value FROM {table} t WHERE t.realm_id = :realm AND t.{maker} IN"
        " (SELECT a.id FROM account a WHERE a.id = :owner OR a.bot_owner_id = :owner)",
        owner=user.bot_owner_id or user.id,
    )
