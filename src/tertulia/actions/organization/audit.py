"""Audit log, written in the transaction of the action."""

from collections.abc import Callable
from typing import TypeVar

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import DONE, Act

T = TypeVar("T")

MAX_PAGE_SIZE = 2000
SECONDS_PER_DAY = 86400


def record(tx: Tx, act: Act, result: str = DONE) -> None:
    storage.organization.audit.insert(tx, act, result)


def run_recorded(tx: Tx, act: Act, action: Callable[[Tx], T]) -> T:
    """Run an action and record it with what it changed, both or neither."""
    before = storage.organization.audit_changes.values_before(tx, act)
    result = action(tx)
    record(tx, storage.organization.audit_changes.with_changes(tx, act, before))
    return result


def realms_with_old(tx: Tx, days: int) -> list[int]:
    """Organizations in which `delete_expired` has something to do."""
    return storage.housekeeping_queries.with_old_audit_entries(tx, tx.now - days * SECONDS_PER_DAY)


def delete_expired(tx: Tx, days: int) -> int:
    """Delete some expired entries. Returns their number."""
    before = tx.now - days * SECONDS_PER_DAY
    return storage.organization.audit.delete_before(tx, before, MAX_PAGE_SIZE)
