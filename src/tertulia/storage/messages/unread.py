"""Unread messages: one compressed bitmap per user.

A send does not touch it. `caught_up_to` is the last message that the stored bitmap covers; readers
add later messages. Archiving a channel does not touch it either: it marks everything in the channel
as read, and `archivals_seen` is the last such event that the bitmap covers.

Flags that few messages have are rows (`flags`); `flags_for` combines both.
"""

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import msgspec
from pyroaring import BitMap64

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message, MessageOrigin
from tertulia.storage.channels import subscriptions, topics
from tertulia.storage.messages import conversations, deleted, table
from tertulia.storage.messages.flags import SHOWN, flags_of, users_with_flag
from tertulia.storage.messages.selections import (
    MY_CONVERSATIONS,
    NOT_MOVED_AWAY,
    RECEIVED_IN_CHANNEL,
)
from tertulia.storage.personal import muted_users

MAX_LISTED_IDS = 2000

Flags = tuple[str, ...]
"""In the words of clients, and in the order they know."""

_READ: Flags = ("read",)
_NOT_READ: Flags = ()
_NO_MARKS: Set[str] = frozenset()

_BY_OTHERS = (
    "NOT (m.sender_id = :me AND m.read_by_sender)"
    " AND m.sender_id NOT IN (SELECT u.muted_id FROM muted_user u WHERE u.user_id = :me)"
)
# A notice that a topic was resolved is read at once, except for users who want to see it.
_ARRIVES_UNREAD = (
    f"{_BY_OTHERS} AND (NOT m.resolve_notice OR m.id IN"
    " (SELECT f.message_id FROM message_flag f WHERE f.user_id = :me AND f.flag = 'unread_notice'))"
)
_RECEIVED = f"({MY_CONVERSATIONS} OR {RECEIVED_IN_CHANNEL})"
_ARRIVED = (
    f"SELECT m.id FROM message m WHERE m.realm_id = :realm AND {_RECEIVED} AND {_ARRIVES_UNREAD}"
)
# Messages, with their channel if they were in it when it was archived.
_WITH_ARCHIVAL = (
    "message m LEFT JOIN channel c ON c.id = m.channel_id AND m.id <= c.archived_message_id"
    " AND (m.arrived_seq IS NULL OR m.arrived_seq < c.archived_seq)"
)


class UnreadMessage(msgspec.Struct, frozen=True):
    id: int
    sender_id: int
    channel_id: int | None
    topic: str
    member_ids: tuple[int, ...]
    is_moved: bool  # from one channel to another


def load(tx: Tx, user_id: int) -> BitMap64:
    """All messages the user has received and not read, up to now."""
    return catch_up(tx, user_id, stored(tx, user_id))


def catch_up(
    tx: Tx, user_id: int, known: "Stored", arrived: Sequence[int] | None = None
) -> BitMap64:
    """The unread messages, from the stored bitmap and, if known, the messages since."""
    bitmap = known.bitmap.copy()
    if arrived is not None:
        bitmap.update(arrived)
    elif known.newest_id > known.caught_up_to:
        bitmap.update(_new_since(tx, user_id, known.caught_up_to))
    if bitmap and known.has_archivals_to_see:
        bitmap -= BitMap64(_archived_among(tx, bitmap, known.archivals_seen))
    return bitmap


def among(tx: Tx, user_id: int, message_ids: Sequence[int]) -> set[int]:
    """Those of the messages that the user has received and not read.

    The cost does not depend on how many messages arrived since the bitmap was stored.
    """
    known = stored(tx, user_id)
    newer = [each for each in message_ids if each > known.caught_up_to]
    found = {each for each in message_ids if each in known.bitmap}
    if newer:
        rows = tx.all(
            "SELECT m.id FROM message m WHERE m.id IN :ids AND +m.realm_id = :realm"
            f" AND {_RECEIVED} AND {_ARRIVES_UNREAD}",
            ids=newer,
            me=user_id,
        )
        found.update(row["id"] for row in rows)
    if found and known.has_archivals_to_see:
        found.difference_update(_archived_among(tx, BitMap64(found), known.archivals_seen))
    return found


