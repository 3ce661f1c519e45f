"""Personal settings of a subscription: color, mute, pin, notifications."""

import msgspec

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.audience import Users
from tertulia.events.types.channels.subscriptions import SubscriptionChanged


class Choice(msgspec.Struct, frozen=True):
    """One property of one subscription, checked and with its stored name."""

    channel_id: int
    property: str
    value: bool | str


def change(tx: Tx, user: User, choices: list[Choice]) -> None:
    """Apply all choices, or none. Each produces an event, even without a change."""
    for choice in choices:
        channel = actions.channels.visible_to(tx, user, choice.channel_id)
        if channel.archived:
            raise ChannelNotAccessible()
        if not storage.channels.subscriptions.is_subscribed(tx, user.id, channel.id):
            raise BadRequest(f"Not subscribed to channel ID {channel.id}")
        storage.channels.subscriptions.set_property(
            tx, user.id, channel.id, choice.property, choice.value
        )
        event = SubscriptionChanged(channel.id, choice.property, choice.value)
        events.log.announce(tx, event, to=Users([user.id]))
