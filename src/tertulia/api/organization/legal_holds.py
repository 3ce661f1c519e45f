"""Legal holds, for owners."""

import msgspec

from tertulia import actions, api
from tertulia.api.call import Call
from tertulia.domain.organization.audit import MAX_DETAILS, Act
from tertulia.domain.organization.legal_holds import MAX_REASON_LENGTH, LegalHold
from tertulia.http.replies import Reply


class LegalHoldObject(msgspec.Struct):
    id: int
    user_id: int | None
    stream_id: int | None
    reason: str
    created_at: float
    created_by: int | None
    ended_at: float | None
    ended_by: int | None


class LegalHolds(Reply):
    legal_holds: list[LegalHoldObject]


class NewLegalHolds(Reply):
    ids: list[int]


async def list_holds(call: Call) -> LegalHolds:
    """List the legal holds, also those that have ended."""
    found = await call.db.read(actions.organization.legal_holds.list_all, call.user)
    return LegalHolds(legal_holds=[_to_wire(each) for each in found])


async def begin(
    call: Call,
    *,
    reason: str,
    held_user_ids: list[int] | None = None,
    held_stream_ids: list[int] | None = None,
) -> NewLegalHolds:
    """Put users and channels on legal hold: what is deleted of them is kept until the hold ends.

    The reason is written to the audit log.
    """
    users = list(dict.fromkeys(held_user_ids or []))
    channels = list(dict.fromkeys(held_stream_ids or []))
    details = {
        "held_user_ids": users[:MAX_DETAILS],
        "held_stream_ids": channels[:MAX_DETAILS],
        "reason": reason[:MAX_REASON_LENGTH],
    }
    api.audit.record_action(
        call, Act("POST /realm/legal_holds", call.user.id, call.request.client_address, details)
    )
    ids = await call.db.write(
        actions.organization.legal_holds.begin, call.user, users, channels, reason
    )
    return NewLegalHolds(ids=ids)


async def end(call: Call, hold_id: int) -> None:
    """End a legal hold; what it kept and no other hold covers is deleted."""
    await call.db.write(actions.organization.legal_holds.end, call.user, hold_id)


def _to_wire(hold: LegalHold) -> LegalHoldObject:
    return LegalHoldObject(
        hold.id,
        hold.user_id,
        hold.channel_id,
        hold.reason,
        hold.created_at,
        hold.created_by,
        hold.ended_at,
        hold.ended_by,
    )
