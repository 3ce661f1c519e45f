"""Channels and subscriptions as told at register and by the lists of them.

An organization may have a thousand channels, so each is encoded once and kept by the directory;
here the pieces are only put together.
"""

from collections.abc import Callable

import msgspec

from tertulia import events
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User
from tertulia.events.directory import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot.elements import Elements
from tertulia.storage.channels.alike import AlikeSubscriptions

MANY_SUBSCRIBERS = 1000  # from here on a client may ask for some of them only

_encode = msgspec.json.Encoder().encode


def subscription_state(
    org: Organization, me: User, mine: list[AlikeSubscriptions], options: Options
) -> dict[str, Elements]:
    """Every channel the user may see: those they are in, were in, and never were in."""
    inherited = None
    if not options.capabilities.notification_settings_null:
        inherited = events.types.channels.subscriptions.inherited_by(me)
    subscribed, unsubscribed, never_subscribed = Elements(), Elements(), Elements()
    places: dict[int, tuple[Elements, bytes]] = {}
    for alike in mine:
        place = subscribed if alike.active else unsubscribed
        places |= dict.fromkeys(alike.channel_ids, (place, _ending(alike, inherited)))
    stranger = (never_subscribed, b"}")
    seen = org.seen_channels(me.id)
    more = _subscribers(org, me, options.include_subscribers)
    for channel_id, told in _told(org, archived=options.capabilities.archived_channels):
        place, ending = places.get(channel_id, stranger)
        if place is subscribed or channel_id in seen:
            place.add(told, *more(channel_id), ending)
    return {
        "subscriptions": subscribed,
        "unsubscribed": unsubscribed,
        "never_subscribed": never_subscribed,
    }


def my_subscriptions(
    org: Organization, me: User, mine: list[AlikeSubscriptions], include_subscribers: str
) -> Elements:
    """What GET /users/me/subscriptions shows."""
    endings: dict[int, bytes] = {}
    for alike in mine:
        if alike.active:
            endings |= dict.fromkeys(alike.channel_ids, _ending(alike))
    more = _subscribers(org, me, include_subscribers)
    shown = Elements()
    for channel_id, told in _told(org):
        if channel_id in endings:
            shown.add(told, *more(channel_id), endings[channel_id])
    return shown


def streams_state(org: Organization, me: User, options: Options) -> Elements:
    """All channels whose metadata the user may see."""
    seen = org.seen_channels(me.id)
    everything = _told(org, archived=options.capabilities.archived_channels)
    return Elements([told for channel_id, told in everything if channel_id in seen], ending=b"}")


def by_name(org: Organization, *, archived: bool = False) -> list[Channel]:
    """Channels by name; archived ones only for those who want to know of them."""
    found = [channel for channel in org.channels.values() if archived or not channel.archived]
    return sorted(found, key=lambda channel: channel.name)


def _told(org: Organization, *, archived: bool = False) -> list[tuple[int, bytes]]:
    """The same as ids, each with what is told of the channel, but for the brace at its end."""

    def make() -> list[tuple[int, bytes]]:
        opened = events.types.channels.channel.opened_channel
        return [(each.id, opened(org, each)) for each in by_name(org, archived=archived)]

    return org.kept.of_all_channels(("told", archived), make)


def _ending(alike: AlikeSubscriptions, inherited: tuple[bool, ...] | None = None) -> bytes:
    """What is said of a channel last, to one who is in it, or was."""
    part = events.types.channels.subscriptions.encoded_personal_part(alike.personal, inherited)
    return b"," + part[1:]


def _subscribers(org: Organization, me: User, include: str) -> Callable[[int], tuple[bytes, ...]]:
    """How is told who is in a channel, as far as that is asked for."""

    def everybody(channel_id: int) -> tuple[bytes, ...]:
        told = events.types.channels.channel.subscribers_for(org, channel_id, me)
        return (b',"subscribers":%s' % told,)

    def some(channel_id: int) -> tuple[bytes, ...]:
        if org.subscriber_count(channel_id) < MANY_SUBSCRIBERS:
            return everybody(channel_id)
        bots = [user for user in org.subscribers_of(channel_id) if org.users[user].is_bot]
        return (b',"partial_subscribers":%s' % _encode(bots),)

    return {"true": everybody, "partial": some, "false": lambda channel_id: ()}[include]
