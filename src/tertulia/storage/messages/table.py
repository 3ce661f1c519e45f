"""Messages: one row each, however many people receive it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.storage.channels import topics
from tertulia.storage.messages import conversations
from tertulia.storage.search import index, removal

# The fields of `Message` are columns of the same name, except for details in other tables.
NAMES = [
    name
    for name in Message.__struct_fields__
    if name not in ("member_ids", "reactions", "edits", "submessages")
]
# A subquery: a join would read all conversations for a few messages.
_MEMBERS = "(SELECT v.member_ids FROM conversation v WHERE v.id = m.conversation_id)"
_ELSEWHERE = {"topic": topics.NAME, "moved_at": topics.MOVED_AT}
# In the order of `as_message`.
COLUMNS = ", ".join(
    [
        *(f"{_ELSEWHERE.get(name, 'm.' + name)} AS {name}" for name in NAMES),
        f"{_MEMBERS} AS member_ids",
    ]
)
# Tables whose rows are deleted with their message.
MESSAGE_TABLES = (
    "message_flag",
    "pending_flag",
    "reaction",
    "message_edit",
    "submessage",
    "attachment_message",
    "outbox",
    "missed_message",
    "reply_address",
    "removed_link_preview",
    "stopped_answer",
    "running_call",
    "interaction",
)


def find(tx: Tx, message_id: int) -> Message | None:
    found = select(tx, "m.id = :id AND m.realm_id = :realm", id=message_id)
    return found[0] if found else None


def find_many(tx: Tx, realm_id: int, message_ids: Sequence[int]) -> dict[int, Message]:
    if not message_ids:
        return {}
    # With `+ 0` no index by organization is used. A new PostgreSQL without statistics would scan
    # all messages of the organization.
    found = select(
        tx, "m.id IN :ids AND m.realm_id + 0 = :realm", realm=realm_id, ids=list(message_ids)
    )
    return {message.id: message for message in found}


def oldest(tx: Tx, channel_id: int | None, limit: int) -> list[Message]:
    """The first messages of a channel, or of all conversations."""
    scope = "m.conversation_id IS NOT NULL" if channel_id is None else "m.channel_id = :channel"
    condition = f"m.realm_id = :realm AND {scope} ORDER BY m.id LIMIT :limit"
    return select(tx, condition, channel=channel_id, limit=limit)


def rendered_before(tx: Tx, version: int, after_id: int, limit: int) -> list[Message]:
    """Messages with HTML of an older renderer, oldest first."""
    return select(
        tx,
        "m.realm_id = :realm AND m.id > :after AND m.render_version < :version"
        " ORDER BY m.id LIMIT :limit",
        after=after_id,
        version=version,
        limit=limit,
    )


def select(tx: Tx, condition: str, **params: Any) -> list[Message]:
    """The messages `m` that a condition selects, without details."""
    rows = tx.tuples(f"SELECT {COLUMNS} FROM message m WHERE {condition}", **params)
    return [as_message(*row) for row in rows]


def newest_id(tx: Tx) -> int:
    """The id of the organization's last message; 0 if there is none."""
    return tx.number("SELECT max(id) AS value FROM message WHERE realm_id = :realm")


def newest_in(tx: Tx, channel_ids: list[int], limit: int) -> list[int]:
    """The ids of the newest messages in these channels, newest first."""
    return tx.column(
        "SELECT id FROM message WHERE realm_id = :realm AND channel_id IN :channels"
        " ORDER BY id DESC LIMIT :limit",
        channels=channel_ids,
        limit=limit,
    )


def last_sent_at(tx: Tx, sender_id: int, channel_id: int) -> float | None:
    """When a user posted to a channel, among the newest messages of the user."""
    sent_at: float | None = tx.value(
        "SELECT sent_at AS value FROM (SELECT id, channel_id, sent_at FROM message"
        " WHERE sender_id = :sender ORDER BY id DESC LIMIT 300) AS own"
        " WHERE channel_id = :channel ORDER BY id DESC LIMIT 1",
        sender=sender_id,
        channel=channel_id,
    )
    return sent_at


