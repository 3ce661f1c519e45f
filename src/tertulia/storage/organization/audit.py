"""The audit log of an organization."""

import re
from typing import Any

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import (
    DONE,
    SOURCES,
    Act,
    AuditEntry,
    AuditFilter,
)
from tertulia.storage.row_mapper import RowMapper

EVERYTHING = AuditFilter()
_SEARCHED = "act || ' ' || details || ' ' || result || ' ' || address"
# Acts about legal holds, and acts that a hold has refused.
_WITHOUT_HOLDS = (
    "act NOT LIKE '% /realm/legal_holds%' AND act NOT LIKE 'hold %' AND act NOT LIKE 'discover%'"
    " AND result NOT LIKE '%legal hold%'"
)
_ENTRIES = RowMapper(AuditEntry, readings={"details": msgspec.json.decode})


def insert(tx: Tx, act: Act, result: str) -> None:
    tx.insert_row(
        "audit_entry",
        at=tx.now,
        actor_id=act.actor_id,
        address=act.address,
        act=act.act,
        details=msgspec.json.encode(act.details).decode(),
        result=result,
        area=domain.organization.audit.area_of(act),
        object=domain.organization.audit.object_of(act),
    )


def newest(
    tx: Tx, before: int | None, limit: int, wanted: AuditFilter = EVERYTHING
) -> list[AuditEntry]:
    """The last entries, or the last before an entry; newest first."""
    conditions, params = _conditions(tx, wanted)
    return _ENTRIES.all(
        tx,
        f"FROM audit_entry WHERE realm_id = :realm AND id < :before{conditions}"
        " ORDER BY id DESC LIMIT :limit",
        before=before if before is not None else (1 << 62),
        limit=limit,
        **params,
    )


def find(tx: Tx, entry_id: int, wanted: AuditFilter = EVERYTHING) -> AuditEntry | None:
    conditions, params = _conditions(tx, wanted)
    return _ENTRIES.one(
        tx,
        f"FROM audit_entry WHERE realm_id = :realm AND id = :entry{conditions}",
        entry=entry_id,
        **params,
    )


def count(tx: Tx, wanted: AuditFilter, limit: int) -> int:
    """How many entries there are, counted up to a limit."""
    conditions, params = _conditions(tx, wanted)
    return tx.number(
        "SELECT count(*) AS value FROM (SELECT id FROM audit_entry"
        f" WHERE realm_id = :realm{conditions} LIMIT :limit) AS counted",
        limit=limit,
        **params,
    )


def _conditions(tx: Tx, wanted: AuditFilter) -> tuple[str, dict[str, Any]]:
    """The filter as SQL, and its parameters."""
    sql = {
        "actor_id": "actor_id = :actor_id",
        "source": "actor_id IS NULL AND address LIKE :source",
        "area": "area = :area",
        "object": "object = :object",
        "after": "at >= :after",
        "until": "at < :until",
        "is_failed": f"(result <> '{DONE}') = :is_failed",
        "search": f"{tx.dialect.sql.lower(_SEARCHED)} LIKE :search ESCAPE '!'",
    }
    fields = msgspec.structs.asdict(wanted)
    given = {name: value for name, value in fields.items() if value is not None}
    if wanted.source is not None:
        given["source"] = f"{SOURCES[wanted.source]}%"
    if wanted.search is not None:
        given["search"] = f"%{_escaped(wanted.search.lower())}%"
    conditions = [_WITHOUT_HOLDS] if given.pop("without_holds", False) else []
    conditions += [sql[name] for name in given]
    return "".join(f" AND {each}" for each in conditions), given


def _escaped(text: str) -> str:
    """The text for a pattern of LIKE with `!` as the escape character."""
    return re.sub("[!%_]", r"!\g<0>", text)


def delete_before(tx: Tx, at: float, limit: int) -> int:
    return tx.execute(
        "DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry"
        " WHERE at < :at AND realm_id = :realm ORDER BY at LIMIT :limit)",
        at=at,
        limit=limit,
    )
