"""Presence: stores the changes that were collected in memory."""

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.presence import EXPIRY_DAYS, Presence
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.storage.people.presence import NumberedPresence


def record(tx: Tx, pending: dict[int, Presence], known: int) -> list[NumberedPresence]:
    """Store a batch. Returns all changes after the last known number."""
    storage.people.presence.store(tx, pending)
    return storage.people.presence.since(tx, known)


def delete_stale(tx: Tx) -> int:
    return storage.people.presence.delete_before(tx, expiry_threshold(tx.now))


def expiry_threshold(now: float) -> float:
    return now - EXPIRY_DAYS * SECONDS_PER_DAY