def oldest_in_channel(tx: Tx, channel_id: int) -> int | None:
    found: int | None = tx.value(
        "SELECT min(id) AS value FROM message WHERE channel_id = :channel", channel=channel_id
    )
    return found


def last_before(tx: Tx, moment: float) -> int:
    """The id of the organization's last message before a time; 0 if there is none.

    Ids follow the order of sending, so a binary search finds it.
    """
    low, high = 0, newest_id(tx)
    while low < high:
        middle = (low + high + 1) // 2
        row = tx.one(
            "SELECT id, sent_at FROM message WHERE realm_id = :realm AND id <= :id"
            " ORDER BY id DESC LIMIT 1",
            id=middle,
        )
        if row is None or row["sent_at"] < moment:
            low = middle
        else:
            high = row["id"] - 1
    return low


def ids_since(tx: Tx, message_ids: Sequence[int], moment: float) -> list[int]:
    """Those of the messages that were sent at or after a time, oldest first."""
    return tx.column(
        "SELECT id FROM message WHERE realm_id = :realm AND id IN :ids AND sent_at >= :moment"
        " ORDER BY id",
        ids=list(message_ids),
        moment=moment,
    )


def origins(tx: Tx, channel_id: int, message_ids: Sequence[int]) -> dict[int, list[int]]:
    """The channels that messages of a channel were sent to, each with its message ids in order.

    Few messages have left their channel, and there is an index of them. Usually none is between
    these, and thousands of ids are not looked up.
    """
    moved = (
        "FROM message WHERE realm_id = :realm AND arrived_seq IS NOT NULL"
        " AND origin_channel_id <> :channel"
    )
    between = {"first": min(message_ids), "last": max(message_ids)}
    if not tx.exists(
        f"SELECT 1 AS found {moved} AND id >= :first AND id <= :last LIMIT 1",
        channel=channel_id,
        **between,
    ):
        return {channel_id: sorted(message_ids)}
    joined = tx.dialect.sql.joined_ids("id")
    rows = tx.tuples(
        f"SELECT origin_channel_id, {joined} {moved} AND id IN :ids GROUP BY origin_channel_id",
        ids=list(message_ids),
        channel=channel_id,
    )
    found = {origin_id: sorted(map(int, ids.split(","))) for origin_id, ids in rows}
    if stayed := set(message_ids).difference(*found.values()):
        found[channel_id] = sorted(stayed)
    return found


def count_after(tx: Tx, channel_id: int, message_id: int) -> int:
    """The number of messages in a channel after a message."""
    return tx.number(
        "SELECT count(*) AS value FROM message WHERE channel_id = :channel AND id > :after",
        channel=channel_id,
        after=message_id,
    )


# --- writing ---


def insert_in_channel(tx: Tx, sender_id: int, channel_id: int, topic: str, draft: Draft) -> int:
    row = topics.get_or_start(tx, channel_id, topic)
    return _insert(tx, new_row(sender_id, draft, channel_id, None, row.id, row.edit_id))


def insert_in_conversation(tx: Tx, sender_id: int, conversation_id: int, draft: Draft) -> int:
    return _insert(tx, new_row(sender_id, draft, None, conversation_id))


def set_rendering(tx: Tx, message_id: int, draft: Draft) -> None:
    """Replace the HTML of a message, if its text is still that of the draft.

    Its links to files stay as they were when it was sent.
    """
    words = content_columns(draft)
    del words["has_attachment"]
    tx.execute(
        f"UPDATE message SET {assigned(words)}"
        " WHERE id = :id AND realm_id = :realm AND content = :content",
        id=message_id,
        **words,
    )
    index.record_changes(tx, [message_id])


def set_content(tx: Tx, message_id: int, draft: Draft) -> None:
    """Replace the text of a message by one of the server, which is no edit of its sender."""
    words = content_columns(draft)
    tx.execute(
        f"UPDATE message SET {assigned(words)} WHERE id = :id AND realm_id = :realm",
        id=message_id,
        **words,
    )
    index.record_changes(tx, [message_id])


