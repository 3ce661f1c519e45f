"""Channels and subscriptions as told at register."""

from typing import Any

from tertulia.domain.channels import Channel, Subscription
from tertulia.domain.users import User
from tertulia.events.directory import Organization
from tertulia.events.listener import Options
from tertulia.events.types.channels import (
    ChannelObject,
    SubscriptionObject,
    channel_object,
    subscription_object,
)

MANY_SUBSCRIBERS = 1000  # from here on a client may ask for some of them only


def subscription_state(
    org: Organization, me: User, mine: list[Subscription], options: Options, now: float
) -> dict[str, Any]:
    """Every channel the user may see: those they are in, were in, and never were in."""
    rows = {row.channel_id: row for row in mine}
    inherit = None if options.capabilities.notification_settings_null else me
    state: dict[str, list[ChannelObject]] = {
        "subscriptions": [],
        "unsubscribed": [],
        "never_subscribed": [],
    }
    for channel in _listed(org, options):
        row = rows.get(channel.id)
        if (row is None or not row.active) and not org.may_see(me.id, channel.id):
            continue
        if row is None:
            shown = channel_object(org, channel, now)
            place = "never_subscribed"
        else:
            shown = subscription_object(org, channel, row, now, inherit_from=inherit)
            place = "subscriptions" if row.active else "unsubscribed"
        add_subscribers(org, shown, options.include_subscribers)
        state[place].append(shown)
    return state


def my_subscriptions(
    org: Organization, mine: list[Subscription], include_subscribers: str, now: float
) -> list[SubscriptionObject]:
    """What GET /users/me/subscriptions shows."""
    rows = {row.channel_id: row for row in mine if row.active}
    found = []
    for channel in _listed(org, Options()):
        if channel.id in rows:
            shown = subscription_object(org, channel, rows[channel.id], now)
            add_subscribers(org, shown, include_subscribers)
            found.append(shown)
    return found


def streams_state(org: Organization, me: User, options: Options, now: float) -> list[ChannelObject]:
    return [
        channel_object(org, channel, now)
        for channel in _listed(org, options)
        if org.may_see(me.id, channel.id)
    ]


def add_subscribers(org: Organization, shown: ChannelObject, include: str) -> None:
    if include == "false":
        return
    subscribers = org.subscribers_of(shown.stream_id)
    if include == "partial" and len(subscribers) >= MANY_SUBSCRIBERS:
        shown.partial_subscribers = [u for u in subscribers if org.users[u].is_bot]
    else:
        shown.subscribers = subscribers


def _listed(org: Organization, options: Options) -> list[Channel]:
    """Channels by name; archived ones only for clients that know of them."""
    found = [
        channel
        for channel in org.channels.values()
        if not channel.archived or options.capabilities.archived_channels
    ]
    return sorted(found, key=lambda channel: channel.name)
