"""Unread messages: one compressed bitmap per user, and the marks that few messages carry.

A send touches none of this. `caught_up_to` says how far the stored bitmap knows; what came
since is added by whoever looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyroaring import BitMap64

from tertulia.storage.history import MY_CONVERSATIONS, RECEIVED_IN_CHANNEL
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class UnreadMessage:
    id: int
    sender_id: int
    channel_id: int | None
    topic: str
    member_ids: tuple[int, ...]


def load(tx: Tx, user_id: int) -> BitMap64:
    """All messages the user has received and not read, up to this moment."""
    bitmap, caught_up_to = _stored(tx, user_id)
    bitmap.update(_arrived_since(tx, user_id, caught_up_to))
    return bitmap


def store(tx: Tx, user_id: int, bitmap: BitMap64, caught_up_to: int) -> None:
    tx.execute(
        "INSERT INTO unread (user_id, realm_id, bitmap, caught_up_to)"
        " VALUES (:user, :realm, :bitmap, :caught_up_to)"
        " ON CONFLICT (user_id) DO UPDATE SET bitmap = excluded.bitmap,"
        " caught_up_to = excluded.caught_up_to",
        user=user_id,
        realm=tx.realm_id,
        bitmap=bitmap.serialize(),
        caught_up_to=caught_up_to,
    )


def caught_up_to(tx: Tx, user_id: int) -> int:
    return _stored(tx, user_id)[1]


def describe(tx: Tx, message_ids: Sequence[int]) -> list[UnreadMessage]:
    """Where each of these messages stands, in order of id."""
    rows = tx.all(
        "SELECT m.id, m.sender_id, m.channel_id, m.topic, v.member_ids FROM message m"
        " LEFT JOIN conversation v ON v.id = m.conversation_id"
        " WHERE m.realm_id = :realm AND m.id IN :ids ORDER BY m.id",
        realm=tx.realm_id,
        ids=list(message_ids),
    )
    return [
        UnreadMessage(
            row["id"],
            row["sender_id"],
            row["channel_id"],
            row["topic"],
            tuple(int(part) for part in row["member_ids"].split(",")) if row["member_ids"] else (),
        )
        for row in rows
    ]


def flags_of(tx: Tx, user_id: int, message_ids: Sequence[int]) -> dict[int, list[str]]:
    """The marks, other than read, that these messages carry for a user."""
    found: dict[int, list[str]] = {}
    rows = tx.all(
        "SELECT message_id, flag FROM message_flag WHERE user_id = :user AND message_id IN :ids"
        " ORDER BY message_id, flag",
        user=user_id,
        ids=list(message_ids),
    )
    for row in rows:
        found.setdefault(row["message_id"], []).append(row["flag"])
    return found


def with_flag(tx: Tx, user_id: int, flag: str) -> list[int]:
    rows = tx.all(
        "SELECT message_id FROM message_flag WHERE user_id = :user AND flag = :flag"
        " ORDER BY message_id",
        user=user_id,
        flag=flag,
    )
    return [row["message_id"] for row in rows]


def wildcards_among(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """Those of the messages that call everybody in their channel."""
    rows = tx.all(
        "SELECT id FROM message WHERE realm_id = :realm AND id IN :ids AND channel_wildcard",
        realm=tx.realm_id,
        ids=list(message_ids),
    )
    return [row["id"] for row in rows]


def add_flag(tx: Tx, flag: str, user_ids: Sequence[int], message_id: int) -> None:
    tx.execute_many(
        "INSERT INTO message_flag (realm_id, user_id, flag, message_id)"
        " VALUES (:realm, :user, :flag, :message) ON CONFLICT DO NOTHING",
        (
            {"realm": tx.realm_id, "user": user_id, "flag": flag, "message": message_id}
            for user_id in user_ids
        ),
    )


def _stored(tx: Tx, user_id: int) -> tuple[BitMap64, int]:
    row = tx.one("SELECT bitmap, caught_up_to FROM unread WHERE user_id = :user", user=user_id)
    if row is None:
        return BitMap64(), 0
    return BitMap64.deserialize(bytes(row["bitmap"])), row["caught_up_to"]


def _arrived_since(tx: Tx, user_id: int, message_id: int) -> list[int]:
    rows = tx.all(
        "SELECT m.id FROM message m WHERE m.realm_id = :realm AND m.id > :since"
        f" AND ({MY_CONVERSATIONS} OR {RECEIVED_IN_CHANNEL})"
        " AND NOT (m.sender_id = :me AND m.read_by_sender)",
        realm=tx.realm_id,
        since=message_id,
        me=user_id,
    )
    return [row["id"] for row in rows]
