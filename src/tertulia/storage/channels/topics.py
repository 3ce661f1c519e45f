"""Topics. They have no table: the messages of a channel define them."""

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.storage.channels.subscriptions import RECEIVED_WHILE_SUBSCRIBED


def message_ids(tx: Tx, channel_id: int, topic: str) -> list[int]:
    """The messages of a topic, oldest first."""
    return tx.column(
        "SELECT id FROM message WHERE channel_id = :channel AND topic_key = :topic ORDER BY id",
        channel=channel_id,
        topic=domain.channels.topics.fold(topic),
    )


def newest_message(tx: Tx, channel_id: int, topic: str) -> int | None:
    """The last message of a topic, if it has any.

    The query reads the end of the index by topic. With a condition on the topic, PostgreSQL may
    scan the messages of the whole channel.
    """
    last = tx.one(
        "SELECT topic_key, id FROM message WHERE channel_id = :channel AND topic_key <= :topic"
        " ORDER BY topic_key DESC, id DESC LIMIT 1",
        channel=channel_id,
        topic=domain.channels.topics.fold(topic),
    )
    return (
        last["id"]
        if last is not None and last["topic_key"] == domain.channels.topics.fold(topic)
        else None
    )


def exists(tx: Tx, channel_id: int, topic: str) -> bool:
    return newest_message(tx, channel_id, topic) is not None


def has_named(tx: Tx, channel_id: int) -> bool:
    """Whether any message of a channel has a topic other than the empty one."""
    return tx.exists(
        "SELECT 1 AS found FROM message WHERE channel_id = :channel AND topic_key > '' LIMIT 1",
        channel=channel_id,
    )


def of_channel(tx: Tx, channel_id: int, received_by: int | None) -> list[tuple[str, int]]:
    """The topics of a channel with their newest messages, newest first.

    A topic has the name of its newest message. With `received_by`, only messages count that arrived
    while that user was subscribed.
    """
    received = "" if received_by is None else f" AND {RECEIVED_WHILE_SUBSCRIBED}"
    # Jumps from one topic to the next and reads the end of each: the cost depends on the number of
    # topics, not of messages.
    rows = tx.all(
        "WITH RECURSIVE t (key) AS ("
        " SELECT min(topic_key) FROM message WHERE channel_id = :channel"
        " UNION ALL SELECT (SELECT min(m.topic_key) FROM message m"
        " WHERE m.channel_id = :channel AND m.topic_key > t.key) FROM t WHERE t.key IS NOT NULL"
        ") SELECT n.topic, n.id FROM t JOIN message n ON n.id = (SELECT m.id FROM message m"
        f" WHERE m.channel_id = :channel AND m.topic_key = t.key{received}"
        " ORDER BY m.id DESC LIMIT 1) ORDER BY n.id DESC",
        channel=channel_id,
        **({} if received_by is None else {"me": received_by}),
    )
    return [(row["topic"], row["id"]) for row in rows]


def participants(tx: Tx, channel_id: int, topic: str, limit: int) -> set[int]:
    """Users who wrote in a topic; stops counting at `most`."""
    rows = tx.all(
        "SELECT DISTINCT sender_id FROM message WHERE channel_id = :channel"
        " AND topic_key = :topic LIMIT :limit",
        channel=channel_id,
        topic=domain.channels.topics.fold(topic),
        limit=limit,
    )
    return {row["sender_id"] for row in rows}