def store(tx: Tx, user_id: int, bitmap: BitMap64, caught_up_to: int) -> None:
    """Store a bitmap that is new, or was loaded in this transaction and so covers every closing."""
    tx.execute(
        "INSERT INTO unread (user_id, realm_id, bitmap, caught_up_to, archivals_seen)"
        " VALUES (:user, :realm, :bitmap, :caught_up_to,"
        " (SELECT h.seq FROM log_head h WHERE h.realm_id = :realm))"
        " ON CONFLICT (user_id) DO UPDATE SET bitmap = excluded.bitmap,"
        " caught_up_to = excluded.caught_up_to, archivals_seen = excluded.archivals_seen",
        user=user_id,
        bitmap=bitmap.serialize(),
        caught_up_to=caught_up_to,
    )


def change(tx: Tx, user_id: int, bitmap: BitMap64) -> None:
    """Store a bitmap that was loaded in this transaction and changed since.

    Kept messages that it does not cover yet are added: a restored message is unread again.
    """
    known = stored(tx, user_id)
    kept = deleted.unread_if_restored(
        tx, f"{_RECEIVED} AND {_BY_OTHERS}", user_id, known.caught_up_to
    )
    store(tx, user_id, bitmap | BitMap64(kept), max(known.newest_id, known.caught_up_to))


def clear(tx: Tx, user_id: int) -> None:
    """Store that the user has read everything, kept messages too."""
    known = stored(tx, user_id)
    store(tx, user_id, BitMap64(), max(known.newest_id, known.caught_up_to))


def describe(tx: Tx, user_id: int, message_ids: Sequence[int]) -> list[UnreadMessage]:
    """The location of each of these messages, by id; without those moved out of sight."""
    rows = tx.all(
        f"SELECT m.id, m.sender_id, m.channel_id, {topics.NAME} AS topic,"
        " m.arrived_seq, v.member_ids"
        " FROM message m"
        " LEFT JOIN conversation v ON v.id = m.conversation_id"
        f" WHERE m.realm_id = :realm AND m.id IN :ids AND {NOT_MOVED_AWAY} ORDER BY m.id",
        ids=list(message_ids),
        me=user_id,
    )
    return [_described(row) for row in rows]


def newest_before(tx: Tx, message_id: int, limit: int) -> list[UnreadMessage]:
    """The locations of the messages before one, newest first."""
    rows = tx.all(
        f"SELECT m.id, m.sender_id, m.channel_id, {topics.NAME} AS topic,"
        " m.arrived_seq, v.member_ids"
        " FROM message m LEFT JOIN conversation v ON v.id = m.conversation_id"
        " WHERE m.realm_id = :realm AND m.id < :before ORDER BY m.id DESC LIMIT :limit",
        before=message_id,
        limit=limit,
    )
    return [_described(row) for row in rows]


def _described(row: Row) -> UnreadMessage:
    return UnreadMessage(
        row["id"],
        row["sender_id"],
        row["channel_id"],
        row["topic"],
        conversations.members(row["member_ids"]),
        row["arrived_seq"] is not None,
    )


def in_conversation(
    tx: Tx, waiting: BitMap64, channel_id: int, topic_key: str | None = None
) -> list[int]:
    """Those of the messages that are in a channel, or in one of its topics."""
    if not waiting:
        return []
    # A few ids are looked up one by one; many are intersected with those of the channel or topic.
    few = len(waiting) <= MAX_LISTED_IDS
    where, params = "channel_id = :channel", {"channel": channel_id}
    if topic_key is not None:
        where, params = topics.condition(tx, channel_id, topic_key)
    ids = tx.column(
        f"SELECT id FROM message WHERE {where}"
        f" AND {'id IN :ids' if few else 'id >= :oldest'} ORDER BY id",
        **params,
        **({"ids": list(waiting)} if few else {"oldest": waiting.min()}),
    )
    return [each for each in ids if each in waiting]


def in_channels(tx: Tx, waiting: BitMap64, channel_ids: Sequence[int]) -> list[int]:
    """Those of the messages that are in some channels."""
    if not waiting or not channel_ids:
        return []
    few = len(waiting) <= MAX_LISTED_IDS
    found = tx.ids(
        "SELECT id FROM message WHERE channel_id IN :channels AND"
        f" {'id IN :ids' if few else 'id >= :oldest'}",
        channels=list(channel_ids),
        **({"ids": list(waiting)} if few else {"oldest": waiting.min()}),
    )
    return sorted(each for each in found if each in waiting)


