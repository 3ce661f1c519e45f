"""Uploaded files: ownership, access, links and deletion.

A file belongs to the user who uploaded it. Others may read it if they may see a message that links
it. An export of the organization is only for the user who requested it. Only users who may read a
file can link it; a link to any other file gives no access.
"""

from collections.abc import Sequence, Set

from tertulia import domain, events, storage
from tertulia.actions.messages import access
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES, Attachment, MediaInfo, Quota
from tertulia.domain.people.user import User
from tertulia.errors.files import (
    FileAccessDenied,
    InvalidAttachment,
    NoSuchFile,
    UploadExpired,
    UploadQuotaReached,
)
from tertulia.events.audience import Users
from tertulia.events.types.files.attachments import AttachmentRemoved, AttachmentSaved

BATCH_SIZE = 100  # messages per access check


def check_quota(tx: Tx, owner: User, quota: Quota, size: int) -> None:
    """Raise if the quota is used up. Writes are serialized, so two uploads never share the last
    space.

    Kept files have the same quota again. Without one, sending and deleting files would fill the
    disk.
    """
    if quota.organization_mib:
        used = storage.files.attachments.space_used(tx)
        kept = storage.messages.deleted.space_used(tx)
        if max(used, kept) + size > quota.organization_mib << 20:
            raise UploadQuotaReached(whose="your organization's")
    if quota.person_mib:
        person_id = domain.files.attachments.person_of(owner)
        used = storage.files.attachments.space_used_by(tx, person_id)
        kept = storage.messages.deleted.space_used_by(tx, person_id)
        if max(used, kept) + size > quota.person_mib << 20:
            raise UploadQuotaReached(whose="your")


def check_remaining_quota(tx: Tx, owner: User, quota: Quota, size: int, upload_id: int) -> None:
    """Raise if the uploads in progress may use up the quota.

    Their sizes are only estimates: the announced size includes the boundaries of the form.
    """
    if quota.organization_mib:
        used = storage.files.attachments.space_used(tx)
        used += storage.files.uploads.awaited(tx, besides=upload_id)
        if used + size > (quota.organization_mib << 20) + PIECE_BYTES:
            raise UploadQuotaReached(whose="your organization's")
    if quota.person_mib:
        person_id = domain.files.attachments.person_of(owner)
        used = storage.files.attachments.space_used_by(tx, person_id)
        used += storage.files.uploads.awaited(tx, besides=upload_id, person_id=person_id)
        if used + size > (quota.person_mib << 20) + PIECE_BYTES:
            raise UploadQuotaReached(whose="your")


def add(
    tx: Tx,
    owner: User,
    upload_id: int,
    filename: str,
    size: int,
    media_info: MediaInfo,
    quota: Quota,
) -> Attachment:
    """Make a complete upload available as a file."""
    check_quota(tx, owner, quota, size)
    if not storage.files.uploads.finish(tx, upload_id):
        raise UploadExpired()
    name = domain.files.attachments.shown_name(filename)
    path_id = domain.files.attachments.new_path_id(tx.realm_id, name)
    attachment_id = storage.files.attachments.insert(
        tx, owner.id, upload_id, path_id, name, size, media_info
    )
    added = storage.files.attachments.find(tx, attachment_id)
    assert added is not None
    event = AttachmentSaved("add", added.id, storage.files.attachments.space_used(tx))
    events.log.announce(tx, event, to=Users([owner.id]))
    return added


def of_owner(tx: Tx, owner: User) -> tuple[list[Attachment], int]:
    """A user's files, newest first, and the total size of the organization's files."""
    return storage.files.attachments.of_user(tx, owner.id), storage.files.attachments.space_used(tx)


def delete_own(tx: Tx, owner: User, attachment_id: int) -> None:
    found = storage.files.attachments.find(tx, attachment_id)
    if found is None or found.owner_id != owner.id:
        raise InvalidAttachment()
    if storage.organization.legal_holds.covered_files(tx, [found]):
        storage.files.attachments.keep(tx, found)
        _announce_removal(tx, found)
    else:
        _delete(tx, found)


# --- access ---


def readable(tx: Tx, reader: User, path_id: str) -> Attachment:
    """The file at a path. Raises if the reader may not read it."""
    found = storage.files.attachments.find_by_path(tx, path_id)
    if found is None:
        raise NoSuchFile()
    if not may_read(tx, reader, found):
        raise FileAccessDenied()
    return found


def filter_readable(tx: Tx, reader: User, path_ids: Sequence[str]) -> list[Attachment]:
    """Those of the files that the reader may read."""
    return [
        each
        for each in storage.files.attachments.find_by_paths(tx, path_ids)
        if may_read(tx, reader, each)
    ]


def may_read(tx: Tx, reader: User, attachment: Attachment) -> bool:
    if attachment.media.content_type in storage.organization.exports.CONTENT_TYPES:
        export = storage.organization.exports.find_by_file(tx, attachment.id)
        if export is not None:  # links give no access to it
            return export.is_for(reader)
    if attachment.owner_id == reader.id:
        return True
    before = domain.limits.MAX_ID
    while ids := storage.files.attachments.messages_linking(tx, attachment.id, before, BATCH_SIZE):
        linking = storage.messages.table.find_many(tx, tx.realm_id, ids).values()
        if access.visible(tx, reader, linking):
            return True
        before = ids[-1]
    return False


