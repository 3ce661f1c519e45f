"""Presence: writing down what the board has gathered."""

from tertulia.domain.presence import FORGOTTEN_AFTER_DAYS, Presence
from tertulia.domain.users import SECONDS_PER_DAY
from tertulia.storage import presence
from tertulia.storage.presence import Noted
from tertulia.storage.tx import Tx


def note(tx: Tx, pending: dict[int, Presence], known: int) -> list[Noted]:
    """Write down a batch; gives everything that has changed after the number known so far."""
    presence.note(tx, pending)
    return presence.since(tx, known)


def is_stale(tx: Tx) -> bool:
    """Whether there is anybody who has not been here for so long that it is to be forgotten."""
    return presence.has_before(tx, oldest_kept(tx.now))


def forget_stale(tx: Tx) -> int:
    return presence.forget_before(tx, oldest_kept(tx.now))


def oldest_kept(now: float) -> float:
    return now - FORGOTTEN_AFTER_DAYS * SECONDS_PER_DAY
