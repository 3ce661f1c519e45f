"""Inbound mail: each mail becomes one message.

All rules of sending apply at the moment of arrival. A sender without access gets an error text from
their mail server.
"""

from collections.abc import Sequence

import msgspec

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.actions.files import attachments
from tertulia.actions.messages import notices, send, send_checks
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.inbound_mail import (
    KEPT_SECONDS,
    MAX_PER_HOUR,
    ChannelAddress,
    MailAddress,
    MailRefused,
    ReplyAddress,
)
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.people.user import User

HOUR = 3600.0


class MailDestination(msgspec.Struct, frozen=True):
    """The destination and sender of a mail's message; without an author the organization sends
    it."""

    author: User | None
    owner: User  # owner of the attached files
    channel: Channel | None = None
    topic: str = ""
    people: tuple[int, ...] = ()


def destination(tx: Tx, target: ReplyAddress | ChannelAddress) -> MailDestination:
    """The destination, if the sender may post there. Raises MailRefused."""
    if storage.organization.realms.current(tx).deactivated:
        raise MailRefused("5.7.1", "This organization has been deactivated.")
    if isinstance(target, ReplyAddress):
        return _reply_destination(tx, target)
    maker, author = _active(tx, target.created_by), None
    if target.sender_id is not None:
        author = _active(tx, target.sender_id)
    channel = storage.channels.table.find(tx, target.channel_id)
    if channel is None or lookups.named(tx, maker, channel.id) is None:
        raise MailRefused("5.7.1", "There is no such channel any more.")
    if author is None:
        send_checks.check_may_post(tx, maker, channel)
    return MailDestination(author, author or maker, channel)


def count(tx: Tx, address: MailAddress) -> None:
    """Count a mail to an address before it is read, whether or not it is accepted later.

    Raises MailRefused if there are too many.
    """
    since = tx.now - HOUR
    if storage.inbound_mail.count_since(tx, address.hash, since) >= MAX_PER_HOUR:
        raise MailRefused("4.7.0", "Too many mails come to this address; try again later.")
    storage.inbound_mail.record(tx, domain.inbound_mail.new_token(), address.hash)


def is_new(tx: Tx, address: MailAddress, number: str) -> bool:
    return not storage.inbound_mail.was_received(tx, _mail_hash(address, number))


def post_message(
    tx: Tx,
    address: MailAddress,
    number: str,
    destination: MailDestination,
    draft: Draft,
    email_domain: str,
) -> bool:
    """Send the message. False if this mail was already posted."""
    hash = _mail_hash(address, number)
    if storage.inbound_mail.was_received(tx, hash):
        return False
    storage.inbound_mail.record(tx, hash)
    if destination.channel is None:
        assert destination.author is not None
        send.to_people(tx, destination.author, list(destination.people), draft, email_domain)
    elif destination.author is not None:
        send.to_channel(tx, destination.author, destination.channel.id, destination.topic, draft)
    else:
        maker, channel = destination.owner, destination.channel
        send_checks.check_to_channel(tx, maker, channel.id, destination.topic, draft)
        message_id = notices.post_without_account(tx, channel, destination.topic, draft)
        attachments.claim(tx, maker, message_id, draft.path_ids)
    return True


def delete_unused_files(tx: Tx, attachment_ids: Sequence[int]) -> None:
    """Delete the files of a rejected mail; files that a message links stay."""
    for attachment_id in attachment_ids:
        found = storage.files.attachments.find(tx, attachment_id)
        if found is not None and not found.message_ids:
            attachments.drop(tx, attachment_id)


def delete_expired(tx: Tx) -> None:
    """Delete expired addresses and the ids of old mails."""
    storage.inbound_mail.delete_before(tx, tx.now, tx.now - KEPT_SECONDS)


def _reply_destination(tx: Tx, target: ReplyAddress) -> MailDestination:
    if target.expires_at < tx.now:
        raise MailRefused("5.1.1", "This reply address is too old. Please answer in the chat.")
    author = _active(tx, target.user_id)
    message = storage.messages.table.find(tx, target.message_id)
    if message is None:
        raise MailRefused("5.1.1", "What this answers is no longer there.")
    if message.channel_id is not None:
        channel = lookups.named(tx, author, message.channel_id)
        if channel is None:
            raise MailRefused("5.7.1", "You no longer have access to this channel.")
        if not _is_in_thread(tx, target, message):
            raise MailRefused("5.1.1", "The message has moved. Please answer in the chat.")
        send_checks.check_may_post(tx, author, channel)
        return MailDestination(author, author, channel, message.topic)
    others = [each for each in message.member_ids if each != author.id]
    present = [each.id for each in storage.people.users.find_many(tx, others) if each.is_active]
    if others and not present:
        raise MailRefused("5.7.1", "This conversation has no other participants any more.")
    return MailDestination(author, author, people=tuple(present or [author.id]))


def _is_in_thread(tx: Tx, target: ReplyAddress, message: Message) -> bool:
    """Whether a message is still in the thread that its reply address was made for.

    A topic that was renamed or resolved as a whole is the same thread. Addresses from an older
    version do not store their thread; they stay valid until they expire.
    """
    if target.channel_id is None or target.topic is None:
        return True
    if message.channel_id != target.channel_id:
        return False
    fold = domain.channels.topics.fold
    return fold(message.topic) == fold(target.topic) or not storage.channels.topics.exists(
        tx, target.channel_id, target.topic
    )


def _active(tx: Tx, user_id: int) -> User:
    user = storage.people.users.find(tx, user_id)
    if user is None or not user.is_active:
        raise MailRefused("5.7.1", "Account is deactivated.")
    return user


def _mail_hash(address: MailAddress, number: str) -> str:
    return domain.inbound_mail.hashed(address.hash, number)
