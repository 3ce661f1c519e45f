"""The audit log of an organization."""

import msgspec

from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import Act, AuditEntry
from tertulia.storage.row_mapper import Record

_ENTRIES = Record(AuditEntry, readings={"details": msgspec.json.decode})


def insert(tx: Tx, act: Act, result: str) -> None:
    tx.insert_row(
        "audit_entry",
        at=tx.now,
        actor_id=act.actor_id,
        address=act.address,
        act=act.act,
        details=msgspec.json.encode(act.details).decode(),
        result=result,
    )


def newest(tx: Tx, before: int | None, limit: int) -> list[AuditEntry]:
    """The last entries, or the last before an entry; newest first."""
    return _ENTRIES.all(
        tx,
        "FROM audit_entry WHERE realm_id = :realm AND id < :before ORDER BY id DESC LIMIT :limit",
        before=before if before is not None else (1 << 62),
        limit=limit,
    )


def delete_before(tx: Tx, at: float, limit: int) -> int:
    return tx.execute(
        "DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry"
        " WHERE at < :at AND realm_id = :realm ORDER BY at LIMIT :limit)",
        at=at,
        limit=limit,
    )
