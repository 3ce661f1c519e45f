"""The audit log, for administrators."""

from typing import Annotated

import msgspec

from tertulia import storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import AREAS, SOURCES, AuditEntry, AuditFilter
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import AtLeast, AtMost, Id, MaxLength, NoNul, OneOf
from tertulia.http.replies import Reply

MAX_ENTRIES = 1000
MAX_COUNTED = 10_000
MAX_SEARCH_LENGTH = 200

Source = Annotated[str, OneOf([*SOURCES])]
Area = Annotated[str, OneOf([*AREAS])]
Text = Annotated[str, MaxLength(MAX_SEARCH_LENGTH), NoNul]


class AuditLog(Reply):
    entries: list[AuditEntry]
    count: int
    is_count_complete: bool
    kept_days: int


class OneAuditEntry(Reply):
    entry: AuditEntry


async def newest(
    call: Call,
    *,
    before: int | None = None,
    limit: Annotated[int, AtLeast(1), AtMost(MAX_ENTRIES)] = 100,
    actor_id: Id | None = None,
    source: Source | None = None,
    area: Area | None = None,
    object: Text | None = None,
    after: int | None = None,
    until: int | None = None,
    failed: bool | None = None,
    search: Text | None = None,
) -> AuditLog:
    """Read the audit log, newest first, filtered by actor, area, object, time and result."""
    wanted = AuditFilter(actor_id, source, area, object, after, until, failed, search)
    entries, count = await call.db.read(_read, before, limit, allowed(call, wanted))
    return AuditLog(
        entries=entries,
        count=min(count, MAX_COUNTED),
        is_count_complete=count <= MAX_COUNTED,
        kept_days=call.config.audit_log_days,
    )


async def one(call: Call, entry_id: int) -> OneAuditEntry:
    """Read one entry of the audit log."""
    visible = allowed(call, AuditFilter())
    entry = await call.db.read(storage.organization.audit.find, entry_id, visible)
    if entry is None:
        raise BadRequest("This entry does not exist, or is no longer kept.")
    return OneAuditEntry(entry=entry)


def allowed(call: Call, wanted: AuditFilter) -> AuditFilter:
    """The filter within what the caller may see: only owners see legal holds."""
    return msgspec.structs.replace(wanted, without_holds=not call.user.is_owner)


def _read(
    tx: Tx, before: int | None, limit: int, wanted: AuditFilter
) -> tuple[list[AuditEntry], int]:
    entries = storage.organization.audit.newest(tx, before, limit, wanted)
    return entries, storage.organization.audit.count(tx, wanted, MAX_COUNTED + 1)
