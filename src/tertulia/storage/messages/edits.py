"""Edits and moves of messages, and their history."""

from collections.abc import Sequence

import msgspec

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
        limit=domain.limits.MAX_EDITS_PER_MESSAGE,
    )
    for row in often:
        _delete_oldest(tx, row["message_id"])


def _delete_oldest(tx: Tx, message_id: int) -> None:
    """Limit the history, because it is sent with the message; the newest change always stays."""
    rows = tx.all(
        "SELECT id, coalesce(length(prev_content), 0) + coalesce(length(prev_rendered), 0) AS size"
        " FROM message_edit WHERE message_id = :message ORDER BY id DESC LIMIT :limit",
        message=message_id,
        limit=domain.limits.MAX_EDITS_PER_MESSAGE + 1,
    )
    room = domain.limits.MAX_EDITED_LENGTH
    for number, row in enumerate(rows):
        room -= row["size"]
        if number and (room < 0 or number == domain.limits.MAX_EDITS_PER_MESSAGE):
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


class MoveTarget(msgspec.Struct, frozen=True):
    """Where messages are moved."""

    topic: str
    channel_id: int | None = None  # set if they leave their channel
    arrived_seq: int | None = None  # the event with which they arrive in the other channel
    counts_as_move: bool = True  # resolving a topic does not


def move(tx: Tx, message_ids: Sequence[int], to: MoveTarget) -> None:
    """Move messages; recipients and read state do not change.

    One statement writes each row once: in PostgreSQL every version of a row is written to all
    indexes, and other writers wait meanwhile.
    """
    columns = ["topic = :topic", "topic_key = :key"]
    values: dict[str, object] = {
        "topic": to.topic,
        "key": domain.channels.topics.fold(to.topic),
    }
    if to.counts_as_move:
        columns.append("moved_at = :now")
        values |= {"now": tx.now}
    if to.channel_id is not None:
        columns += ["channel_id = :channel", "arrived_seq = :seq", _CLOSED_SEQ]
        values |= {"channel": to.channel_id, "seq": to.arrived_seq}
    tx.execute(
        f"UPDATE message SET {', '.join(columns)} WHERE realm_id = :realm AND id IN :ids",
        ids=list(message_ids),
        **values,
    )
    storage.search.index.record_changes(tx, message_ids)


# A message that leaves a channel whose history was closed stays closed to later subscribers.
_CLOSED_SEQ = (
    "closed_seq = coalesce((SELECT c.closed_seq FROM channel c WHERE c.id = message.channel_id"
    " AND message.id <= c.closed_message_id"
    " AND (message.arrived_seq IS NULL OR message.arrived_seq < c.closed_seq)), closed_seq)"
)