# --- links ---


def claim(tx: Tx, sender: User, message_id: int, path_ids: Sequence[str]) -> list[Attachment]:
    """Set the files that a message links: users who may see it may read them.

    Returns the sender's files that no message links any more.
    """
    before = storage.files.attachments.linked_by(tx, [message_id])
    wanted = {each.id: each for each in filter_readable(tx, sender, path_ids)}
    for each in wanted.values():
        if each.id not in before:
            storage.files.attachments.link(tx, each.id, message_id)
            _announce_change(tx, each)
    dropped = [attachment_id for attachment_id in before if attachment_id not in wanted]
    storage.files.attachments.unlink(tx, dropped, message_id)
    return [
        found
        for attachment_id in dropped
        if (found := storage.files.attachments.find(tx, attachment_id)) is not None
        and found.owner_id == sender.id
        and not found.message_ids
    ]


def hold_for_scheduled(tx: Tx, sender: User, scheduled_id: int, path_ids: Sequence[str]) -> None:
    """Keep files that a scheduled message links."""
    storage.files.attachments.release_from(tx, scheduled_id)
    for each in filter_readable(tx, sender, path_ids):
        storage.files.attachments.hold_for(tx, each.id, scheduled_id)


def release_from_scheduled(tx: Tx, scheduled_id: int) -> list[str]:
    """Release the files of a scheduled message. Returns their paths."""
    kept = storage.files.attachments.held_for(tx, scheduled_id)
    storage.files.attachments.release_from(tx, scheduled_id)
    return kept


def delete_with_messages(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete the files that only these messages link. Called before the messages are deleted.

    The files of messages that are kept are kept, too, and those that a message on hold linked
    before it was edited.
    """
    linked = storage.files.attachments.linked_by(tx, message_ids)
    if linked:
        storage.files.attachments.unlink_all(tx, message_ids)
    found_or_none = (storage.files.attachments.find(tx, each) for each in linked)
    files = [each for each in found_or_none if each is not None]
    on_hold = storage.organization.legal_holds.covered_files(tx, files)
    for found in files:
        if found.message_ids or storage.files.attachments.is_held(tx, found.id):
            _announce_change(tx, found)
        elif found.id in on_hold or storage.messages.deleted.is_linked(tx, found.id):
            storage.files.attachments.keep(tx, found)
            _announce_removal(tx, found)
        else:
            _delete(tx, found)


def restore(tx: Tx, attachment_ids: Sequence[int]) -> set[int]:
    """Restore those of the files that are kept ones. Returns their ids."""
    return {
        attachment_id
        for attachment_id in attachment_ids
        if storage.files.attachments.restore(tx, attachment_id)
    }


def announce_restored(tx: Tx, attachment_ids: Sequence[int], restored: Set[int]) -> None:
    """Announce files that restored messages link, some of which were restored with them."""
    for attachment_id in attachment_ids:
        found = storage.files.attachments.find(tx, attachment_id)
        if found is not None:
            used = storage.files.attachments.space_used(tx)
            event = AttachmentSaved(
                "add" if attachment_id in restored else "update", found.id, used
            )
            events.log.announce(tx, event, to=Users([found.owner_id]))


def purge(tx: Tx, attachment_ids: Sequence[int]) -> None:
    """Delete kept files that no kept message links any more."""
    for attachment_id in attachment_ids:
        if not storage.messages.deleted.is_linked(tx, attachment_id):
            erase_kept(tx, attachment_id)


def erase_kept(tx: Tx, attachment_id: int) -> None:
    """Delete a file if it is a kept one; its bytes are deleted by a job."""
    upload_id = storage.files.attachments.delete_kept(tx, attachment_id)
    if upload_id is not None:
        storage.files.uploads.mark_for_deletion(tx, upload_id)


def drop(tx: Tx, attachment_id: int) -> None:
    """Delete a file that the server made for a user, unless they have deleted it."""
    found = storage.files.attachments.find(tx, attachment_id)
    if found is not None:
        _delete(tx, found)


def _delete(tx: Tx, attachment: Attachment) -> None:
    """Delete the file; its bytes are deleted by a job."""
    storage.files.attachments.delete(tx, attachment)
    storage.files.uploads.mark_for_deletion(tx, attachment.upload_id)
    _announce_removal(tx, attachment)


def _announce_removal(tx: Tx, attachment: Attachment) -> None:
    event = AttachmentRemoved(attachment.id, storage.files.attachments.space_used(tx))
    events.log.announce(tx, event, to=Users([attachment.owner_id]))


def _announce_change(tx: Tx, attachment: Attachment) -> None:
    event = AttachmentSaved("update", attachment.id, storage.files.attachments.space_used(tx))
    events.log.announce(tx, event, to=Users([attachment.owner_id]))
