"""Flags of messages that few readers have, stored as rows: mentioned, starred, historical.

`unread.flags_for` combines them with the read state.
"""

from collections.abc import Sequence
from typing import Any

from tertulia.database.tx import Tx

DENSE = 50  # ids count as neighbours if at least one in so many is requested

# The flags that clients get, in order; `unread_notice` is internal.
SHOWN = (
    "starred",
    "collapsed",
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "historical",
    "has_alert_word",
)
_FLAGS = (*SHOWN, "unread_notice")


def flags_of(tx: Tx, user_id: int, message_ids: Sequence[int]) -> dict[int, set[str]]:
    """The flags of these messages for a user, except `read`."""
    found: dict[int, set[str]] = {}
    if not message_ids:
        return found
    first, last = min(message_ids), max(message_ids)
    is_dense = last - first < DENSE * len(message_ids)
    rows = tx.all(
        # For neighbours, each flag is read as one range; other ids are looked up one by one.
        f"SELECT message_id, flag FROM message_flag WHERE user_id = :user AND flag IN {_FLAGS}"
        " AND message_id >= :first AND message_id <= :last"
        if is_dense
        else "SELECT message_id, flag FROM message_flag WHERE message_id IN :ids"
        " AND user_id = :user",
        user=user_id,
        **({"first": first, "last": last} if is_dense else {"ids": list(message_ids)}),
    )
    for row in rows:
        found.setdefault(row["message_id"], set()).add(row["flag"])
    return found


def with_flag(tx: Tx, user_id: int, *flags: str, since: int = 0) -> list[int]:
    """The messages, from one on, with one of some flags for a user."""
    return tx.column(
        "SELECT message_id FROM message_flag WHERE user_id = :user AND flag IN :flags"
        " AND message_id >= :since ORDER BY message_id",
        user=user_id,
        flags=list(flags),
        since=since,
    )


def wildcards_since(tx: Tx, message_id: int) -> list[int]:
    """The messages, from one on, with a wildcard mention in their channel."""
    return tx.column(
        "SELECT id FROM message WHERE realm_id = :realm AND id >= :since AND channel_wildcard",
        since=message_id,
    )


def add_flag(tx: Tx, flag: str, user_ids: Sequence[int], message_id: int) -> None:
    """Set a flag of one message for some users."""
    if user_ids:
        _add_flag(tx, "id, :message", "account", list(user_ids), flag=flag, message=message_id)


def add_flags(tx: Tx, user_id: int, flag: str, message_ids: Sequence[int]) -> None:
    """Set a flag of some messages for one user."""
    if message_ids:
        _add_flag(tx, ":user, id", "message", list(message_ids), flag=flag, user=user_id)


def _add_flag(tx: Tx, pair: str, table: str, ids: list[int], **params: Any) -> None:
    tx.execute(
        "INSERT INTO message_flag (realm_id, user_id, message_id, flag)"
        f" SELECT realm_id, {pair}, :flag FROM {table} WHERE realm_id = :realm AND id IN :ids"
        " ON CONFLICT DO NOTHING",
        ids=ids,
        **params,
    )


def remove_flags(tx: Tx, user_id: int, flag: str, message_ids: Sequence[int]) -> None:
    tx.delete("message_flag", user_id=user_id, flag=flag, message_id=list(message_ids))


def remove_flag(tx: Tx, flag: str, message_id: int) -> None:
    """Clear a flag of a message for all users."""
    tx.delete("message_flag", message_id=message_id, flag=flag)


def users_with_flag(tx: Tx, flag: str, message_ids: Sequence[int]) -> set[int]:
    """All users for whom one of the messages has a flag."""
    rows = tx.all(
        "SELECT DISTINCT user_id FROM message_flag WHERE message_id IN :ids AND flag = :flag",
        ids=list(message_ids),
        flag=flag,
    )
    return {row["user_id"] for row in rows}
