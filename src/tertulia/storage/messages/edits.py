"""Edits and moves of messages, and their history."""

from collections.abc import Sequence

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Edit, Message
from tertulia.storage.row_mapper import Record

_EDITS = Record(Edit)


def of_messages(
    tx: Tx, message_ids: Sequence[int], prefix: str = ""
) -> dict[int, tuple[Edit, ...]]:
    """All changes of the messages, oldest first."""
    if not message_ids:
        return {}
    rows = tx.all(
        "SELECT id, message_id, user_id, edited_at, prev_content, prev_rendered, prev_topic,"
        " topic, prev_channel_id, channel_id"
        f" FROM {prefix}message_edit WHERE message_id IN :ids ORDER BY message_id, id",
        ids=list(message_ids),
    )
    found: dict[int, list[Edit]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_EDITS.of(row))
    return {message_id: tuple(edits) for message_id, edits in found.items()}


def insert_content(
    tx: Tx, message: Message, user_id: int, topic: str | None, channel_id: int | None
) -> int:
    """Record the text of a message, and its location if that changes, too."""
    edit_id = tx.insert_with_id(
        "message_edit",
        message_id=message.id,
        user_id=user_id,
        edited_at=tx.now,
        prev_content=message.content,
        prev_rendered=message.rendered,
        prev_topic=None if topic is None else message.topic,
        topic=topic,
        prev_channel_id=None if channel_id is None else message.channel_id,
        channel_id=channel_id,
    )
    _delete_oldest(tx, message.id)
    return edit_id


def insert_moves(
    tx: Tx, message_ids: Sequence[int], user_id: int, topic: str | None, channel_id: int | None
) -> None:
    """Record the location of messages; call it before they are moved."""
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
        ids=list(message_ids),
    )
    often = tx.all(
        "SELECT message_id FROM message_edit WHERE message_id IN :ids"
        " GROUP BY message_id HAVING count(*) > :limit",
        ids=list(message_ids),
        limit=domain.limits.EDITS_PER_MESSAGE,
    )
    for row in often:
        _delete_oldest(tx, row["message_id"])


def _delete_oldest(tx: Tx, message_id: int) -> None:
    """Limit the history, because it is sent with the message; the newest change always stays."""
    rows = tx.all(
        "SELECT id, coalesce(length(prev_content), 0) + coalesce(length(prev_rendered), 0) AS size"
        " FROM message_edit WHERE message_id = :message ORDER BY id DESC LIMIT :limit",
        message=message_id,
        limit=domain.limits.EDITS_PER_MESSAGE + 1,
    )
    room = domain.limits.EDITED_LENGTH
    for number, row in enumerate(rows):
        room -= row["size"]
        if number and (room < 0 or number == domain.limits.EDITS_PER_MESSAGE):
            if storage.organization.legal_holds.held_among(tx, [message_id]):
                storage.organization.legal_holds.keep_edits(tx, message_id, row["id"])
            tx.execute(
                "DELETE FROM message_edit WHERE message_id = :message AND id <= :id",
                message=message_id,
                id=row["id"],
            )
            return


def set_content(tx: Tx, message_id: int, draft: Draft) -> None:
    words = storage.messages.content_columns(draft)
    tx.execute(
        f"UPDATE message SET {storage.messages.assigned(words)}, edited_at = :now,"
        " channel_wildcard = (:wildcard AND channel_id IS NOT NULL) WHERE id = :id",
        wildcard=draft.mentions.channel_wildcard,
        now=tx.now,
        id=message_id,
        **words,
    )
    storage.search.index.record_changes(tx, [message_id])


def count_of_others(tx: Tx, message_ids: Sequence[int], user_id: int) -> int:
    """The number of these messages that other users have sent."""
    return tx.number(
        "SELECT count(*) AS value FROM message WHERE id IN :ids AND sender_id <> :user",
        ids=list(message_ids),
        user=user_id,
    )


def set_topic(tx: Tx, message_ids: Sequence[int], topic: str) -> None:
    tx.execute(
        "UPDATE message SET topic = :topic, topic_key = :key"
        " WHERE realm_id = :realm AND id IN :ids",
        topic=topic,
        key=domain.channels.topics.fold(topic),
        ids=list(message_ids),
    )
    storage.search.index.record_changes(tx, message_ids)


def set_channel(tx: Tx, message_ids: Sequence[int], channel_id: int, arrived_seq: int) -> None:
    """Move messages to another channel; recipients and read state do not change."""
    tx.execute(
        "UPDATE message SET channel_id = :channel, arrived_seq = :seq, closed_seq = coalesce("
        "(SELECT c.closed_seq FROM channel c WHERE c.id = message.channel_id"
        " AND message.id <= c.closed_message_id"
        " AND (message.arrived_seq IS NULL OR message.arrived_seq < c.closed_seq)), closed_seq)"
        " WHERE realm_id = :realm AND id IN :ids",
        channel=channel_id,
        seq=arrived_seq,
        ids=list(message_ids),
    )


def record_move(tx: Tx, message_ids: Sequence[int]) -> None:
    tx.execute(
        "UPDATE message SET moved_at = :now WHERE realm_id = :realm AND id IN :ids",
        now=tx.now,
        ids=list(message_ids),
    )
