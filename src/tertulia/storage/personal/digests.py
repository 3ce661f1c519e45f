"""Contents of digests, and when each user was last considered for one."""

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.personal.digests import MAX_MESSAGES, SAMPLES, ActiveTopic


def written_at(tx: Tx) -> dict[int, float]:
    """When each user was last considered."""
    return dict(tx.tuples("SELECT user_id, written_at FROM digest WHERE realm_id = :realm"))


def record(tx: Tx, user_id: int) -> None:
    tx.upsert("digest", ("user_id",), user_id=user_id, written_at=tx.now)


def active_topics(tx: Tx, since: float) -> list[ActiveTopic]:
    """Recent messages of people in channels, by topic."""
    rows = tx.all(
        "SELECT m.id, m.channel_id, t.name AS topic, t.name_key AS topic_key,"
        " m.sender_id FROM message m JOIN topic t ON t.id = m.topic_id"
        " JOIN account a ON a.id = m.sender_id"
        " WHERE m.realm_id = :realm AND m.id > :last AND m.channel_id IS NOT NULL"
        " AND a.bot_type IS NULL ORDER BY m.id DESC LIMIT :limit",
        last=storage.messages.last_before(tx, since),
        limit=MAX_MESSAGES,
    )
    ids: dict[tuple[int, str], list[int]] = {}
    writers: dict[tuple[int, str], set[int]] = {}
    names: dict[tuple[int, str], str] = {}
    for row in rows:
        topic_key = (row["channel_id"], row["topic_key"])
        ids.setdefault(topic_key, []).append(row["id"])
        writers.setdefault(topic_key, set()).add(row["sender_id"])
        names.setdefault(topic_key, row["topic"])
    return [
        ActiveTopic(
            channel_id=topic_key[0],
            topic=names[topic_key],
            messages=len(found),
            writers=len(writers[topic_key]),
            first_ids=tuple(reversed(found[-SAMPLES:])),
            only_writer=min(writers[topic_key]) if len(writers[topic_key]) == 1 else None,
        )
        for topic_key, found in ids.items()
    ]
