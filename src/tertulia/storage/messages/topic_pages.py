"""Reads for the public pages: topics by their newest message, and a topic in pages.

Every query is bounded by what a page shows, not by the size of the channel.
"""

from collections.abc import Iterator
from itertools import starmap

import msgspec

from tertulia.caches.topic_starts import TopicStarts
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import TopicMessage
from tertulia.storage import log
from tertulia.storage.channels import topics
from tertulia.storage.messages import reactions, submessages

MAX_SCANNED = 10_000  # messages that a list of topics looks through
SCAN_BATCH = 500


class TopicHead(msgspec.Struct, frozen=True):
    """A topic of a channel, known by its newest message."""

    channel_id: int
    key: str
    newest_id: int


class ListedTopic(msgspec.Struct, frozen=True):
    """A topic in a sitemap."""

    topic: str
    changed_at: float  # when its newest message was sent


class TopicNeighbours(msgspec.Struct, frozen=True):
    """The topics of the messages just before a topic began and just after its newest message.
    Following one of them again and again reaches an end: the ids only fall, or only rise."""

    earlier: str | None
    later: str | None


def starts(tx: Tx, channel_id: int, topic_key: str, page_messages: int) -> TopicStarts:
    """Where the pages of a topic start. Takes a microsecond per message."""
    where, params = topics.condition(tx, channel_id, topic_key)
    rows = tx.tuples(
        "SELECT n, id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n,"
        f" count(*) OVER () AS total FROM message WHERE {where}) numbered"
        " WHERE mod(n, :size) = 1 OR n = total ORDER BY n",
        size=page_messages,
        **params,
    )
    first = [message_id for number, message_id in rows if number % page_messages == 1]
    count, last_id = rows[-1] if rows else (0, 0)
    return TopicStarts(first, count, last_id, log.end(tx).seq)


def id_at(tx: Tx, channel_id: int, topic_key: str, offset: int) -> int:
    """The message of a topic with so many older ones. It is found in the index alone."""
    where, params = topics.condition(tx, channel_id, topic_key)
    return tx.number(
        f"SELECT id AS value FROM message WHERE {where} ORDER BY id LIMIT 1 OFFSET :offset",
        offset=offset,
        **params,
    )


def page(
    tx: Tx, channel_id: int, topic_key: str, first_id: int, limit: int, *, with_content: bool
) -> list[TopicMessage]:
    """Messages of a topic from one of them on, with reactions and polls, oldest first."""
    content = ", m.content" if with_content else ""
    where, params = topics.condition(tx, channel_id, topic_key)
    rows = tx.tuples(
        "SELECT m.id, m.sender_id, m.rendered, m.sent_at, m.is_me, m.edited_at,"
        " EXISTS (SELECT 1 FROM reaction r WHERE r.message_id = m.id)"
        f" OR EXISTS (SELECT 1 FROM submessage s WHERE s.message_id = m.id){content}"
        f" FROM message m WHERE m.{where} AND m.id >= :first ORDER BY m.id LIMIT :limit",
        first=first_id,
        limit=limit,
        **params,
    )
    messages = list(starmap(TopicMessage, rows))
    ids = [each.id for each in messages if each.has_details]
    if not ids:
        return messages
    reacted = reactions.of_messages(tx, ids)
    parts = submessages.of_messages(tx, ids)
    return [
        msgspec.structs.replace(
            each, reactions=reacted.get(each.id, ()), submessages=parts.get(each.id, ())
        )
        for each in messages
    ]


def current_name(tx: Tx, channel_id: int, topic_key: str) -> str | None:
    """The topic as its newest message has it."""
    rows = tx.tuples(
        "SELECT t.name, (SELECT max(m.id) FROM message m WHERE m.topic_id = t.id) FROM topic t"
        " WHERE t.channel_id = :channel AND t.name_key = :topic ORDER BY 2 DESC LIMIT 1",
        channel=channel_id,
        topic=topic_key,
    )
    return rows[0][0] if rows else None


def neighbours(tx: Tx, channel_id: int, topic_key: str) -> TopicNeighbours:
    """The topics before and after a topic. Four entries of the indexes are read, however much
    there is."""
    where, params = topics.condition(tx, channel_id, topic_key)
    ids = f"FROM message WHERE {where}"
    before = tx.dialect.sql.beside("channel_id", ":channel", "<", f"(SELECT min(id) {ids})")
    after = tx.dialect.sql.beside("channel_id", ":channel", ">", f"(SELECT max(id) {ids})")
    topic = f"SELECT CASE WHEN channel_id = :channel THEN {topics.NAME} END FROM message m WHERE"
    row = tx.one(
        f"SELECT ({topic} {before} ORDER BY channel_id DESC, id DESC LIMIT 1) AS earlier,"
        f" ({topic} {after} ORDER BY channel_id, id LIMIT 1) AS later",
        channel=channel_id,
        **params,
    )
    assert row is not None
    return TopicNeighbours(row["earlier"], row["later"])


