"""Legal holds: owners put users and channels on hold, and end it.

Without a user it is the server's operator.
"""

from collections.abc import Sequence

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.legal_holds import MAX_ACTIVE, LegalHold
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.people import UserNotFound
from tertulia.events.audience import Users
from tertulia.events.types.organization.legal_holds import LegalHoldsChanged

EDITS_PER_BATCH = 500


def begin(
    tx: Tx, owner: User | None, user_ids: Sequence[int], channel_ids: Sequence[int], reason: str
) -> list[int]:
    """Put users and channels on hold, each in a hold of its own. Returns the ids of the holds."""
    if owner is not None:
        actions.groups.permissions.require_owner(tx, owner)
    reason = domain.organization.legal_holds.checked_reason(reason)
    if not user_ids and not channel_ids:
        raise BadRequest("Choose users or channels to put on hold.", problem="legal-hold-empty")
    active = storage.organization.legal_holds.active(tx)
    if len(active) + len(user_ids) + len(channel_ids) > MAX_ACTIVE:
        raise BadRequest(
            "There are too many legal holds (limit: {limit}).",
            problem="too-many-legal-holds",
            limit=MAX_ACTIVE,
        )
    people = storage.people.find_many(tx, list(user_ids))
    if len(people) < len(set(user_ids)):
        raise UserNotFound()
    if any(user.is_erased for user in people):
        raise BadRequest("Invalid user ID")
    if owner is not None:
        channels = storage.channels.find_many(tx, list(channel_ids))
        access = actions.channels.bulk_access.BulkAccess(tx, owner, channels)
        if sum(map(access.may_see, channels)) < len(set(channel_ids)):
            raise ChannelNotAccessible()
    by = None if owner is None else owner.id
    _announce(tx)
    return storage.organization.legal_holds.insert(tx, user_ids, channel_ids, reason, by)


def end(tx: Tx, owner: User | None, hold_id: int) -> LegalHold:
    """End a hold. What it kept and no other hold covers is deleted by a job."""
    if owner is not None:
        actions.groups.permissions.require_owner(tx, owner)
    found = storage.organization.legal_holds.find(tx, hold_id)
    if found is None or found.ended_at is not None:
        raise BadRequest("Invalid legal hold ID", problem="invalid-legal-hold-id")
    storage.organization.legal_holds.end(tx, hold_id, None if owner is None else owner.id)
    _announce(tx)
    return found


def list_all(tx: Tx, owner: User) -> list[LegalHold]:
    actions.groups.permissions.require_owner(tx, owner)
    return storage.organization.legal_holds.list_all(tx)


def check_erasable(tx: Tx, user: User) -> None:
    """Raises BadRequest if a hold forbids to erase a user."""
    holds = storage.organization.legal_holds.active(tx)
    if not holds:
        return
    if any(each.user_id == user.id for each in holds):
        raise BadRequest(
            "This user is on legal hold. End the hold before you erase the account.",
            problem="user-on-legal-hold",
        )
    if storage.organization.legal_holds.has_message_of(tx, user.id):
        raise BadRequest(
            "Messages of this user are on legal hold, because of their channel or of another"
            " participant. End the hold before you erase the account.",
            problem="messages-of-user-on-legal-hold",
        )
    files = storage.files.attachments.of_user(tx, user.id)
    if storage.organization.legal_holds.has_file_of(
        tx, user.id
    ) or storage.organization.legal_holds.covered_files(tx, files):
        raise BadRequest(
            "Messages on legal hold link files of this user. End the hold before you erase the"
            " account.",
            problem="files-of-user-on-legal-hold",
        )


def _announce(tx: Tx) -> None:
    owner_ids = storage.people.active_owner_ids(tx)
    events.log.announce(tx, LegalHoldsChanged(), to=Users(owner_ids))


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
