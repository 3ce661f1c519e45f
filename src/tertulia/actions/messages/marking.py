"""Marking: a flag set or cleared on a whole stretch of history at once."""

from dataclasses import dataclass

from tertulia.actions import reading
from tertulia.actions.messages import fetch, narrowing
from tertulia.actions.messages.fetch import Found, Window
from tertulia.actions.messages.narrowing import Asker
from tertulia.actions.reading import FlagUpdate
from tertulia.domain.narrow import Term
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class Marked:
    """Which messages were looked at, and what became of them."""

    found: Found
    update: FlagUpdate


def update_flags(
    tx: Tx, asker: Asker, terms: list[Term], window: Window, op: str, flag: str
) -> Marked:
    """Set or clear a flag on the messages of a narrow that are in the window."""
    reading.check_flag(op, flag)
    narrow = narrowing.narrowed(tx, asker, terms)
    found = fetch.within(tx, asker.user, narrow, window)
    return Marked(found, reading.update_flags(tx, asker.user, found.ids, op, flag))
