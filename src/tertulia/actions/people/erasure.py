"""Erasure of a user: the account is deactivated and all personal data is deleted; its id remains.

So is the data of their bots, whose names often contain the owner's. Messages of the user are
deleted, or stay without a name. Messages of others about them stay. The log may contain anything,
so it starts again, and every client registers again.
"""

from itertools import groupby

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import ERASED_DOMAIN, User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserNotFound

MESSAGES_PER_BATCH = 200
NAME = "Erased user"
BOT_NAME = "Erased bot"


def start_by_owner(tx: Tx, actor: User, user_id: int) -> User:
    """Start an erasure that an owner asks for. Owners cannot erase themselves."""
    actions.groups.permissions.require_owner(tx, actor)
    user = storage.people.find(tx, user_id)
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
    if actions.people.get(tx, user.id).is_active:
        actions.people.deactivate(tx, user.id)


def delete_messages(tx: Tx, user: User) -> int:
    """Delete some of their messages. Returns their number.

    Raises BadRequest if a legal hold has begun since the last batch.
    """
    _check_erasable(tx, user)
    ids = storage.erasure.messages_of(tx, user.id, MESSAGES_PER_BATCH)
    found = storage.messages.find_many(tx, tx.realm_id, ids)
    for conversation, messages in groupby(sorted(found.values(), key=_location), _location):
        channel_id, _, _ = conversation
        channel = storage.channels.find(tx, channel_id) if channel_id else None
        actions.messages.deletion.remove(tx, channel, list(messages), None)
    return len(ids)


def delete_kept_messages(tx: Tx, user: User) -> int:
    """Delete some of their deleted messages that are kept, or else their reactions and flags on
    some of others. Returns the number of these messages."""
    return actions.messages.restoration.erase_batch(
        tx, KeptSelection(sender_id=user.id)
    ) or storage.messages.deleted.remove_user(tx, user.id, MESSAGES_PER_BATCH)


def finish(tx: Tx, user: User) -> None:
    """Delete all their data, and replace their name in what stays. Raises as `start` does."""
    _check_erasable(tx, user)
    for attachment in storage.files.attachments.of_user(tx, user.id):
        storage.files.attachments.delete(tx, attachment)
        storage.files.uploads.mark_for_deletion(tx, attachment.upload_id)
    for attachment_id in storage.messages.deleted.files_of(tx, user.id):
        actions.files.attachments.erase_kept(tx, attachment_id)
    for bot in _bots(tx, user):
        _erase_account(tx, bot, BOT_NAME)
    _erase_account(tx, user, NAME)
    storage.log.delete_up_to(tx, storage.log.head(tx))
    storage.log.start_epoch(tx)


def _check_erasable(tx: Tx, user: User) -> None:
    for each in (user, *_bots(tx, user)):
        _check_not_held(tx, each)


def _check_not_held(tx: Tx, user: User) -> None:
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


def _bots(tx: Tx, user: User) -> list[User]:
    ids = storage.people.bots.ids_of_owners(tx, [user.id])
    return [actions.people.get(tx, bot_id) for bot_id in ids]


def _erase_account(tx: Tx, user: User, name: str) -> None:
    storage.erasure.rows_of(tx, user.id)
    storage.erasure.account(tx, user.id, user.placeholder_email(ERASED_DOMAIN), name)


def _location(message: Message) -> tuple[int, int, str]:
    return message.channel_id or 0, message.conversation_id or 0, message.topic