def set_html(tx: Tx, message_id: int, rendered: str) -> None:
    """Replace the HTML of a message; its text and render version stay."""
    tx.execute(
        "UPDATE message SET rendered = :rendered WHERE id = :id AND realm_id = :realm",
        id=message_id,
        rendered=rendered,
    )
    index.record_changes(tx, [message_id])


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete messages, with all details in other tables."""
    ids = list(message_ids)
    removal.remove_deleted(tx, ids)
    for table in MESSAGE_TABLES:
        tx.execute(f"DELETE FROM {table} WHERE message_id IN :ids", ids=ids)
    topic_ids = tx.column("SELECT DISTINCT topic_id FROM message WHERE id IN :ids", ids=ids)
    tx.delete("message", id=ids)
    topics.delete_empty(tx, [each for each in topic_ids if each is not None])
    if ids:
        record_newest_deleted(tx, max(ids))


def record_newest_deleted(tx: Tx, message_id: int) -> None:
    """Never assign ids up to this one again."""
    tx.execute(
        "INSERT INTO newest_deleted_message (realm_id, newest) VALUES (:realm, :newest)"
        " ON CONFLICT (realm_id) DO UPDATE SET newest = CASE"
        " WHEN newest_deleted_message.newest < excluded.newest THEN excluded.newest"
        " ELSE newest_deleted_message.newest END",
        newest=message_id,
    )


def as_message(
    id: int,
    realm_id: int,
    sender_id: int,
    channel_id: int | None,
    conversation_id: int | None,
    topic: str,
    content: str,
    rendered: str,
    client: str,
    sent_at: float,
    read_by_sender: Any,
    is_me: Any,
    channel_wildcard: Any,
    origin_channel_id: int | None,
    arrived_seq: int | None,
    edited_at: float | None,
    moved_at: float | None,
    resolve_notice: Any,
    topic_id: int | None,
    topic_since: int,
    member_ids: str | None,
) -> Message:
    """SQLite has 1 for true."""
    return Message(
        id,
        realm_id,
        sender_id,
        channel_id,
        conversation_id,
        conversations.members(member_ids),
        topic,
        content,
        rendered,
        client,
        sent_at,
        bool(read_by_sender),
        bool(is_me),
        bool(channel_wildcard),
        origin_channel_id,
        arrived_seq,
        edited_at,
        moved_at,
        bool(resolve_notice),
        topic_id,
        topic_since,
    )


def message_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row about to be written that `Message` has."""
    return {name: row[name] for name in NAMES if name in row}


def content_columns(draft: Draft) -> dict[str, Any]:
    """The columns that follow from the text and change when it is edited."""
    return {
        "content": draft.content,
        "rendered": draft.rendered,
        "render_version": draft.render_version,
        "is_me": draft.is_me,
        "has_link": draft.has_link,
        "has_image": draft.has_image,
        "has_attachment": draft.has_attachment,
    }


def assigned(columns: Iterable[str]) -> str:
    return ", ".join(f"{name} = :{name}" for name in columns)


def _insert(tx: Tx, row: Mapping[str, Any]) -> int:
    new_id = tx.dialect.sql.next_message_id
    return tx.number(
        f"INSERT INTO message (id, realm_id, sent_at, {', '.join(row)})"
        f" VALUES ({new_id}, :realm, :now, :{', :'.join(row)}) RETURNING id AS value",
        now=tx.now,
        **row,
    )


def new_row(
    sender_id: int,
    draft: Draft,
    channel_id: int | None,
    conversation_id: int | None,
    topic_id: int | None = None,
    topic_since: int = 0,
) -> dict[str, Any]:
    """The columns of a new message, except for those that sending assigns."""
    return content_columns(draft) | {
        "sender_id": sender_id,
        "channel_id": channel_id,
        "origin_channel_id": channel_id,
        "conversation_id": conversation_id,
        "topic_id": topic_id,
        "topic_since": topic_since,
        "client": draft.client,
        "read_by_sender": draft.read_by_sender,
        "channel_wildcard": draft.mentions.channel_wildcard and channel_id is not None,
        "resolve_notice": draft.resolve_notice,
    }
