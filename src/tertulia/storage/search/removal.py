"""Removal of messages from the index, in bounded transactions.

A message can have hundreds of words, and a word that no other message contains takes its grams with
it. A transaction removes the words of a few usual messages. Larger ones stay marked as changed, and
the indexer removes them in several transactions. Searches do not find a deleted message meanwhile:
they check that a message exists.
"""

from collections.abc import Mapping, Sequence

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.storage.search import changes, index

MAX_REMOVED_ENTRIES = 256  # words and word pairs of messages that are deleted in one transaction
MAX_DELETED_MESSAGES = 50  # whose words a command removes in one transaction
MAX_REMOVED_ROWS = 1024  # of the index, in one transaction


def remove_deleted(tx: Tx, message_ids: Sequence[int]) -> None:
    """Remove messages that are about to be deleted, or mark them for the indexer."""
    counts = index.word_counts(tx, message_ids)
    few, room = [], MAX_REMOVED_ENTRIES
    for message_id in message_ids:
        # A signature has no words, but rows.
        room -= counts.get(message_id, 0) or domain.search.signature.MAX_PARTS
        if message_id in counts and room >= 0:
            few.append(message_id)
    removed = within(index.removal_rows(tx, few), few, MAX_REMOVED_ROWS)
    later = counts.keys() - {*removed}
    index.delete(tx, removed)
    changes.unmark(tx, [each for each in message_ids if each not in later])
    index.record_changes(tx, sorted(later))


def remove_some_deleted(tx: Tx) -> bool:
    """Remove some of the deleted messages that were left to the indexer. Returns whether there were
    any."""
    ids = tx.column(
        "SELECT s.message_id FROM search_stale s LEFT JOIN message m ON m.id = s.message_id"
        " WHERE s.realm_id = :realm AND m.id IS NULL ORDER BY s.message_id LIMIT :limit",
        limit=MAX_DELETED_MESSAGES,
    )
    index.delete(tx, ids)
    return bool(ids)


def within(rows: Mapping[int, int], message_ids: Sequence[int], max_rows: int) -> list[int]:
    """Those of some messages that fit into so many rows together; `rows` has those of each."""
    found, room = [], max_rows
    for message_id in message_ids:
        cost = rows.get(message_id, 0)
        if cost <= room:
            room -= cost
            found.append(message_id)
    return found
