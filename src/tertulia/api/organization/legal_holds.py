"""Legal holds, for owners."""

from typing import Annotated

import msgspec

from tertulia import actions, api
from tertulia.api.call import Call
from tertulia.domain.organization.audit import MAX_DETAILS, Act
from tertulia.domain.organization.legal_holds import MAX_REASON_LENGTH, LegalHold
from tertulia.http.parameter_rules import MaxItems
from tertulia.http.replies import Reply
from tertulia.wire import Doc

Held = Annotated[list[int], MaxItems(1000)]


class LegalHoldObject(msgspec.Struct):
    id: Annotated[int, Doc("The id of the hold.")]
    user_id: Annotated[
        int | None, Doc("The id of the user on hold; null if the hold is on a channel.")
    ]
    stream_id: Annotated[
        int | None, Doc("The id of the channel on hold; null if the hold is on a user.")
    ]
    reason: Annotated[str, Doc("Why, as the owner wrote it.")]
    created_at: Annotated[float, Doc("When the hold began, in UNIX seconds.")]
    created_by: Annotated[
        int | None, Doc("The id of the owner who began it; null for the command line.")
    ]
    ended_at: Annotated[
        float | None, Doc("When the hold ended, in UNIX seconds; null while it is active.")
    ]
    ended_by: Annotated[
        int | None, Doc("The id of the owner who ended it; null for the command line.")
    ]


class LegalHolds(Reply):
    legal_holds: Annotated[list[LegalHoldObject], Doc("The legal holds, oldest first.")]


class NewLegalHolds(Reply):
    ids: Annotated[list[int], Doc("The ids of the new holds: users first, then channels.")]


async def list_holds(call: Call) -> LegalHolds:
    """List the legal holds, also those that have ended."""
    found = await call.db.read(actions.organization.legal_holds.list_all, call.user)
    return LegalHolds(legal_holds=[_to_wire(each) for each in found])


async def begin(
    call: Call,
    *,
    reason: Annotated[str, Doc("Why, for the audit log.")],
    held_user_ids: Annotated[Held, Doc("Ids of users to put on legal hold.")] | None = None,
    held_stream_ids: Annotated[Held, Doc("Ids of channels to put on legal hold.")] | None = None,
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


async def end(
    call: Call, hold_id: Annotated[int, Doc("The id of the legal hold.", example=2)]
) -> None:
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
