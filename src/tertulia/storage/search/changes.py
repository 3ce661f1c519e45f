"""Changes of messages that are not indexed yet, counted so that none is missed.

`search_head.changes` counts the changes in an organization, and `search_stale` has the count at the
last change of each message. A text that was read when the count was n has all changes up to n.
"""

from collections.abc import Sequence

from tertulia.database.tx import Tx


def count(tx: Tx) -> int:
    """The number of changes of messages in this organization."""
    return tx.number("SELECT changes AS value FROM search_head WHERE realm_id = :realm")


def last_of(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """The number of the last change of each message that is marked as changed."""
    rows = tx.tuples(
        "SELECT message_id, change FROM search_stale"
        " WHERE realm_id = :realm AND message_id IN :ids",
        ids=list(message_ids),
    )
    return dict(rows)


def record(tx: Tx, message_ids: Sequence[int]) -> None:
    """Count a change, and mark these messages, indexed or not: their texts may have been read
    already."""
    if not message_ids:
        return
    tx.execute(
        "INSERT INTO search_head (realm_id, indexed_to, changes) VALUES (:realm, 0, 1)"
        " ON CONFLICT (realm_id) DO UPDATE SET changes = search_head.changes + 1"
    )
    tx.execute(
        "INSERT INTO search_stale (realm_id, message_id, change)"
        " SELECT m.realm_id, m.id, h.changes FROM message m"
        " JOIN search_head h ON h.realm_id = m.realm_id"
        " WHERE m.realm_id = :realm AND m.id IN :ids"
        " ON CONFLICT (realm_id, message_id) DO UPDATE SET change = excluded.change",
        ids=list(message_ids),
    )


def unmark(tx: Tx, message_ids: Sequence[int]) -> None:
    """Unmark messages as changed."""
    if message_ids:
        tx.execute(
            "DELETE FROM search_stale WHERE realm_id = :realm AND message_id IN :ids",
            ids=list(message_ids),
        )
