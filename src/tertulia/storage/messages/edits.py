"""Edits and moves of messages, and their history."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Edit, Message
from tertulia.storage.channels import topics
from tertulia.storage.channels.topics import TopicRow
from tertulia.storage.messages import table
from tertulia.storage.organization import legal_holds
from tertulia.storage.row_mapper import RowMapper
from tertulia.storage.search import changes, index

_EDITS = RowMapper(Edit)


class MoveTarget(msgspec.Struct, frozen=True):
    """Where messages are moved."""

    channel_id: int
    topic: str
    new_topic: str | None = None  # set if the topic changes
    new_channel_id: int | None = None  # set if the channel changes
    arrived_seq: int | None = None  # the event with which they arrive in the other channel
    counts_as_move: bool = True  # resolving a topic does not

    origin_was_closed: bool = False  # the history of the other channel, at any time

    @property
    def columns(self) -> list[str]:
        """What changes in each of the messages, as assignments."""
        if self.new_channel_id is None:
            return []
        closed = [_ARCHIVED_SEQ] if self.origin_was_closed else []
        return ["channel_id = :channel", "arrived_seq = :seq", *closed]

    @property
    def params(self) -> dict[str, object]:
        if self.new_channel_id is None:
            return {}
        return {"channel": self.new_channel_id, "seq": self.arrived_seq}


# The moves of the topic of a message `m` since it is there, as rows `e` of `topic_edit`.
OF_TOPIC = "e.topic_id = m.topic_id AND e.id > m.topic_since"

MAX_MOVED_ALONE = 100  # more messages get a topic row of their own, which is moved instead
MAX_COPIED_MOVES = 1000  # from the history of a topic to that of its messages, in one transaction


def of_messages(
    tx: Tx, message_ids: Sequence[int], *, only_last_text: bool = False, with_held: bool = False
) -> dict[int, tuple[Edit, ...]]:
    """All changes of the messages and moves of their topics, oldest first; only the last change of
    a text with the former text, if `only_last_text`; those that only a legal hold keeps, if
    `with_held`."""
    if not message_ids:
        return {}
    texts = "prev_content, prev_rendered"
    if only_last_text:
        is_last = (
            "id = (SELECT max(last.id) FROM message_edit last"
            " WHERE last.message_id = edit.message_id AND last.prev_content IS NOT NULL)"
        )
        texts = ", ".join(
            f"CASE WHEN {is_last} THEN {name} END AS {name}" for name in texts.split(", ")
        )
    moves = (
        " UNION ALL SELECT e.id, m.id, e.user_id, e.edited_at, NULL, NULL, e.prev_topic, e.topic,"
        " e.prev_channel_id, e.channel_id, e.after_edit_id, 2"
        f" FROM message m JOIN topic_edit e ON {OF_TOPIC} WHERE m.id IN :ids"
    )
    rows = tx.all(
        f"SELECT id, message_id, user_id, edited_at, {texts}, prev_topic,"
        " topic, prev_channel_id, channel_id, coalesce(after_edit_id, id) AS place,"
        " CASE WHEN after_edit_id IS NULL THEN 0 ELSE 1 END AS kind FROM message_edit edit"
        f" WHERE message_id IN :ids{'' if with_held else ' AND NOT is_held'}{moves}"
        " ORDER BY message_id, place, kind, id",
        ids=list(message_ids),
    )
    found: dict[int, list[Edit]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_EDITS.of(row))
    first = 0 if with_held else -domain.limits.MAX_EDITS_PER_MESSAGE
    return {message_id: tuple(edits[first:]) for message_id, edits in found.items()}


def place(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """The place of a row of `message_edit` in the history of its message."""
    after = row["after_edit_id"]
    return (row["id"], 0, row["id"]) if after is None else (after, 1, row["id"])


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


def detach(tx: Tx, message_ids: Sequence[int]) -> None:
    """Copy the moves of their topics to messages that leave them, or whose next move is recorded
    with their text."""
    ids = list(message_ids)
    names = "user_id, edited_at, prev_topic, topic, prev_channel_id, channel_id, after_edit_id"
    copied = tx.execute(
        f"INSERT INTO message_edit (realm_id, message_id, {names})"
        f" SELECT m.realm_id, m.id, e.{names.replace(', ', ', e.')} FROM message m"
        f" JOIN topic_edit e ON {OF_TOPIC} WHERE m.realm_id = :realm AND m.id IN :ids"
        " ORDER BY m.id, e.id",
        ids=ids,
    )
    if copied:
        place = "FROM topic t WHERE t.id = message.topic_id"
        tx.execute(
            f"UPDATE message SET topic_since = (SELECT t.edit_id {place}), moved_at = coalesce("
            f"(SELECT t.moved_at {place} AND t.moved_edit_id > message.topic_since), moved_at)"
            " WHERE realm_id = :realm AND id IN :ids AND topic_id IS NOT NULL",
            ids=ids,
        )
        _delete_oldest_of(tx, ids)


def _insert_moves(tx: Tx, message_ids: Sequence[int], user_id: int, to: MoveTarget) -> None:
    """Record the location of messages; call it before they are moved."""
    ids = list(message_ids)
    tx.execute(
        "INSERT INTO message_edit (realm_id, message_id, user_id, edited_at, prev_topic, topic,"
        " prev_channel_id, channel_id) SELECT m.realm_id, m.id, :user, :now,"
        f" {'NULL' if to.new_topic is None else topics.NAME}, :topic,"
        f" {'NULL' if to.new_channel_id is None else 'm.channel_id'}, :channel"
        " FROM message m WHERE m.realm_id = :realm AND m.id IN :ids ORDER BY m.id",
        user=user_id,
        now=tx.now,
        topic=to.new_topic,
        channel=to.new_channel_id,
        ids=ids,
    )
    _delete_oldest_of(tx, ids)


def _delete_oldest_of(tx: Tx, ids: list[int]) -> None:
    often = tx.column(
        "SELECT message_id FROM message_edit WHERE message_id IN :ids AND NOT is_held"
        " GROUP BY message_id HAVING count(*) > :limit",
        ids=ids,
        limit=domain.limits.MAX_EDITS_PER_MESSAGE,
    )
    for message_id in often:
        _delete_oldest(tx, message_id)


def _delete_oldest(tx: Tx, message_id: int) -> None:
    """Limit the history, because it is sent with the message; the newest change always stays."""
    rows = tx.all(
        "SELECT id, coalesce(length(prev_content), 0) + coalesce(length(prev_rendered), 0) AS size"
        " FROM message_edit WHERE message_id = :message AND NOT is_held"
        " ORDER BY id DESC LIMIT :limit",
        message=message_id,
        limit=domain.limits.MAX_EDITS_PER_MESSAGE + 1,
    )
    room = domain.limits.MAX_EDITED_LENGTH
    for number, row in enumerate(rows):
        room -= row["size"]
        if number and (room < 0 or number == domain.limits.MAX_EDITS_PER_MESSAGE):
            is_held = legal_holds.held_among(tx, [message_id])
            change = (
                "UPDATE message_edit SET is_held = TRUE" if is_held else "DELETE FROM message_edit"
            )
            tx.execute(
                f"{change} WHERE message_id = :message AND id <= :id",
                message=message_id,
                id=row["id"],
            )
            return


def set_content(tx: Tx, message_id: int, draft: Draft) -> None:
    words = table.content_columns(draft)
    tx.execute(
        f"UPDATE message SET {table.assigned(words)}, edited_at = :now,"
        " channel_wildcard = (:wildcard AND channel_id IS NOT NULL) WHERE id = :id",
        wildcard=draft.mentions.channel_wildcard,
        now=tx.now,
        id=message_id,
        **words,
    )
    index.record_changes(tx, [message_id])


def count_of_others(tx: Tx, parts: Sequence["TopicPart"], user_id: int) -> int:
    """The number of these messages that other users have sent."""
    return sum(
        tx.number(
            "SELECT count(*) AS value FROM message WHERE topic_id = :topic AND sender_id <> :user"
            f"{'' if part.is_whole else ' AND id IN :ids'}",
            topic=part.topic_id,
            user=user_id,
            **({} if part.is_whole else {"ids": part.ids}),
        )
        for part in parts
    )


def move(
    tx: Tx,
    parts: Sequence["TopicPart"],
    user_id: int,
    to: MoveTarget,
    recorded_id: int | None = None,
) -> None:
    """Move messages of one topic; recipients and read state do not change.

    A topic row whose messages all move is changed instead of them. The move of the message with
    `recorded_id` is recorded already, with its text.
    """
    for part in parts:
        target = topics.named(tx, to.channel_id, to.topic)
        joins = target is not None and all(target.id != each.topic_id for each in parts)
        if len(part.ids) <= part.portion and (joins or not part.is_whole):
            target = target or topics.get_or_start(tx, to.channel_id, to.topic)
            _move_messages(tx, part.ids, target, user_id, to, recorded_id)
            topics.delete_empty(tx, [part.topic_id])
        else:
            row_id = part.topic_id if part.is_whole else split(tx, part.topic_id, part.ids, None)
            assert row_id is not None
            _move_row(tx, row_id, user_id, to, recorded_id if recorded_id in part.ids else None)


def prepare_move(tx: Tx, topic_ids: Sequence[int], to: MoveTarget, other_than: int) -> None:
    """Change all messages of some topic rows, besides one, as if the rows had moved."""
    tx.execute(
        f"UPDATE message SET {', '.join(to.columns)} WHERE topic_id IN :topics AND id <> :other",
        topics=list(topic_ids),
        other=other_than,
        **to.params,
    )


class TopicPart(NamedTuple):
    """Messages of a topic row."""

    topic_id: int
    ids: list[int]
    is_whole: bool  # the row has no others
    moves: int  # of the row, which are copied to each message that leaves it

    @property
    def portion(self) -> int:
        """How many messages may leave the row in one transaction."""
        return max(1, min(MAX_MOVED_ALONE, MAX_COPIED_MOVES // max(1, self.moves)))

    def among(self, ids: set[int]) -> "TopicPart":
        """Those of its messages that are among some others."""
        moved = [each for each in self.ids if each in ids]
        return self._replace(ids=moved, is_whole=self.is_whole and len(moved) == len(self.ids))

    @property
    def moves_as_row(self) -> bool:
        return self.is_whole and len(self.ids) > self.portion

    @property
    def must_be_split(self) -> bool:
        """Whether its messages are so many that they are moved with a row of their own."""
        return not self.is_whole and len(self.ids) > self.portion


def parts_of(tx: Tx, channel_id: int, topic: str) -> list[TopicPart]:
    """All messages of a topic, oldest first, by topic row."""
    joined = tx.dialect.sql.joined_ids("m.id")
    rows = tx.tuples(
        f"SELECT t.id, (SELECT {joined} FROM message m WHERE m.topic_id = t.id),"
        " (SELECT count(*) FROM topic_edit e WHERE e.topic_id = t.id) FROM topic t"
        " WHERE t.channel_id = :channel AND t.name_key = :key ORDER BY t.id",
        channel=channel_id,
        key=domain.channels.topics.fold(topic),
    )
    return [
        TopicPart(topic_id, sorted(map(int, ids.split(","))), True, moves)
        for topic_id, ids, moves in rows
        if ids
    ]


def split(tx: Tx, topic_id: int, message_ids: Sequence[int], row_id: int | None) -> int | None:
    """Give some messages of a topic row a row of their own, in the same place. Readers see no
    difference.

    `row_id` is the new row, if others were given to it before. Returns the new row, or None if one
    of the rows was moved meanwhile.
    """
    if row_id is None:
        row_id = tx.number(
            "INSERT INTO topic (realm_id, channel_id, name, name_key)"
            " SELECT realm_id, channel_id, name, name_key FROM topic WHERE id = :id"
            " RETURNING id AS value",
            id=topic_id,
        )
    elif not tx.exists(
        "SELECT 1 AS found FROM topic a JOIN topic b ON b.channel_id = a.channel_id"
        " AND b.name = a.name WHERE a.id = :old AND b.id = :new",
        old=topic_id,
        new=row_id,
    ):
        return None
    ids = tx.column(
        "SELECT id FROM message WHERE topic_id = :topic AND id IN :ids",
        topic=topic_id,
        ids=list(message_ids),
    )
    detach(tx, ids)
    changes.mark_of_topic(tx, ids)
    tx.execute(
        "UPDATE message SET topic_id = :row,"
        " topic_since = (SELECT t.edit_id FROM topic t WHERE t.id = :row)"
        " WHERE realm_id = :realm AND id IN :ids",
        row=row_id,
        ids=ids,
    )
    topics.delete_empty(tx, [topic_id, row_id])
    return row_id


def _move_messages(
    tx: Tx, ids: list[int], target: TopicRow, user_id: int, to: MoveTarget, recorded_id: int | None
) -> None:
    """Move each message to another topic row.

    One statement writes each row once: in PostgreSQL every version of a row is written to all
    indexes, and other writers wait meanwhile.
    """
    detach(tx, ids)
    _insert_moves(tx, [each for each in ids if each != recorded_id], user_id, to)
    moved = ["moved_at = :now"] if to.counts_as_move else []
    columns = ["topic_id = :topic", "topic_since = :since", *moved, *to.columns]
    tx.execute(
        f"UPDATE message SET {', '.join(columns)} WHERE realm_id = :realm AND id IN :ids",
        topic=target.id,
        since=target.edit_id,
        now=tx.now,
        ids=ids,
        **to.params,
    )
    index.record_changes(tx, ids)


def _move_row(tx: Tx, topic_id: int, user_id: int, to: MoveTarget, recorded_id: int | None) -> None:
    """Move all messages of a topic row: one row changes."""
    if recorded_id is not None:
        detach(tx, [recorded_id])
    edit_id = tx.number(
        "INSERT INTO topic_edit (realm_id, topic_id, user_id, edited_at, prev_topic, topic,"
        " prev_channel_id, channel_id, after_edit_id) SELECT realm_id, id, :user, :now,"
        f" {'NULL' if to.new_topic is None else 'name'}, :new_topic,"
        f" {'NULL' if to.new_channel_id is None else 'channel_id'}, :new_channel,"
        " coalesce((SELECT max(e.id) FROM message_edit e), 0)"
        " FROM topic WHERE id = :topic RETURNING id AS value",
        user=user_id,
        now=tx.now,
        new_topic=to.new_topic,
        new_channel=to.new_channel_id,
        topic=topic_id,
    )
    moved = {"moved_edit_id": edit_id, "moved_at": tx.now} if to.counts_as_move else {}
    tx.update(
        "topic",
        topic_id,
        channel_id=to.channel_id,
        name=to.topic,
        name_key=domain.channels.topics.fold(to.topic),
        edit_id=edit_id,
        **moved,
    )
    if recorded_id is not None:
        since: dict[str, object] = {"moved_at": tx.now} if to.counts_as_move else {}
        tx.update("message", recorded_id, topic_since=edit_id, **since)
    if to.columns:
        tx.execute(
            f"UPDATE message SET {', '.join(to.columns)}"
            " WHERE topic_id = :topic AND channel_id <> :channel",  # others are prepared
            topic=topic_id,
            **to.params,
        )
    changes.record_topic(tx, topic_id)


# A message that leaves a channel whose history was closed stays closed to later subscribers.
_ARCHIVED_SEQ = (
    "archived_seq = coalesce((SELECT c.archived_seq FROM channel c WHERE c.id = message.channel_id"
    " AND message.id <= c.archived_message_id"
    " AND (message.arrived_seq IS NULL OR message.arrived_seq < c.archived_seq)), archived_seq)"
)