def newest_ids(tx: Tx, channel_id: int, topic_key: str, limit: int) -> list[int]:
    """The newest messages of a topic, newest first."""
    where, params = topics.condition(tx, channel_id, topic_key)
    return tx.column(
        f"SELECT id FROM message WHERE {where} ORDER BY id DESC LIMIT :limit",
        limit=limit,
        **params,
    )


def count(tx: Tx, channel_id: int, topic_key: str, limit: int) -> int:
    """The number of messages of a topic; stops counting at `limit`."""
    where, params = topics.condition(tx, channel_id, topic_key)
    return tx.number(
        f"SELECT count(*) AS value FROM (SELECT 1 FROM message WHERE {where} LIMIT :limit) counted",
        limit=limit,
        **params,
    )


def count_topics(tx: Tx, channel_id: int, limit: int) -> int:
    """The number of topics of a channel; stops counting at `limit`."""
    return tx.number(
        "SELECT count(*) AS value FROM (SELECT DISTINCT name_key FROM topic"
        " WHERE channel_id = :channel LIMIT :limit) counted",
        channel=channel_id,
        limit=limit,
    )


def newest_at(tx: Tx, channel_id: int) -> float | None:
    """When the newest message of a channel was sent."""
    found: float | None = tx.value(
        "SELECT sent_at AS value FROM message WHERE channel_id = :channel ORDER BY id DESC LIMIT 1",
        channel=channel_id,
    )
    return found


def count_before(tx: Tx, channel_id: int, topic_key: str, message_id: int) -> int:
    """How many messages of a topic are older than a message."""
    where, params = topics.condition(tx, channel_id, topic_key)
    return tx.number(
        f"SELECT count(*) AS value FROM message WHERE {where} AND id < :id",
        id=message_id,
        **params,
    )


def newest_topics(
    tx: Tx, channel_id: int, before: int | None, limit: int
) -> tuple[list[TopicHead], int | None]:
    """The topics of a channel by their newest messages, newest first.

    With `before`, only topics whose newest message is older. The second value is the `before` of
    the next page, or None at the end.
    """
    found: list[TopicHead] = []
    scanned_to = None
    for message_id, key in _scan(tx, channel_id, before):
        if len(found) == limit:
            return found, found[-1].newest_id
        scanned_to = message_id
        if all(each.key != key for each in found) and _is_newest(
            tx, channel_id, key, message_id, is_certain=before is None
        ):
            found.append(TopicHead(channel_id, key, message_id))
    is_whole = scanned_to is None or not tx.exists(
        "SELECT 1 AS found FROM message WHERE channel_id = :channel AND id < :before LIMIT 1",
        channel=channel_id,
        before=scanned_to,
    )
    return found, None if is_whole else scanned_to


def topics_between(tx: Tx, channel_id: int, first_id: int, last_id: int) -> list[ListedTopic]:
    """The topics whose newest message is in a range of ids, `last_id` excluded; oldest first."""
    rows = tx.all(
        f"SELECT {topics.NAME} AS topic, m.sent_at FROM (SELECT p.name_key,"
        " max(n.id) AS newest FROM message n JOIN topic p ON p.id = n.topic_id"
        " WHERE n.channel_id = :channel AND n.id >= :first AND n.id < :last GROUP BY p.name_key) t"
        " JOIN message m ON m.id = t.newest WHERE NOT EXISTS (SELECT 1 FROM topic o JOIN message l"
        " ON l.topic_id = o.id WHERE o.channel_id = :channel AND o.name_key = t.name_key"
        " AND l.id >= :last) ORDER BY m.id",
        channel=channel_id,
        first=first_id,
        last=last_id,
    )
    return [ListedTopic(row["topic"], row["sent_at"]) for row in rows]


def range_of_ids(tx: Tx, channel_id: int) -> tuple[int, int] | None:
    """The ids of the oldest and the newest message of a channel."""
    row = tx.one(
        "SELECT min(id) AS oldest, max(id) AS newest FROM message WHERE channel_id = :channel",
        channel=channel_id,
    )
    return None if row is None or row["oldest"] is None else (row["oldest"], row["newest"])


def _scan(tx: Tx, channel_id: int, before: int | None) -> Iterator[tuple[int, str]]:
    """The newest messages of a channel with their topics, newest first."""
    for _ in range(MAX_SCANNED // SCAN_BATCH):
        older = "" if before is None else " AND m.id < :before"
        rows = tx.all(
            f"SELECT m.id, {topics.KEY} AS topic_key FROM message m"
            f" WHERE m.channel_id = :channel{older} ORDER BY m.id DESC LIMIT :limit",
            channel=channel_id,
            limit=SCAN_BATCH,
            **({} if before is None else {"before": before}),
        )
        for row in rows:
            yield row["id"], row["topic_key"]
        if len(rows) < SCAN_BATCH:
            return
        before = rows[-1]["id"]


def _is_newest(
    tx: Tx, channel_id: int, topic_key: str, message_id: int, *, is_certain: bool
) -> bool:
    if is_certain:
        return True
    where, params = topics.condition(tx, channel_id, topic_key)
    return not tx.exists(
        f"SELECT 1 AS found FROM message WHERE {where} AND id > :id LIMIT 1",
        id=message_id,
        **params,
    )
