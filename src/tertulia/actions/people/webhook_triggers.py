"""Outgoing webhooks that a message triggers. They are stored with the message and sent later."""

from collections.abc import Iterable

from tertulia import storage
from tertulia.actions.channels import lookups
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import BotType, User


def record_mentions(
    tx: Tx, sender: User, channel: Channel, message_id: int, mentioned: Iterable[int]
) -> None:
    ids = sorted(mentioned)
    if sender.is_bot or not ids:
        return
    bots = [bot for bot in storage.people.users.find_many(tx, ids) if has_webhook(bot)]
    triggered = [bot.id for bot in bots if is_triggered_in(tx, bot, channel)]
    storage.outbox.insert_webhook_calls(tx, triggered, message_id, "mention")


def record_recipients(tx: Tx, sender: User, message_id: int, members: Iterable[User]) -> None:
    triggered = [bot.id for bot in members if not sender.is_bot and has_webhook(bot)]
    storage.outbox.insert_webhook_calls(tx, triggered, message_id, "direct_message")


def has_webhook(bot: User) -> bool:
    return bot.is_active and bot.bot_type is BotType.OUTGOING_WEBHOOK


def is_triggered_in(tx: Tx, bot: User, channel: Channel) -> bool:
    """A mention triggers a bot if it or its owner may read the channel."""
    if lookups.may_read(tx, bot, channel):
        return True
    owner = None if bot.bot_owner_id is None else storage.people.users.find(tx, bot.bot_owner_id)
    return owner is not None and owner.is_active and lookups.may_read(tx, owner, channel)
