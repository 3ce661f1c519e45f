"""The audit log, for administrators."""

from typing import Annotated

import msgspec

from tertulia import storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import AREAS, SOURCES, AuditEntry, AuditFilter
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import AtLeast, AtMost, Example, Id, MaxLength, NoNul, OneOf
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import EntryCount

MAX_ENTRIES = 1000
MAX_COUNTED = 10_000
MAX_SEARCH_LENGTH = 200

Source = Annotated[
    str,
    OneOf([*SOURCES]),
    Doc("Only entries of commands (`command`) or of login providers and directories (`provider`)."),
]
Area = Annotated[str, OneOf([*AREAS]), Doc("Only entries of this area.")]
Text = Annotated[str, MaxLength(MAX_SEARCH_LENGTH), NoNul]


class AuditLog(Reply):
    entries: Annotated[list[AuditEntry], Doc("The entries, newest first.")]
    count: EntryCount
    is_count_complete: Annotated[bool, Doc("Whether `count` is exact; otherwise there are more.")]
    kept_days: Annotated[int, Doc("For how many days entries are kept.")]


class OneAuditEntry(Reply):
    entry: Annotated[AuditEntry, Doc("The entry.")]


async def newest(
    call: Call,
    *,
    before: Annotated[int | None, Doc("Only entries before this id.")] = None,
    limit: Annotated[
        int, AtLeast(1), AtMost(MAX_ENTRIES), Doc("The maximum number of entries."), Example(20)
    ] = 100,
    actor_id: Annotated[Id | None, Doc("Only entries of this user.")] = None,
    source: Source | None = None,
    area: Area | None = None,
    object: Annotated[
        Text,
        Doc("Only entries about this object: `user/ID`, `channel/ID`, `group/ID` or `message/ID`."),
    ]
    | None = None,
    after: Annotated[
        int | None, Doc("Only entries at or after this time, in UNIX seconds.")
    ] = None,
    until: Annotated[int | None, Doc("Only entries before this time, in UNIX seconds.")] = None,
    failed: Annotated[
        bool | None,
        Doc("Whether only failed or only successful actions are returned; by default both are."),
    ] = None,
    search: Annotated[
        Text, Doc("Only entries whose action, details, result or address contain this text.")
    ]
    | None = None,
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


async def one(
    call: Call, entry_id: Annotated[int, Doc("The id of the entry.", example=17)]
) -> OneAuditEntry:
    """Read one entry of the audit log."""
    visible = allowed(call, AuditFilter())
    entry = await call.db.read(storage.organization.audit.find, entry_id, visible)
    if entry is None:
        raise BadRequest(
            "This entry does not exist, or is no longer kept.", problem="audit-entry-not-found"
        )
    return OneAuditEntry(entry=entry)


def allowed(call: Call, wanted: AuditFilter) -> AuditFilter:
    """The filter within what the caller may see: only owners see legal holds."""
    return msgspec.structs.replace(wanted, without_holds=not call.user.is_owner)


def _read(
    tx: Tx, before: int | None, limit: int, wanted: AuditFilter
) -> tuple[list[AuditEntry], int]:
    entries = storage.organization.audit.newest(tx, before, limit, wanted)
    return entries, storage.organization.audit.count(tx, wanted, MAX_COUNTED + 1)
