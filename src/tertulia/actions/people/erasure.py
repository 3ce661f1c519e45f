"""Erasure of a user: the account is deactivated and all personal data is deleted; its id remains.

So is the data of their bots, whose names often contain the owner's. Messages of the user are
deleted, or stay without a name. Messages of others about them stay. The log may contain anything,
so it starts again, and every client registers again.

All of it runs in portions. An erasure that was interrupted is continued by repeating the call.
"""

from collections.abc import Callable
from itertools import groupby

from tertulia import storage
from tertulia.actions import housekeeping
from tertulia.actions.files import attachments
from tertulia.actions.groups import permissions
from tertulia.actions.messages import deletion, restoration
from tertulia.actions.people import users
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import ERASED_DOMAIN, User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserNotFound

MESSAGES_PER_BATCH = 200
FILES_PER_BATCH = 20
NAME = "Erased user"
BOT_NAME = "Erased bot"


def start_by_owner(tx: Tx, actor: User, user_id: int) -> User:
    """Start an erasure that an owner asks for. Owners cannot erase themselves."""
    permissions.require_owner(tx, actor)
    user = storage.people.users.find(tx, user_id)
    if user is None or user.is_bot or user.is_erased:
        raise UserNotFound()
    if user.id == actor.id:
        raise BadRequest("You cannot erase your own account.", problem="own-account-not-erasable")
    start(tx, user)
    return user


def start(tx: Tx, user: User) -> None:
    """Deactivate the account if it is active. Raises LastOwner, and BadRequest if a legal hold
    covers the user or a message of them."""
    _check_erasable(tx, user)
    if users.get(tx, user.id).is_active:
        users.deactivate(tx, user.id)


def delete_messages(tx: Tx, user: User) -> int:
    """Delete some of their messages. Returns their number.

    Raises BadRequest if a legal hold has begun since the last batch.
    """
    _check_erasable(tx, user)
    ids = storage.erasure.messages_of(tx, user.id, MESSAGES_PER_BATCH)
    found = storage.messages.table.find_many(tx, tx.realm_id, ids)
    for conversation, messages in groupby(sorted(found.values(), key=_location), _location):
        channel_id, _, _ = conversation
        channel = storage.channels.table.find(tx, channel_id) if channel_id else None
        deletion.remove(tx, channel, list(messages), None)
    return len(ids)


def delete_kept_messages(tx: Tx, user: User) -> int:
    """Delete some of their deleted messages that are kept. Returns their number."""
    return restoration.erase_batch(tx, KeptSelection(sender_id=user.id))


def finish(tx: Tx, user: User, read_log: Callable[[Tx], bool]) -> bool:
    """Delete some of their other data, and at last replace their name in what stays. Returns
    whether nothing is left. Raises as `start` does. `read_log` reads a part of
    the log before it is deleted, and returns whether that was the last."""
    _check_erasable(tx, user)
    ids = [*storage.people.bots.ids_of_owners(tx, [user.id]), user.id]
    if storage.messages.flags.write_pending(tx) or _delete_files(tx, user):
        return False
    if storage.erasure.delete_rows(tx, ids):
        return False
    if not read_log(tx) or not housekeeping.trim_log(tx, max_events=0).is_done:
        return False
    for each in storage.people.users.find_many(tx, ids):
        name = BOT_NAME if each.is_bot else NAME
        storage.erasure.account(tx, each.id, each.placeholder_email(ERASED_DOMAIN), name)
    storage.log.delete_up_to(tx, storage.log.head(tx))
    storage.log.start_epoch(tx)
    return True


def _delete_files(tx: Tx, user: User) -> bool:
    """Returns whether there were any."""
    found = storage.files.attachments.of_users(tx, [user.id], limit=FILES_PER_BATCH)
    for attachment in found:
        storage.files.attachments.delete(tx, attachment)
        storage.files.uploads.mark_for_deletion(tx, attachment.upload_id)
    kept = storage.messages.deleted.files_of(tx, user.id, limit=FILES_PER_BATCH)
    for attachment_id in kept:
        attachments.erase_kept(tx, attachment_id)
    return bool(found or kept)


def _check_erasable(tx: Tx, user: User) -> None:
    """Raises BadRequest if a hold forbids to erase a user or one of their bots."""
    user_ids = [user.id, *storage.people.bots.ids_of_owners(tx, [user.id])]
    holds = storage.organization.legal_holds.active(tx)
    if not holds:
        return
    if any(each.user_id in user_ids for each in holds):
        raise BadRequest(
            "This user is on legal hold. End the hold before you erase the account.",
            problem="user-on-legal-hold",
        )
    if storage.organization.legal_holds.has_message_of(tx, user_ids):
        raise BadRequest(
            "Messages of this user are on legal hold, because of their channel or of another"
            " participant. End the hold before you erase the account.",
            problem="messages-of-user-on-legal-hold",
        )
    files = storage.files.attachments.of_users(tx, user_ids)
    if storage.organization.legal_holds.has_file_of(
        tx, user_ids
    ) or storage.organization.legal_holds.covered_files(tx, files):
        raise BadRequest(
            "Messages on legal hold link files of this user. End the hold before you erase the"
            " account.",
            problem="files-of-user-on-legal-hold",
        )


def _location(message: Message) -> tuple[int, int, str]:
    return message.channel_id or 0, message.conversation_id or 0, message.topic
