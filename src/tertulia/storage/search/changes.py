"""Changes of messages that are not indexed yet, counted so that none is missed.

`search_head.changes` counts the changes in an organization, and `search_stale` has the count at the
last change of each message. `search_stale_topic` has it for all messages of a topic that was moved;
the indexer replaces it by rows of `search_stale`. A text that was read when the count was n has all
changes up to n.
"""

from collections.abc import Sequence

from tertulia.database.tx import Tx

MAX_EXPANDED = 500  # messages of a marked topic in one transaction

# Whether a row `s` of `search_stale_topic` marks the message `m`.
_IN_TOPIC = "s.topic_id = m.topic_id AND m.id > s.after_id"
# The ids of all messages that are marked as changed.
MARKED = (
    "SELECT message_id FROM search_stale WHERE realm_id = :realm"
    " UNION SELECT m.id FROM search_stale_topic s"
    f" JOIN message m ON {_IN_TOPIC} WHERE s.realm_id = :realm"
)


def count(tx: Tx) -> int:
    """The number of changes of messages in this organization."""
    return tx.number("SELECT changes AS value FROM search_head WHERE realm_id = :realm")


def last_of(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """The number of the last change of each message that is marked as changed."""
    rows = tx.tuples(
        "SELECT message_id, max(change) FROM (SELECT message_id, change FROM search_stale"
        " WHERE realm_id = :realm AND message_id IN :ids UNION ALL SELECT m.id, s.change"
        f" FROM message m JOIN search_stale_topic s ON {_IN_TOPIC} WHERE m.id IN :ids) changed"
        " GROUP BY message_id",
        ids=list(message_ids),
    )
    return dict(rows)


def record(tx: Tx, message_ids: Sequence[int]) -> None:
    """Count a change, and mark these messages, indexed or not: their texts may have been read
    already."""
    if not message_ids:
        return
    _count_change(tx)
    _mark(tx, message_ids, "h.changes", "search_head h ON h.realm_id = m.realm_id")


def unmark(tx: Tx, message_ids: Sequence[int]) -> None:
    """Unmark messages as changed."""
    if message_ids:
        tx.execute(
            "DELETE FROM search_stale WHERE realm_id = :realm AND message_id IN :ids",
            ids=list(message_ids),
        )


def record_topic(tx: Tx, topic_id: int) -> None:
    """Count a change, and mark all messages of a topic row, which may be many, with one row."""
    _count_change(tx)
    tx.execute(
        "INSERT INTO search_stale_topic (realm_id, topic_id, change, after_id)"
        " SELECT realm_id, :topic, changes, 0 FROM search_head WHERE realm_id = :realm"
        " ON CONFLICT (topic_id) DO UPDATE SET change = excluded.change, after_id = 0",
        topic=topic_id,
    )


def has_marked_topic(tx: Tx) -> bool:
    return tx.has_row("search_stale_topic")


def expand_topic(tx: Tx) -> None:
    """Mark some messages of a marked topic row one by one."""
    row = tx.one(
        "SELECT topic_id, change, after_id FROM search_stale_topic WHERE realm_id = :realm"
        " ORDER BY topic_id LIMIT 1"
    )
    if row is None:
        return
    ids = tx.column(
        "SELECT id FROM message WHERE topic_id = :topic AND id > :after ORDER BY id LIMIT :limit",
        topic=row["topic_id"],
        after=row["after_id"],
        limit=MAX_EXPANDED,
    )
    mark_of_topic(tx, ids)
    if len(ids) < MAX_EXPANDED:
        tx.delete("search_stale_topic", topic_id=row["topic_id"])
    else:
        tx.execute(
            "UPDATE search_stale_topic SET after_id = :after WHERE topic_id = :topic",
            after=ids[-1],
            topic=row["topic_id"],
        )


def mark_of_topic(tx: Tx, message_ids: Sequence[int]) -> None:
    """Mark those of the messages one by one whose topic is marked."""
    _mark(tx, message_ids, "s.change", f"search_stale_topic s ON {_IN_TOPIC}")


def _count_change(tx: Tx) -> None:
    tx.execute(
        "INSERT INTO search_head (realm_id, indexed_to, changes) VALUES (:realm, 0, 1)"
        " ON CONFLICT (realm_id) DO UPDATE SET changes = search_head.changes + 1"
    )


def _mark(tx: Tx, message_ids: Sequence[int], change: str, source: str) -> None:
    tx.execute(
        "INSERT INTO search_stale (realm_id, message_id, change)"
        f" SELECT m.realm_id, m.id, {change} FROM message m JOIN {source}"
        " WHERE m.realm_id = :realm AND m.id IN :ids"
        " ON CONFLICT (realm_id, message_id) DO UPDATE SET change ="
        " CASE WHEN search_stale.change < excluded.change THEN excluded.change"
        " ELSE search_stale.change END",
        ids=list(message_ids),
    )
