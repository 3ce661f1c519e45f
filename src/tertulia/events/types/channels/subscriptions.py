"""Subscriptions in API format, and the events of users who join and leave channels."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import Raw

from tertulia.domain.channels.channel import Subscription
from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.channels import channel
from tertulia.events.types.channels.channel import (
    ChannelName,
    ChannelObject,
    ChannelsCreate,
    ChannelsDelete,
    PeersUpdate,
)
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import ChannelId

# What a subscription may inherit from the user's settings, and the name of that setting.
INHERITED = {
    "desktop_notifications": "enable_stream_desktop_notifications",
    "audible_notifications": "enable_stream_audible_notifications",
    "push_notifications": "enable_stream_push_notifications",
    "email_notifications": "enable_stream_email_notifications",
    "wildcard_mentions_notify": "wildcard_mentions_notify",
}


SubscriptionSetting = Annotated[
    str, Doc("The personal setting of the subscription.", example="is_muted")
]


class PersonalPart(msgspec.Struct, kw_only=True):
    """The members that a subscription adds to its channel: one user's settings for it."""

    color: str
    is_muted: bool
    in_home_view: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None


class SubscriptionObject(ChannelObject, kw_only=True):
    """A channel with the personal part. Both are encoded separately and joined as bytes."""

    color: Annotated[str, Doc("The color of the channel for the subscriber, as `#rrggbb`.")]
    is_muted: Annotated[bool, Doc("Whether the subscriber has muted the channel.")]
    in_home_view: Annotated[bool, Doc("The opposite of `is_muted`. Deprecated.")]
    pin_to_top: Annotated[bool, Doc("Whether the subscriber has pinned the channel.")]
    desktop_notifications: Annotated[
        bool | None,
        Doc("Whether messages here give desktop notifications; null uses the general setting."),
    ]
    audible_notifications: Annotated[
        bool | None, Doc("Whether messages here play a sound; null uses the general setting.")
    ]
    push_notifications: Annotated[
        bool | None,
        Doc("Whether messages here give push notifications; null uses the general setting."),
    ]
    email_notifications: Annotated[
        bool | None,
        Doc("Whether messages here give mail notifications; null uses the general setting."),
    ]
    wildcard_mentions_notify: Annotated[
        bool | None, Doc("Whether wildcard mentions notify here; null uses the general setting.")
    ]


_encode = msgspec.json.Encoder().encode


def personal_part(subscription: Subscription) -> PersonalPart:
    return PersonalPart(
        color=subscription.color,
        is_muted=subscription.is_muted,
        in_home_view=not subscription.is_muted,
        pin_to_top=subscription.pin_to_top,
        **{name: getattr(subscription, name) for name in INHERITED},
    )


def inherited_settings(user: User) -> tuple[bool, ...]:
    """The values that a subscription inherits."""
    return tuple(user.prefers(setting) for setting in INHERITED.values())


def encoded_personal_part(
    personal: tuple[Any, ...], inherited: tuple[bool, ...] | None = None
) -> bytes:
    """The personal part as JSON.

    `inherited` are the owner's settings, for clients that do not support inheritance.
    """
    notify = personal[-len(INHERITED) :]
    if inherited is not None:
        pairs = zip(notify, inherited, strict=True)
        notify = tuple(usual if value is None else value for value, usual in pairs)
    whole = Subscription(0, 0, True, *personal[: -len(INHERITED)], *notify)
    return _encode(personal_part(whole))


class AddedSubscription(msgspec.Struct, frozen=True, omit_defaults=True):
    """The users who joined one channel, each with the settings that differ from the defaults."""

    channel_id: int
    subscriptions: dict[int, dict[str, Any]]
    count_before: int
    revealed_to: list[int] = []
    first_message_id: int | None = None


class SubscriptionsAdd(WireEvent, tag="subscription"):
    op: Literal["add"]
    subscriptions: Annotated[
        list[SubscriptionObject], Doc("The channels, with the personal settings of each.")
    ]


