"""Channels and subscriptions as told at register and by the lists of them.

An organization may have a thousand channels, so each is encoded once and kept by the directory;
here the pieces are only put together.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw

from tertulia import events
from tertulia.domain.channels.channel import Channel, Subscription
from tertulia.domain.people.user import User
from tertulia.events.directory import Organization
from tertulia.events.listener import Options

MANY_SUBSCRIBERS = 1000  # from here on a client may ask for some of them only

_encode = msgspec.json.Encoder().encode


def subscription_state(
    org: Organization, me: User, mine: list[Subscription], options: Options
) -> dict[str, Any]:
    """Every channel the user may see: those they are in, were in, and never were in."""
    rows = {row.channel_id: row for row in mine}
    inherited = None
    if not options.capabilities.notification_settings_null:
        inherited = events.types.channels.subscriptions.inherited_by(me)
    subscribed: list[Raw] = []
    unsubscribed: list[Raw] = []
    never_subscribed: list[Raw] = []
    for channel in by_name(org, archived=options.capabilities.archived_channels):
        row = rows.get(channel.id)
        if (row is None or not row.active) and not org.may_see(me.id, channel.id):
            continue
        more = _subscribers(org, me, channel.id, options.include_subscribers)
        if row is None:
            never_subscribed.append(
                events.types.channels.channel.with_members(
                    events.types.channels.channel.encoded_channel(org, channel), *more
                )
            )
        else:
            place = subscribed if row.active else unsubscribed
            personal = events.types.channels.subscriptions.encoded_personal_part(
                row.personal, inherited
            )
            place.append(
                events.types.channels.channel.with_members(
                    events.types.channels.channel.encoded_channel(org, channel), personal, *more
                )
            )
    return {
        "subscriptions": subscribed,
        "unsubscribed": unsubscribed,
        "never_subscribed": never_subscribed,
    }


def my_subscriptions(
    org: Organization, me: User, mine: list[Subscription], include_subscribers: str
) -> list[Raw]:
    """What GET /users/me/subscriptions shows."""
    rows = {row.channel_id: row for row in mine if row.active}
    return [
        events.types.channels.channel.with_members(
            events.types.channels.channel.encoded_channel(org, channel),
            events.types.channels.subscriptions.encoded_personal_part(rows[channel.id].personal),
            *_subscribers(org, me, channel.id, include_subscribers),
        )
        for channel in by_name(org, among=rows)
    ]


def streams_state(org: Organization, me: User | None, options: Options) -> list[Raw]:
    """All channels whose metadata the user may see; without a user, what everybody may."""
    my_id = None if me is None else me.id
    return [
        Raw(events.types.channels.channel.encoded_channel(org, channel))
        for channel in by_name(org, archived=options.capabilities.archived_channels)
        if org.may_see(my_id, channel.id)
    ]


def by_name(
    org: Organization, *, archived: bool = False, among: Iterable[int] | None = None
) -> list[Channel]:
    """Channels by name; archived ones only for those who want to know of them."""
    channels = org.channels.values() if among is None else [org.channels[each] for each in among]
    found = [channel for channel in channels if archived or not channel.archived]
    return sorted(found, key=lambda channel: channel.name)


def _subscribers(org: Organization, me: User, channel_id: int, include: str) -> list[bytes]:
    if include == "false":
        return []
    if include == "partial" and org.subscriber_count(channel_id) >= MANY_SUBSCRIBERS:
        bots = [user for user in org.subscribers_of(channel_id) if org.users[user].is_bot]
        return [b'{"partial_subscribers":%s}' % _encode(bots)]
    subscribers = events.types.channels.channel.subscribers_for(org, channel_id, me)
    return [b'{"subscribers":%s}' % subscribers]
