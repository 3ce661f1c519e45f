"""Legal holds: owners put users and channels on hold, and end it.

Without a user it is the server's operator. `storage/organization/legal_holds.py` says what a hold
covers; the core asks it before it deletes.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import msgspec

from tertulia import actions, api, domain, events, storage
from tertulia.api.call import Call
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import MAX_DETAILS, Act
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.people import UserNotFound
from tertulia.events.audience import Users
from tertulia.events.types.organization.legal_holds import LegalHoldsChanged
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import Example, MaxItems
from tertulia.http.replies import Reply
from tertulia.jobs import housekeeping
from tertulia.jobs.runner import for_each, leader_job
from tertulia.storage.organization.legal_holds import LegalHold
from tertulia.wire import Doc

MAX_REASON_LENGTH = 1000
EDITS_PER_BATCH = 500
MAX_ACTIVE = 500  # holds of an organization


def checked_reason(text: str) -> str:
    """The reason as it is stored. Raises BadRequest."""
    reason = text.strip()
    domain.names.check(" ".join(reason.splitlines()), "reason")
    if not reason:
        raise BadRequest("A legal hold needs a reason.", problem="legal-hold-reason-missing")
    if len(reason) > MAX_REASON_LENGTH:
        raise BadRequest(
            "reason is too long (limit: {limit} characters)",
            problem="text-too-long",
            limit=MAX_REASON_LENGTH,
        )
    return reason


# --- actions ---


def put_on_hold(
    tx: Tx, owner: User | None, user_ids: Sequence[int], channel_ids: Sequence[int], reason: str
) -> list[int]:
    """Put users and channels on hold, each in a hold of its own. Returns the ids of the holds."""
    if owner is not None:
        actions.groups.permissions.require_owner(tx, owner)
    reason = checked_reason(reason)
    if not user_ids and not channel_ids:
        raise BadRequest("Choose users or channels to put on hold.", problem="legal-hold-empty")
    active = storage.organization.legal_holds.active(tx)
    if len(active) + len(user_ids) + len(channel_ids) > MAX_ACTIVE:
        raise BadRequest(
            "There are too many legal holds (limit: {limit}).",
            problem="too-many-legal-holds",
            limit=MAX_ACTIVE,
        )
    people = storage.people.users.find_many(tx, list(user_ids))
    if len(people) < len(set(user_ids)):
        raise UserNotFound()
    if any(user.is_erased for user in people):
        raise BadRequest("Invalid user ID")
    if owner is not None:
        channels = storage.channels.table.find_many(tx, list(channel_ids))
        access = actions.channels.bulk_access.BulkAccess(tx, owner, channels)
        if sum(map(access.may_see, channels)) < len(set(channel_ids)):
            raise ChannelNotAccessible()
    by = None if owner is None else owner.id
    _announce(tx)
    return storage.organization.legal_holds.insert(tx, user_ids, channel_ids, reason, by)


def release(tx: Tx, owner: User | None, hold_id: int) -> LegalHold:
    """End a hold. What it kept and no other hold covers is deleted by a job."""
    if owner is not None:
        actions.groups.permissions.require_owner(tx, owner)
    found = LegalHold.find(tx, id=hold_id)
    if found is None or found.ended_at is not None:
        raise BadRequest("Invalid legal hold ID", problem="invalid-legal-hold-id")
    LegalHold.update(tx, hold_id, ended_at=tx.now, ended_by=None if owner is None else owner.id)
    _announce(tx)
    return found


def _list_all(tx: Tx, owner: User) -> list[LegalHold]:
    actions.groups.permissions.require_owner(tx, owner)
    return LegalHold.where(tx, "id")


def _announce(tx: Tx) -> None:
    owner_ids = storage.people.users.active_owner_ids(tx)
    events.log.announce(tx, LegalHoldsChanged(), to=Users(owner_ids))


# --- endpoints ---

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
    found = await call.db.read(_list_all, call.user)
    return LegalHolds(legal_holds=[_to_wire(each) for each in found])


async def begin(
    call: Call,
    *,
    reason: Annotated[str, Doc("Why, for the audit log."), Example("Case 4711")],
    held_user_ids: Annotated[Held, Doc("Ids of users to put on legal hold."), Example([9])]
    | None = None,
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
    ids = await call.db.write(put_on_hold, call.user, users, channels, reason)
    return NewLegalHolds(ids=ids)


async def end(
    call: Call, hold_id: Annotated[int, Doc("The id of the legal hold.", example=2)]
) -> None:
    """End a legal hold; what it kept and no other hold covers is deleted."""
    await call.db.write(release, call.user, hold_id)


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


# --- the job ---


def realms_to_purge(tx: Tx) -> list[int]:
    """Organizations in which `purge_batch` may have something to do."""
    found = storage.organization.legal_holds.realms_with_held_edits(tx)
    return sorted({*found, *storage.messages.deleted.realms_with_unlinked_files(tx)})


def purge_batch(tx: Tx) -> int:
    """Delete some earlier versions that no hold covers any more, and after the last hold the files
    that their owners deleted. Returns the number of versions."""
    if not storage.organization.legal_holds.active(tx):
        for attachment_id in storage.messages.deleted.unlinked_files(tx):
            actions.files.attachments.erase_kept(tx, attachment_id)
    return storage.organization.legal_holds.delete_edits_without_hold(tx, EDITS_PER_BATCH)


async def purge_all(database: Database) -> None:
    async def purge(realm_id: int) -> None:
        while await housekeeping.with_pause(database.of(realm_id).write(purge_batch)):
            pass

    await for_each(await database.of(0).query(realms_to_purge), purge)


FEATURE = Feature(
    jobs=lambda services: [
        leader_job("ended legal holds", 300, partial(purge_all, services.database))
    ]
)
