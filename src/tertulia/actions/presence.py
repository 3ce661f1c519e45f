"""Presence: writing down what the board has gathered."""

from tertulia.domain.presence import Presence
from tertulia.storage import presence
from tertulia.storage.presence import Noted
from tertulia.storage.tx import Tx


def note(tx: Tx, pending: dict[int, Presence], known: int) -> list[Noted]:
    """Write down a batch; gives everything that has changed after the number known so far."""
    presence.note(tx, pending)
    return presence.since(tx, known)
