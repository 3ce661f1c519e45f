"""Deliveries of outgoing webhooks.

`jobs/webhook_sender.py` sends them at least once. The bot's response is posted in the transaction
that deletes the delivery, so it is posted once.
"""

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.outbox import OutboxItem
from tertulia.domain.people.bots import Service
from tertulia.domain.people.user import User
from tertulia.domain.people.webhook_deliveries import WebhookFailure
from tertulia.errors import ClientError


class DeliveryContext(msgspec.Struct, frozen=True):
    """The data of one delivery."""

    bot: User
    service: Service
    message: Message


class FailureNotice(msgspec.Struct, frozen=True):
    """A failure: the text for the conversation and for the owner."""

    in_conversation: Draft
    to_owner: NoticeText


def claim(tx: Tx, call: OutboxItem) -> DeliveryContext | None:
    """Claim a delivery. None if another server has, the bot is gone, or it may no longer see the
    message."""
    if not actions.outbox.claim(tx, [call]):
        return None
    bot_id, message_id = call.subjects
    bot = storage.people.find(tx, bot_id)
    message = storage.messages.find(tx, message_id)
    service = storage.people.bots.find(tx, bot_id).service
    if (
        message is None
        or bot is None
        or not actions.people.webhook_triggers.has_webhook(bot)
        or service is None
        or not service.url
        or not _may_receive(tx, bot, message)
    ):
        storage.outbox.delete(tx, call)
        return None
    return DeliveryContext(bot, service, message)


def _may_receive(tx: Tx, bot: User, message: Message) -> bool:
    """Checked again, because the message may have been moved before a retry."""
    if message.channel_id is None:
        return True
    channel = storage.channels.find(tx, message.channel_id)
    return channel is not None and actions.people.webhook_triggers.is_triggered_in(tx, bot, channel)


def done(tx: Tx, call: OutboxItem) -> None:
    """The bot has no response."""
    _end(tx, call)


def post_response(
    tx: Tx, call: OutboxItem, context: DeliveryContext, reply: Draft, email_domain: str
) -> None:
    """Post the bot's response. Raises a ClientError if the bot may not."""
    if not storage.outbox.exists(tx, call):
        return
    _post(tx, context, reply, email_domain)
    _end(tx, call)


def reschedule(tx: Tx, call: OutboxItem, failure: WebhookFailure) -> None:
    """Schedule another try."""
    actions.outbox.record_results(tx, [], [call])
    storage.people.bots.record_outcome(tx, call.subjects[0], failure)


def give_up(
    tx: Tx,
    call: OutboxItem,
    context: DeliveryContext,
    notice: FailureNotice,
    email_domain: str,
    failure: WebhookFailure,
) -> None:
    """Delete a failed delivery and post the failure, if the bot may."""
    if not storage.outbox.exists(tx, call):
        return
    _end(tx, call, failure)
    try:
        _post(tx, context, notice.in_conversation, email_domain)
    except ClientError:
        pass  # the owner is notified in any case
    owner_id = context.bot.bot_owner_id
    owner = None if owner_id is None else storage.people.find(tx, owner_id)
    if owner is not None and owner.is_active:
        actions.messages.notices.send_to_user(tx, owner.id, notice.to_owner)


def _end(tx: Tx, call: OutboxItem, failure: WebhookFailure | None = None) -> None:
    """Delete a delivery and mark its message as read by the bot."""
    bot_id, message_id = call.subjects
    storage.outbox.delete(tx, call)
    storage.people.bots.record_outcome(tx, bot_id, failure)
    if storage.messages.unread.among(tx, bot_id, [message_id]):
        actions.messages.read_state.mark_read(tx, bot_id, [message_id])


def _post(tx: Tx, context: DeliveryContext, draft: Draft, email_domain: str) -> None:
    message, bot = context.message, context.bot
    if message.channel_id is not None:
        now = storage.messages.find(tx, message.id) or message  # it may have been moved
        where = message.channel_id if now.channel_id is None else now.channel_id
        actions.messages.send.to_channel(tx, bot, where, now.topic, draft)
    else:
        actions.messages.send.to_people(tx, bot, list(message.member_ids), draft, email_domain)
