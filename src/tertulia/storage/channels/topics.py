"""Topics: the rows that say in which channel and topic messages are.

Several rows may have the same channel and key; for readers they are one topic. They have different
spellings, or one was moved into the topic of the other. A row without messages is deleted.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.storage.channels.subscriptions import RECEIVED_WHILE_SUBSCRIBED

# What the topic of a message `m` says about it. Subqueries: a join would read all topics for a few
# messages.
NAME = "coalesce((SELECT t.name FROM topic t WHERE t.id = m.topic_id), '')"
KEY = "coalesce((SELECT t.name_key FROM topic t WHERE t.id = m.topic_id), '')"
MOVED_AT = (
    "coalesce((SELECT t.moved_at FROM topic t WHERE t.id = m.topic_id"
    " AND t.moved_edit_id > m.topic_since), m.moved_at)"
)


class TopicRow(NamedTuple):
    id: int
    edit_id: int  # the last move of its messages


class ChannelTopic(NamedTuple):
    """A topic of a channel, with those of its messages that a user may read."""

    name: str
    first_id: int
    newest_id: int


def rows_of(tx: Tx, channel_id: int, topic_key: str) -> list[int]:
    """The ids of the rows of a topic; usually one."""
    return tx.column(
        "SELECT id FROM topic WHERE channel_id = :channel AND name_key = :key ORDER BY id",
        channel=channel_id,
        key=topic_key,
    )


def named(tx: Tx, channel_id: int, name: str) -> TopicRow | None:
    """The row with exactly this name; the first one, if there are several."""
    found = tx.tuples(
        "SELECT id, edit_id FROM topic WHERE channel_id = :channel AND name_key = :key"
        " AND name = :name ORDER BY id LIMIT 1",
        channel=channel_id,
        key=domain.channels.topics.fold(name),
        name=name,
    )
    return TopicRow(*found[0]) if found else None


def get_or_start(tx: Tx, channel_id: int, name: str) -> TopicRow:
    return named(tx, channel_id, name) or TopicRow(start(tx, channel_id, name), 0)


def start(tx: Tx, channel_id: int, name: str) -> int:
    """A new row, which gets a message in the same transaction."""
    return tx.insert_with_id(
        "topic", channel_id=channel_id, name=name, name_key=domain.channels.topics.fold(name)
    )


def delete_empty(tx: Tx, topic_ids: Sequence[int]) -> None:
    """Delete those of the rows that have no messages any more."""
    empty = tx.column(
        "SELECT id FROM topic WHERE realm_id = :realm AND id IN :ids AND NOT EXISTS"
        " (SELECT 1 FROM message m WHERE m.topic_id = topic.id)",
        ids=list(topic_ids),
    )
    if empty:
        tx.delete("search_stale_topic", topic_id=empty)
        tx.delete("topic_edit", topic_id=empty)
        tx.delete("topic", id=empty)


def condition(tx: Tx, channel_id: int, topic_key: str) -> tuple[str, dict[str, Any]]:
    """The condition for the messages of a topic, and its parameters.

    The rows are looked up first. For one row the index is in the order of the messages; a subquery
    would sort all messages of the topic.
    """
    ids = rows_of(tx, channel_id, topic_key)
    if len(ids) == 1:
        return "topic_id = :topic_row", {"topic_row": ids[0]}
    return "topic_id IN :topic_rows", {"topic_rows": ids}


def message_ids(tx: Tx, channel_id: int, topic: str, most: int | None = None) -> list[int]:
    """The messages of a topic, oldest first; all or the first ones."""
    where, params = condition(tx, channel_id, domain.channels.topics.fold(topic))
    first = "" if most is None else f" ORDER BY id LIMIT {most:d}"
    return sorted(tx.ids(f"SELECT id FROM message WHERE {where}{first}", **params))


def newest_message(tx: Tx, channel_id: int, topic: str) -> int | None:
    """The last message of a topic, if it has any."""
    found: int | None = tx.value(
        "SELECT max((SELECT max(m.id) FROM message m WHERE m.topic_id = t.id)) AS value"
        " FROM topic t WHERE t.channel_id = :channel AND t.name_key = :key",
        channel=channel_id,
        key=domain.channels.topics.fold(topic),
    )
    return found


def exists(tx: Tx, channel_id: int, topic: str) -> bool:
    return bool(rows_of(tx, channel_id, domain.channels.topics.fold(topic)))


def has_named(tx: Tx, channel_id: int) -> bool:
    """Whether any message of a channel has a topic other than the empty one."""
    return tx.exists(
        "SELECT 1 AS found FROM topic WHERE channel_id = :channel AND name_key > '' LIMIT 1",
        channel=channel_id,
    )


def of_channel(tx: Tx, channel_id: int, received_by: int | None) -> list[ChannelTopic]:
    """The topics of a channel with their first and newest messages, newest first.

    A topic has the name of its newest message. With `received_by`, only messages count that arrived
    while that user was subscribed.
    """
    received = "" if received_by is None else f" AND {RECEIVED_WHILE_SUBSCRIBED}"
    of_row = f"SELECT m.id FROM message m WHERE m.topic_id = t.id{received} ORDER BY m.id"
    rows = tx.tuples(
        f"SELECT t.name_key, t.name, ({of_row} LIMIT 1) AS first_id,"
        f" ({of_row} DESC LIMIT 1) AS newest_id"
        " FROM topic t WHERE t.channel_id = :channel",
        channel=channel_id,
        **({} if received_by is None else {"me": received_by}),
    )
    found: dict[str, ChannelTopic] = {}
    for key, name, first_id, newest_id in sorted(
        (each for each in rows if each[3] is not None), key=lambda each: each[3], reverse=True
    ):
        known = found.get(key, ChannelTopic(name, first_id, newest_id))
        found[key] = known._replace(first_id=min(first_id, known.first_id))
    return list(found.values())


def participants(tx: Tx, channel_id: int, topic: str, limit: int) -> set[int]:
    """Users who wrote in a topic; stops counting at `most`."""
    where, params = condition(tx, channel_id, domain.channels.topics.fold(topic))
    rows = tx.column(
        f"SELECT DISTINCT sender_id FROM message WHERE {where} LIMIT :limit", limit=limit, **params
    )
    return set(rows)
