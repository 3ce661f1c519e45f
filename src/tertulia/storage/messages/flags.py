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


MAX_ROWS_PER_WRITE = 500
_PENDING = ("mentioned", "has_alert_word")  # those that a message may have for thousands of users


def of_user(condition: str, columns: str = "message_id", user: str = ":user") -> str:
    """The query of a user's flags that meet a condition, with those that are pending."""
    return (
        f"SELECT {columns} FROM message_flag WHERE user_id = {user} AND {condition}"
        f" UNION ALL SELECT {columns} FROM pending_flag WHERE realm_id = :realm"
        f" AND user_ids LIKE '%,' || {user} || ',%' AND {condition}"
    )


def flags_of(tx: Tx, user_id: int, message_ids: Sequence[int]) -> dict[int, set[str]]:
    """The flags of these messages for a user, except `read`."""
    found: dict[int, set[str]] = {}
    if not message_ids:
        return found
    first, last = min(message_ids), max(message_ids)
    is_dense = last - first < DENSE * len(message_ids)
    rows = tx.tuples(
        of_user(
            # For neighbours, each flag is read as one range; other ids are looked up one by one.
            f"flag IN {_FLAGS} AND message_id >= :first AND message_id <= :last"
            if is_dense
            else "message_id IN :ids",
            "message_id, flag",
        ),
        user=user_id,
        **({"first": first, "last": last} if is_dense else {"ids": list(message_ids)}),
    )
    for message_id, flag in rows:
        found.setdefault(message_id, set()).add(flag)
    return found


def with_flag(tx: Tx, user_id: int, *flags: str, since: int = 0) -> list[int]:
    """The messages, from one on, with one of some flags for a user."""
    return tx.column(
        f"{of_user('flag IN :flags AND message_id >= :since')} ORDER BY message_id",
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
    """Set a flag of one message for some users. It is pending if they are many: the send would be
    long, and others would wait for it."""
    if flag in _PENDING and len(user_ids) > MAX_ROWS_PER_WRITE:
        listed = f",{','.join(map(str, user_ids))},"
        tx.insert_row("pending_flag", message_id=message_id, flag=flag, user_ids=listed)
    elif user_ids:
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
    for table in ("message_flag", "pending_flag"):
        tx.delete(table, message_id=message_id, flag=flag)


def pending(tx: Tx, message_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The pending flags of some messages, as rows of `message_flag`."""
    rows = tx.tuples(
        "SELECT message_id, flag, user_ids FROM pending_flag WHERE message_id IN :ids",
        ids=list(message_ids),
    )
    return [
        {"message_id": message_id, "flag": flag, "user_id": user_id}
        for message_id, flag, listed in rows
        for user_id in _users_in(listed)
    ]


def write_pending(tx: Tx) -> bool:
    """Write some pending flags as rows. Returns whether there were any."""
    row = tx.one(
        "SELECT message_id, flag, user_ids FROM pending_flag WHERE realm_id = :realm"
        " ORDER BY message_id, flag LIMIT 1"
    )
    if row is None:
        return False
    message_id, flag, user_ids = row["message_id"], row["flag"], _users_in(row["user_ids"])
    tx.delete("pending_flag", message_id=message_id, flag=flag)
    add_flag(tx, flag, user_ids[:MAX_ROWS_PER_WRITE], message_id)
    add_flag(tx, flag, user_ids[MAX_ROWS_PER_WRITE:], message_id)
    return True


def realms_with_pending(tx: Tx) -> list[int]:
    return tx.column("SELECT DISTINCT realm_id FROM pending_flag")


def _users_in(listed: str) -> list[int]:
    return [int(each) for each in listed.strip(",").split(",")]


def users_with_flag(tx: Tx, flag: str, message_ids: Sequence[int]) -> set[int]:
    """All users for whom one of the messages has a flag. Usually no message between thousands of
    them is historical, which an index knows, and they are not looked up."""
    assert flag in _FLAGS
    waiting = pending(tx, message_ids) if flag in _PENDING else ()
    users = {row["user_id"] for row in waiting if row["flag"] == flag}
    flagged = f"FROM message_flag WHERE flag = '{flag}'"
    between = "message_id >= :first AND message_id <= :last"
    if not message_ids or not tx.exists(
        f"SELECT 1 AS found {flagged} AND {between} LIMIT 1",
        first=min(message_ids),
        last=max(message_ids),
    ):
        return users
    found = tx.column(
        f"SELECT DISTINCT user_id {flagged} AND message_id IN :ids", ids=list(message_ids)
    )
    return users.union(found)