def lags(tx: Tx, user_ids: Sequence[int]) -> dict[int, int]:
    """How many messages are newer than the stored state of each user, in any channel."""
    rows = tx.tuples(
        "SELECT user_id, caught_up_to FROM unread WHERE user_id IN :users", users=list(user_ids)
    )
    newest, known = table.newest_id(tx), dict(rows)
    return {user_id: max(0, newest - known.get(user_id, 0)) for user_id in user_ids}


def flags_for(tx: Tx, user_id: int, shown: Mapping[int, MessageOrigin]) -> dict[int, Flags]:
    """The flags of each message for this reader, as clients name them, in the order of `shown`.

    The reader may see all of the messages, so direct ones are in their conversations.
    """
    if not shown:
        return {}
    marks = flags_of(tx, user_id, list(shown))
    historical = _historical_among(tx, user_id, shown)
    not_read = _unread_among(tx, user_id, shown, historical, marks)
    wildcards = _from_origin(shown, {each for each in set(shown.values()) if each.channel_wildcard})
    flags = dict.fromkeys(shown, _READ) | dict.fromkeys(not_read, _NOT_READ)
    for number in (marks.keys() & flags.keys()) | historical | wildcards:
        found = marks.get(number, _NO_MARKS)
        if number in historical:
            found = found | {"historical"}
        elif number in wildcards:
            found = found | {"stream_wildcard_mentioned"}
        flags[number] = _in_order(found, number not in not_read)
    return flags


def _historical_among(tx: Tx, user_id: int, shown: Mapping[int, MessageOrigin]) -> set[int]:
    """Those of the messages that the reader did not receive."""
    in_channels = {each for each in set(shown.values()) if not each.is_direct}
    channel_ids = sorted({each.channel_id for each in in_channels if each.channel_id is not None})
    spans = subscriptions.received_in(tx, user_id, channel_ids)
    first, last = min(shown), max(shown)
    there_all_the_time = {
        channel_id
        for channel_id, some in spans.items()
        for after, end in some
        if after < first and (end is None or last <= end)
    }
    in_doubt = {each for each in in_channels if each.channel_id not in there_all_the_time}
    return {
        number
        for number in _from_origin(shown, in_doubt)
        if not any(
            after < number and (end is None or number <= end)
            for after, end in spans.get(shown[number].channel_id or 0, ())
        )
    }


def _unread_among(
    tx: Tx,
    user_id: int,
    shown: Mapping[int, MessageOrigin],
    historical: Set[int],
    marks: Mapping[int, Set[str]],
) -> set[int]:
    """Those of the messages that the reader has not read; like `among`, for loaded messages."""
    known = stored(tx, user_id)
    found = set(known.bitmap & BitMap64(shown)) if known.bitmap else set()
    if max(shown) > known.caught_up_to:
        arriving = {
            each
            for each in set(shown.values())
            if not (each.sender_id == user_id and each.read_by_sender)
            and each.sender_id not in known.muted
        }
        notices = _from_origin(shown, {each for each in arriving if each.resolve_notice})
        read_at_once = {
            number for number in notices if "unread_notice" not in marks.get(number, _NO_MARKS)
        }
        arrived = _from_origin(shown, arriving) - historical - read_at_once
        found.update([number for number in arrived if number > known.caught_up_to])
    if found and known.has_archivals_to_see:
        found.difference_update(_archived_among(tx, BitMap64(found), known.archivals_seen))
    return found


def _from_origin(shown: Mapping[int, MessageOrigin], wanted: Set[MessageOrigin]) -> set[int]:
    """The messages of some origin."""
    return {number for number, each in shown.items() if each in wanted} if wanted else set()


def _in_order(marks: Set[str], is_read: bool) -> Flags:
    found = ["read"] if is_read else []
    found += [flag for flag in SHOWN if flag in marks]
    if marks & {"stream_wildcard_mentioned", "topic_wildcard_mentioned"}:
        found.append("wildcard_mentioned")
    return tuple(found)


def sent_by(tx: Tx, sender_id: int, among: BitMap64) -> list[int]:
    """Those of the messages that one user has sent."""
    if not among:
        return []
    rows = tx.all(
        "SELECT id FROM message WHERE sender_id = :sender AND realm_id = :realm AND id >= :oldest"
        " ORDER BY id",
        sender=sender_id,
        oldest=among.min(),
    )
    return [row["id"] for row in rows if row["id"] in among]


