"""Personal settings of a subscription: color, mute, pin, notifications."""

import msgspec

from tertulia import events, storage
from tertulia.actions.channels import bulk_access, lookups
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.audience import Users
from tertulia.events.types.channels.subscriptions import SubscriptionChanged, SubscriptionsChanged


class Choice(msgspec.Struct, frozen=True):
    """One property of one subscription, checked and with its stored name."""

    channel_id: int
    property: str
    value: bool | str


def change(tx: Tx, user: User, choices: list[Choice]) -> None:
    """Apply all choices, or none. Clients get an event of each, even without a
    change."""
    ids = list({choice.channel_id for choice in choices})
    channels = {channel.id: channel for channel in storage.channels.table.find_many(tx, ids)}
    access = bulk_access.BulkAccess(tx, user, channels.values())
    values: dict[str, dict[int, bool | str]] = {}
    for choice in choices:
        channel = channels.get(choice.channel_id)
        if channel is None or channel.archived or not access.may_see(channel):
            lookups.spend_lookup_time(tx, user)
            raise ChannelNotAccessible()
        if channel.id not in access.subscribed:
            raise BadRequest(f"Not subscribed to channel ID {channel.id}", problem="not-subscribed")
        values.setdefault(choice.property, {})[channel.id] = choice.value
    for name, by_channel in values.items():
        storage.channels.subscriptions.set_property(tx, user.id, name, by_channel)
    changes = [
        SubscriptionChanged(choice.channel_id, choice.property, choice.value) for choice in choices
    ]
    if len(changes) == 1:
        events.log.announce(tx, changes[0], to=Users([user.id]))
    elif changes:
        events.log.announce(tx, SubscriptionsChanged(changes), to=Users([user.id]))
