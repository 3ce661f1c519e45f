"""Deliveries of outgoing webhooks.

`jobs/webhook_sender.py` sends them at least once. The bot's response is posted in the transaction
that deletes the delivery, so it is posted once.
"""

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.bots import Service
from tertulia.domain.people.user import User
from tertulia.domain.people.webhook_deliveries import WebhookCall
from tertulia.errors import ClientError

LEASE_SECONDS = 60.0  # how long only the server that claimed a delivery may send it


class Occasion(msgspec.Struct, frozen=True):
    """The data of one delivery."""

    bot: User
    service: Service
    message: Message


class Complaint(msgspec.Struct, frozen=True):
    """A failure: the text for the conversation and for the owner."""

    in_conversation: Draft
    to_owner: NoticeText


def take(tx: Tx, call: WebhookCall) -> Occasion | None:
    """Claim a delivery. None if another server has, the bot is gone, or it may no longer see the
    message."""
    if not storage.people.webhook_deliveries.take(tx, call, tx.now + LEASE_SECONDS):
        return None
    bot = storage.people.find(tx, call.bot_id)
    message = storage.messages.find(tx, call.message_id)
    service = storage.people.bots.find(tx, call.bot_id).service
    if (
        message is None
        or bot is None
        or not actions.people.webhook_triggers.has_webhook(bot)
        or service is None
        or not service.url
        or not _may_receive(tx, bot, message)
    ):
        storage.people.webhook_deliveries.delete(tx, call.id)
        return None
    return Occasion(bot, service, message)


def _may_receive(tx: Tx, bot: User, message: Message) -> bool:
    """Checked again, because the message may have been moved before a retry."""
    if message.channel_id is None:
        return True
    channel = storage.channels.find(tx, message.channel_id)
    return channel is not None and actions.people.webhook_triggers.is_triggered_in(tx, bot, channel)


def done(tx: Tx, call: WebhookCall) -> None:
    """The bot has no response."""
    _end(tx, call)


def answered(
    tx: Tx, call: WebhookCall, occasion: Occasion, answer: Draft, email_domain: str
) -> None:
    """Post the bot's response. Raises a ClientError if the bot may not."""
    if not storage.people.webhook_deliveries.exists(tx, call.id):
        return
    _post(tx, occasion, answer, email_domain)
    _end(tx, call)


def put_off(tx: Tx, call: WebhookCall, until: float, timed_out: bool) -> None:
    storage.people.webhook_deliveries.put_off(tx, call.id, until)
    storage.people.webhook_deliveries.note_timeout(tx, call.bot_id, timed_out)


def give_up(
    tx: Tx,
    call: WebhookCall,
    occasion: Occasion,
    complaint: Complaint,
    email_domain: str,
    timed_out: bool,
) -> None:
    """Delete a failed delivery and post the failure, if the bot may."""
    if not storage.people.webhook_deliveries.exists(tx, call.id):
        return
    _end(tx, call, timed_out)
    try:
        _post(tx, occasion, complaint.in_conversation, email_domain)
    except ClientError:
        pass  # the owner is notified in any case
    owner_id = occasion.bot.bot_owner_id
    owner = None if owner_id is None else storage.people.find(tx, owner_id)
    if owner is not None and owner.is_active:
        actions.messages.notices.send_to_user(tx, owner.id, complaint.to_owner)


def _end(tx: Tx, call: WebhookCall, timed_out: bool = False) -> None:
    """Delete a delivery and mark its message as read by the bot."""
    storage.people.webhook_deliveries.delete(tx, call.id)
    storage.people.webhook_deliveries.note_timeout(tx, call.bot_id, timed_out)
    if storage.messages.unread.among(tx, call.bot_id, [call.message_id]):
        actions.messages.read_state.mark_read(tx, call.bot_id, [call.message_id])


def _post(tx: Tx, occasion: Occasion, draft: Draft, email_domain: str) -> None:
    message, bot = occasion.message, occasion.bot
    if message.channel_id is not None:
        now = storage.messages.find(tx, message.id) or message  # it may have been moved
        where = message.channel_id if now.channel_id is None else now.channel_id
        actions.messages.send.to_channel(tx, bot, where, now.topic, draft)
    else:
        actions.messages.send.to_people(tx, bot, list(message.member_ids), draft, email_domain)