def readers_among(tx: Tx, message: Message, user_ids: Sequence[int]) -> list[int]:
    """Those of the users, all recipients of the message, who have read it."""
    rows = tx.all(
        "SELECT a.id, u.bitmap, u.caught_up_to, u.archivals_seen FROM account a"
        " LEFT JOIN unread u ON u.user_id = a.id WHERE a.id IN :ids ORDER BY a.id",
        ids=list(user_ids),
    )
    noticed = users_with_flag(tx, "unread_notice", [message.id])
    historical = users_with_flag(tx, "historical", [message.id])
    archived_seq = _archived_with(tx, message)
    muting = set(muted_users.muted_by(tx, message.sender_id))
    found = []
    for row in rows:
        if archived_seq > (row["archivals_seen"] or 0):
            is_read = True
        elif (row["caught_up_to"] or 0) >= message.id:
            is_read = message.id not in BitMap64.deserialize(bytes(row["bitmap"]))
        elif row["id"] == message.sender_id:
            is_read = message.read_by_sender
        else:
            is_notice = message.resolve_notice and row["id"] not in noticed
            is_read = is_notice or row["id"] in historical or row["id"] in muting
        if is_read:
            found.append(row["id"])
    return found


def _archived_with(tx: Tx, message: Message) -> int:
    """The event that marked a message as read because its channel was archived; or 0."""
    row = tx.one(
        f"SELECT m.archived_seq AS elsewhere, c.archived_seq AS here FROM {_WITH_ARCHIVAL}"
        " WHERE m.realm_id = :realm AND m.id = :message",
        message=message.id,
    )
    return 0 if row is None else max(row["elsewhere"] or 0, row["here"] or 0)


class Stored(NamedTuple):
    """The stored unread state of a user."""

    bitmap: BitMap64
    caught_up_to: int  # the last message that it covers
    archivals_seen: int
    has_archivals_to_see: bool  # channels were archived since, which it does not cover
    muted: Set[int]  # users whose messages arrive as read
    newest_id: int  # of the organization


def stored(tx: Tx, user_id: int) -> Stored:
    row = tx.one(
        "SELECT u.bitmap, u.caught_up_to, u.archivals_seen, n.id AS newest, EXISTS (SELECT 1"
        " FROM channel c WHERE c.realm_id = :realm"
        " AND c.archived_seq > coalesce(u.archivals_seen, 0))"
        f" AS has_archivals, (SELECT {tx.dialect.sql.joined_ids('m.muted_id')} FROM muted_user m"
        " WHERE m.user_id = :user) AS muted"
        " FROM (SELECT max(m.id) AS id FROM message m WHERE m.realm_id = :realm) AS n"
        " LEFT JOIN unread u ON u.user_id = :user",
        user=user_id,
    )
    assert row is not None
    return Stored(
        BitMap64() if row["bitmap"] is None else BitMap64.deserialize(bytes(row["bitmap"])),
        row["caught_up_to"] or 0,
        row["archivals_seen"] or 0,
        has_archivals_to_see=bool(row["has_archivals"]),
        muted=frozenset(map(int, row["muted"].split(","))) if row["muted"] else frozenset(),
        newest_id=row["newest"] or 0,
    )


def _archived_among(tx: Tx, waiting: BitMap64, seq: int) -> list[int]:
    """Those of the messages that were in a channel when it was archived, after this event."""
    ids = list(waiting)
    found: list[int] = []
    for start in range(0, len(ids), MAX_LISTED_IDS):
        rows = tx.all(
            f"SELECT m.id FROM {_WITH_ARCHIVAL} WHERE m.realm_id = :realm AND m.id IN :ids"
            " AND (m.archived_seq > :seq OR c.archived_seq > :seq)",
            seq=seq,
            ids=ids[start : start + MAX_LISTED_IDS],
        )
        found += [row["id"] for row in rows]
    return found


def new_unread(tx: Tx, user_id: int, limit: int) -> list[int]:
    """The first messages that arrived unread after the stored state."""
    return tx.ids(
        f"{_ARRIVED} AND m.id > coalesce((SELECT u.caught_up_to FROM unread u"
        f" WHERE u.user_id = :me), 0) ORDER BY m.id LIMIT {limit:d}",
        me=user_id,
    )


def _new_since(tx: Tx, user_id: int, message_id: int) -> list[int]:
    return tx.column(f"{_ARRIVED} AND m.id > :since", since=message_id, me=user_id)
