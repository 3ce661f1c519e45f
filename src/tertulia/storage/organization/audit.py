"""The audit log of an organization."""

import msgspec

from tertulia.domain.organization.audit import Act, AuditEntry
from tertulia.storage.database.tx import Row, Tx


def insert(tx: Tx, act: Act, result: str) -> None:
    tx.execute(
        "INSERT INTO audit_entry (realm_id, at, actor_id, address, act, details, result)"
        " VALUES (:realm, :now, :actor, :address, :act, :details, :result)",
        now=tx.now,
        actor=act.actor_id,
        address=act.address,
        act=act.act,
        details=msgspec.json.encode(act.details).decode(),
        result=result,
    )


def newest(tx: Tx, before: int | None, limit: int) -> list[AuditEntry]:
    """The last entries, or the last before one of them; the newest comes first."""
    rows = tx.all(
        "SELECT * FROM audit_entry WHERE realm_id = :realm AND id < :before"
        " ORDER BY id DESC LIMIT :limit",
        before=before if before is not None else (1 << 62),
        limit=limit,
    )
    return [_entry(row) for row in rows]


def forget_before(tx: Tx, at: float, limit: int) -> int:
    return tx.execute(
        "DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry"
        " WHERE at < :at AND realm_id = :realm ORDER BY at LIMIT :limit)",
        at=at,
        limit=limit,
    )


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        id=row["id"],
        at=row["at"],
        actor_id=row["actor_id"],
        address=row["address"],
        act=row["act"],
        details=msgspec.json.decode(row["details"]),
        result=row["result"],
    )