class SubscriptionsAdded(Event, frozen=True, kind="joined"):
    """Users were subscribed to channels by one action.

    Each of them receives the subscriptions; others who may see the channels receive the new peers.
    """

    wires = (ChannelsCreate, SubscriptionsAdd, PeersUpdate)

    arrivals: list[AddedSubscription]

    def undo(self, org: Organization) -> None:
        for arrival in self.arrivals:
            org.set_subscribed(arrival.channel_id, arrival.subscriptions, is_subscribed=False)

    def apply(self, org: Organization) -> None:
        for arrival in self.arrivals:
            org.set_subscribed(arrival.channel_id, arrival.subscriptions, is_subscribed=True)

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        mine: list[Raw] = []
        peers: dict[tuple[int, ...], list[int]] = {}
        for arrival in self.arrivals:
            if to.user_id not in arrival.subscriptions:
                users = channel.known_peers(
                    org, to, arrival.channel_id, sorted(arrival.subscriptions), was_inside=False
                )
                if users and org.may_see(to.user_id, arrival.channel_id):
                    peers.setdefault(users, []).append(arrival.channel_id)
                continue
            shown = channel.channel_object(
                org, org.channels[arrival.channel_id], count=arrival.count_before
            )
            shown.first_message_id = arrival.first_message_id
            if to.user_id in arrival.revealed_to:
                yield channel.channel_created(shown)
            mine.append(_added(org, shown, to.user_id, arrival))
        if mine:
            yield SubscriptionsAdd("add", cast(list[SubscriptionObject], mine))
        for user_ids, channel_ids in peers.items():
            yield PeersUpdate("peer_add", sorted(channel_ids), user_ids)


def _added(
    org: Organization, shown: ChannelObject, user_id: int, arrival: AddedSubscription
) -> Raw:
    chosen = arrival.subscriptions[user_id]
    subscription = Subscription(channel_id=shown.stream_id, user_id=user_id, active=True, **chosen)
    subscribers = channel.subscribers_for(org, shown.stream_id, org.users[user_id])
    return channel.with_members(
        _encode(shown),
        _encode(personal_part(subscription)),
        b'{"subscribers":%s}' % subscribers,
    )


class RemovedSubscription(msgspec.Struct, frozen=True, omit_defaults=True):
    """The users who left one channel, and which of them can no longer see it."""

    channel_id: int
    user_ids: list[int]
    hidden_from: list[int] = []
    name: str = ""  # the channel's name at that time; they may not learn a later one


class FormerSubscription(msgspec.Struct):
    name: ChannelName
    stream_id: ChannelId


class SubscriptionsRemove(WireEvent, tag="subscription"):
    op: Literal["remove"]
    subscriptions: Annotated[
        list[FormerSubscription], Doc("The channels, with the personal settings of each.")
    ]


class SubscriptionsRemoved(Event, frozen=True, kind="left"):
    """Users were unsubscribed from channels by one action."""

    wires = (SubscriptionsRemove, ChannelsDelete, PeersUpdate)

    departures: list[RemovedSubscription]

    def undo(self, org: Organization) -> None:
        for departure in self.departures:
            org.set_subscribed(departure.channel_id, departure.user_ids, is_subscribed=True)

    def apply(self, org: Organization) -> None:
        for departure in self.departures:
            org.set_subscribed(departure.channel_id, departure.user_ids, is_subscribed=False)

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        mine: list[FormerSubscription] = []
        hidden: list[int] = []
        peers: dict[tuple[int, ...], list[int]] = {}
        for departure in self.departures:
            channel_id = departure.channel_id
            others = channel.known_peers(
                org,
                to,
                channel_id,
                [each for each in departure.user_ids if each != to.user_id],
                was_inside=to.user_id in departure.user_ids,
            )
            if to.user_id in departure.user_ids:
                name = departure.name or org.channels[channel_id].name
                mine.append(FormerSubscription(name, channel_id))
            if to.user_id in departure.hidden_from:
                hidden.append(channel_id)
            elif others and (
                to.user_id in departure.user_ids or org.may_see(to.user_id, channel_id)
            ):
                peers.setdefault(others, []).append(channel_id)
        if mine:
            yield SubscriptionsRemove("remove", mine)
        for channel_id in hidden:
            yield channel.channel_deleted(channel_id)
        for user_ids, channel_ids in peers.items():
            yield PeersUpdate("peer_remove", sorted(channel_ids), user_ids)


class SubscriptionChanged(Event, frozen=True, kind="subscription_changed"):
    """A user changed a setting of one of their subscriptions, for example its color."""

    channel_id: int
    property: str
    value: bool | str

    class Wire(WireEvent, tag="subscription"):
        op: Literal["update"]
        stream_id: ChannelId
        property: SubscriptionSetting
        value: Annotated[bool | str | None, Doc("The new value.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.property == "is_muted":
            # Compat: before feature level 139 the property was the opposite of a mute.
            yield self.Wire("update", self.channel_id, "in_home_view", not self.value)
        yield self.Wire("update", self.channel_id, self.property, self.value)


class SubscriptionsChanged(Event, frozen=True, kind="subscriptions_changed"):
    """A user changed up to a thousand settings at once."""

    wires = (SubscriptionChanged.Wire,)

    changes: list[SubscriptionChanged]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        for change in self.changes:
            yield from change.shared_wire(org)
