"""The audit log, for administrators."""

from typing import Annotated

from tertulia import storage
from tertulia.api.call import Call
from tertulia.domain.organization.audit import AuditEntry
from tertulia.http.replies import Reply
from tertulia.http.rules import AtLeast, AtMost

MOST = 1000


class AuditLog(Reply):
    entries: list[AuditEntry]


async def newest(
    call: Call, *, before: int | None = None, limit: Annotated[int, AtLeast(1), AtMost(MOST)] = 100
) -> AuditLog:
    """Read the audit log, newest first."""
    return AuditLog(entries=await call.db.read(storage.organization.audit.newest, before, limit))
