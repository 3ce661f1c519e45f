"""Channels and subscriptions in the register snapshot and in the lists of the API.

An organization may have a thousand channels, so each is encoded once and cached by the directory.
This module only joins the pieces.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from pyroaring import BitMap

from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot.encoded_list import Elements
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.channels import subscriptions
from tertulia.events.types.channels.channel import ChannelObject, opened_channel, subscribers_for
from tertulia.events.types.channels.subscriptions import SubscriptionObject
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions
from tertulia.wire import Doc

MANY_SUBSCRIBERS = 1000  # from here on a client may request only some of them

_encode = msgspec.json.Encoder().encode


class SubscriptionsState(StatePart):
    subscriptions: Annotated[
        list[SubscriptionObject], Doc("The channels that the user is subscribed to.")
    ]
    unsubscribed: Annotated[
        list[SubscriptionObject], Doc("The channels that the user was subscribed to before.")
    ]
    never_subscribed: Annotated[
        list[ChannelObject], Doc("The channels that the user was never subscribed to.")
    ]


def subscription_state(
    org: Organization, me: User, mine: list[AlikeSubscriptions], options: Options
) -> SubscriptionsState:
    """All channels that the user may see: subscribed, unsubscribed and never subscribed."""
    inherited = None
    if not options.capabilities.notification_settings_null:
        inherited = subscriptions.inherited_settings(me)
    seen = org.visible_channels(me.id)
    subscribed: dict[int, bytes] = {}
    unsubscribed: dict[int, bytes] = {}
    for alike in mine:
        ending = _ending(alike, inherited)
        if alike.active:
            subscribed |= dict.fromkeys(alike.channel_ids, ending)
        else:
            unsubscribed |= dict.fromkeys(seen & BitMap(alike.channel_ids), ending)
    strange = dict.fromkeys(seen - BitMap(subscribed) - BitMap(unsubscribed), b"}")
    everything = _encoded_channels(org, archived=options.capabilities.archived_channels)
    more = _subscribers(org, me, options.include_subscribers)
    return SubscriptionsState(
        subscriptions=_selected_channels(everything, subscribed, more),
        unsubscribed=_selected_channels(everything, unsubscribed, more),
        never_subscribed=_selected_channels(everything, strange, more),
    )


def my_subscriptions(
    org: Organization, me: User, mine: list[AlikeSubscriptions], include_subscribers: str
) -> Elements:
    """The response of GET /users/me/subscriptions."""
    endings: dict[int, bytes] = {}
    for alike in mine:
        if alike.active:
            endings |= dict.fromkeys(alike.channel_ids, _ending(alike))
    found: Elements = _selected_channels(
        _encoded_channels(org), endings, _subscribers(org, me, include_subscribers)
    )
    return found


def streams_state(org: Organization, me: User, options: Options) -> Any:
    """All channels that the user may see."""
    seen = org.visible_channels(me.id)
    everything = _encoded_channels(org, archived=options.capabilities.archived_channels)
    encoded = [encoded for channel_id, encoded in everything if channel_id in seen]
    return Elements(encoded, [b"}"] * len(encoded))


def by_name(org: Organization, *, archived: bool = False) -> list[Channel]:
    """Channels by name; archived ones only on request."""
    found = [channel for channel in org.channels.values() if archived or not channel.archived]
    return sorted(found, key=lambda channel: channel.name)


def _encoded_channels(org: Organization, *, archived: bool = False) -> list[tuple[int, bytes]]:
    """The same as ids, each with the channel's JSON without its closing brace."""

    def make() -> list[tuple[int, bytes]]:
        opened = opened_channel
        return [(each.id, opened(org, each)) for each in by_name(org, archived=archived)]

    return org.encoded.of_all_channels(("encoded", archived), make)


def _selected_channels(
    everything: list[tuple[int, bytes]],
    endings: Mapping[int, bytes],
    more: Callable[[int], bytes] | None,
) -> Any:
    """The channels that have an ending, with `more` before it."""
    if not endings:
        return Elements()
    shown = [each for each in everything if each[0] in endings]
    columns = [[encoded for _, encoded in shown], [endings[channel_id] for channel_id, _ in shown]]
    if more is not None:
        columns.insert(1, [more(channel_id) for channel_id, _ in shown])
    return Elements(*columns)


def _ending(alike: AlikeSubscriptions, inherited: tuple[bool, ...] | None = None) -> bytes:
    """The last members of a channel for a user who is or was subscribed."""
    part = subscriptions.encoded_personal_part(alike.personal, inherited)
    return b"," + part[1:]


def _subscribers(org: Organization, me: User, include: str) -> Callable[[int], bytes] | None:
    """Encodes the subscribers of a channel as the client requested; None if it did not."""

    def everybody(channel_id: int) -> bytes:
        subscribers = subscribers_for(org, channel_id, me)
        return b',"subscribers":%s' % subscribers

    def some(channel_id: int) -> bytes:
        if len(org.subscriptions.active(channel_id)) < MANY_SUBSCRIBERS:
            return everybody(channel_id)
        bots = [user for user in org.subscriptions.active(channel_id) if org.users[user].is_bot]
        return b',"partial_subscribers":%s' % _encode(bots)

    return {"true": everybody, "partial": some}.get(include)
