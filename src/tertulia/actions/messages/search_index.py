"""Searching: keeping the index of words up to date, a few messages at a time."""

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.storage.search.batch import MAX_MESSAGES, IndexBatch
from tertulia.storage.search.execution import MAX_FRESH_BYTES, MAX_UNINDEXED_MESSAGES
from tertulia.storage.search.phrase_filter import PendingJoints

AT_ONCE = MAX_MESSAGES  # so that nobody who sends has to wait for long
JOINED_AT_ONCE = 500
MIN_MESSAGES_TO_INDEX_PHRASES = 4000  # fewer are quickly looked through
MAX_COUNTED = 10_000


def index_some(tx: Tx, most: int = AT_ONCE) -> int:
    """Index messages that are not indexed as they are; says how many there were to do."""
    return storage.search.batch.index_some(tx, most)


def prepare(tx: Tx) -> IndexBatch:
    """Read and split what to index next, outside of the transaction that writes it."""
    return storage.search.batch.prepare(tx)


def write_batch(tx: Tx, batch: IndexBatch) -> int:
    """Write what was prepared, as far as it is still true; says how many messages are done."""
    return storage.search.batch.write(tx, batch)


def index_batch(
    tx: Tx, most: int = JOINED_AT_ONCE, least: int = MIN_MESSAGES_TO_INDEX_PHRASES
) -> int:
    """Note how words meet in messages that were indexed a while ago; says in how many."""
    return storage.search.phrase_filter.index_batch(tx, most, least)


def pending_joints(tx: Tx) -> PendingJoints:
    """What to join next, as long as the server is at it; it is done in parts."""
    return storage.search.phrase_filter.pending_joints(
        tx, JOINED_AT_ONCE, MIN_MESSAGES_TO_INDEX_PHRASES
    )


def is_far_behind(tx: Tx) -> bool:
    """Whether there is more than a search looks through by itself."""
    if storage.search.index.count_behind(tx, MAX_UNINDEXED_MESSAGES + 1) > MAX_UNINDEXED_MESSAGES:
        return True
    return storage.search.index.bytes_behind(tx, MAX_UNINDEXED_MESSAGES) > MAX_FRESH_BYTES


def count_behind(tx: Tx) -> int:
    """How many messages are not indexed as they are; MAX_COUNTED stands for all beyond that."""
    return min(storage.search.index.count_behind(tx, MAX_COUNTED), MAX_COUNTED)
