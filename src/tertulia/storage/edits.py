"""The history of messages: what each was before every change."""

from collections.abc import Sequence

from tertulia.domain.messages import Edit, Message
from tertulia.storage.tx import Row, Tx


def of_messages(tx: Tx, message_ids: Sequence[int]) -> dict[int, tuple[Edit, ...]]:
    """All changes of the given messages, oldest first."""
    if not message_ids:
        return {}
    rows = tx.all(
        "SELECT id, message_id, user_id, edited_at, prev_content, prev_rendered, prev_topic,"
        " topic, prev_channel_id, channel_id FROM message_edit"
        " WHERE message_id IN :ids ORDER BY message_id, id",
        ids=list(message_ids),
    )
    found: dict[int, list[Edit]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_edit(row))
    return {message_id: tuple(edits) for message_id, edits in found.items()}


def insert_content(
    tx: Tx, message: Message, user_id: int, topic: str | None, channel_id: int | None
) -> int:
    """Remember the words of a message, and its place if that changes with them."""
    return tx.insert(
        "INSERT INTO message_edit (realm_id, message_id, user_id, edited_at, prev_content,"
        " prev_rendered, prev_topic, topic, prev_channel_id, channel_id)"
        " VALUES (:realm, :message, :user, :now, :prev_content, :prev_rendered, :prev_topic,"
        " :topic, :prev_channel, :channel) RETURNING id",
        realm=tx.realm_id,
        message=message.id,
        user=user_id,
        now=tx.now,
        prev_content=message.content,
        prev_rendered=message.rendered,
        prev_topic=None if topic is None else message.topic,
        topic=topic,
        prev_channel=None if channel_id is None else message.channel_id,
        channel=channel_id,
    )


def insert_moves(
    tx: Tx, message_ids: Sequence[int], user_id: int, topic: str | None, channel_id: int | None
) -> None:
    """Remember where messages stand; to be called before they are moved."""
    tx.execute(
        "INSERT INTO message_edit (realm_id, message_id, user_id, edited_at, prev_topic, topic,"
        " prev_channel_id, channel_id)"
        f" SELECT realm_id, id, :user, :now, {'NULL' if topic is None else 'topic'}, :topic,"
        f" {'NULL' if channel_id is None else 'channel_id'}, :channel"
        " FROM message WHERE realm_id = :realm AND id IN :ids ORDER BY id",
        user=user_id,
        now=tx.now,
        topic=topic,
        channel=channel_id,
        realm=tx.realm_id,
        ids=list(message_ids),
    )


def _edit(row: Row) -> Edit:
    return Edit(
        id=row["id"],
        message_id=row["message_id"],
        user_id=row["user_id"],
        edited_at=row["edited_at"],
        prev_content=row["prev_content"],
        prev_rendered=row["prev_rendered"],
        prev_topic=row["prev_topic"],
        topic=row["topic"],
        prev_channel_id=row["prev_channel_id"],
        channel_id=row["channel_id"],
    )
