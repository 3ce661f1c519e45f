"""Noting who did what, in the transaction in which it is done."""

from collections.abc import Callable
from typing import TypeVar

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import DONE, Act

T = TypeVar("T")

MAX_AT_ONCE = 2000
SECONDS_PER_DAY = 86400


def note(tx: Tx, act: Act, result: str = DONE) -> None:
    storage.organization.audit.insert(tx, act, result)


def recorded(tx: Tx, act: Act, action: Callable[[Tx], T]) -> T:
    """Do something and note it: both, or neither."""
    result = action(tx)
    note(tx, act)
    return result


def realms_with_old(tx: Tx, days: int) -> list[int]:
    """Where `forget_old` would find something."""
    return storage.housekeeping_queries.with_old_audit_entries(tx, tx.now - days * SECONDS_PER_DAY)


def forget_old(tx: Tx, days: int) -> int:
    """Forget some of the entries that were kept for long enough; says how many."""
    before = tx.now - days * SECONDS_PER_DAY
    return storage.organization.audit.forget_before(tx, before, MAX_AT_ONCE)
