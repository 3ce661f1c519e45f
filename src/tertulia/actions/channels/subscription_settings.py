"""What somebody chooses for their own subscriptions: colour, mute, pin, notifications."""

import msgspec

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.audience import Users
from tertulia.events.types.channels.subscriptions import SubscriptionChanged


class Choice(msgspec.Struct, frozen=True):
    """One property of one subscription, checked and under the name it is stored by."""

    channel_id: int
    property: str
    value: bool | str


def change(tx: Tx, user: User, choices: list[Choice]) -> None:
    """Make all of these choices, or none. The user hears of each, even if it was so before."""
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
