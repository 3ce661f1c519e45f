"""Channels and subscriptions as clients see them, and the events that tell of them."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tertulia.domain.channels import Channel, Gate, Subscription
from tertulia.domain.groups import GroupValue, Members
from tertulia.domain.users import User
from tertulia.events.directory import Organization, Touched
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire

# What a subscription may leave to the user's own setting, and that setting.
INHERITED = {
    "desktop_notifications": "enable_stream_desktop_notifications",
    "audible_notifications": "enable_stream_audible_notifications",
    "push_notifications": "enable_stream_push_notifications",
    "email_notifications": "enable_stream_email_notifications",
    "wildcard_mentions_notify": "wildcard_mentions_notify",
}

ADMINISTRATORS_POST = 2
POST_POLICIES = {
    "role:administrators": ADMINISTRATORS_POST,
    "role:fullmembers": 3,
    "role:moderators": 4,
}


class ChannelObject(msgspec.Struct, kw_only=True):
    stream_id: int
    name: str
    description: str
    rendered_description: str
    date_created: int
    creator_id: int | None
    invite_only: bool
    is_web_public: bool
    history_public_to_subscribers: bool
    is_archived: bool
    folder_id: int | None
    first_message_id: int | None
    is_recently_active: bool
    message_retention_days: int | None
    topics_policy: str
    stream_post_policy: int
    is_announcement_only: bool
    stream_weekly_traffic: int | None
    subscriber_count: int
    default_push_notifications: bool
    can_add_subscribers_group: GroupValue
    can_administer_channel_group: GroupValue
    can_create_topic_group: GroupValue
    can_delete_any_message_group: GroupValue
    can_delete_own_message_group: GroupValue
    can_move_messages_out_of_channel_group: GroupValue
    can_move_messages_within_channel_group: GroupValue
    can_remove_subscribers_group: GroupValue
    can_resolve_topics_group: GroupValue
    can_send_message_group: GroupValue
    can_subscribe_group: GroupValue
    is_default: bool | UnsetType = UNSET
    subscribers: list[int] | UnsetType = UNSET
    partial_subscribers: list[int] | UnsetType = UNSET


class PersonalPart(msgspec.Struct, kw_only=True):
    """What a subscription adds to its channel: settings that are one user's alone."""

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
    """A channel with the personal part; on the wire the two are put together as bytes."""

    color: str
    is_muted: bool
    in_home_view: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None


# Channels or people of the moment of an event, for who hears of it later (see `recall`).
Recalled = list[int] | None

_encode = msgspec.json.Encoder().encode


def channel_object(
    org: Organization,
    channel: Channel,
    *,
    count: int | None = None,
    traffic: int | None = None,
) -> ChannelObject:
    """A channel; in events that tell of a new one the number of subscribers may be an older one."""
    post_policy = post_policy_of(org, channel.permissions["can_send_message_group"])
    values: dict[str, Any] = {
        name: shown_value(org, value) for name, value in channel.permissions.items()
    }
    return ChannelObject(
        stream_id=channel.id,
        name=channel.name,
        description=channel.description,
        rendered_description=channel.rendered_description,
        date_created=int(channel.created_at),
        creator_id=channel.creator_id,
        invite_only=channel.invite_only,
        is_web_public=channel.is_web_public,
        history_public_to_subscribers=channel.history_public,
        is_archived=channel.archived,
        folder_id=channel.folder_id,
        first_message_id=channel.first_message_id,
        is_recently_active=channel.recently_active,
        message_retention_days=channel.retention_days,
        topics_policy=channel.topics_policy,
        stream_post_policy=post_policy,
        is_announcement_only=post_policy == ADMINISTRATORS_POST,
        stream_weekly_traffic=traffic,
        subscriber_count=org.subscriber_count(channel.id) if count is None else count,
        default_push_notifications=channel.default_push,
        **values,
    )


def encoded_channel(org: Organization, channel: Channel) -> bytes:
    """A channel as JSON, made once and kept until something it tells of changes."""
    kept = org.kept(channel.id)
    known = kept.get("channel")
    if known is None:
        shown = channel_object(org, channel, traffic=channel.weekly_traffic)
        known = kept["channel"] = _encode(shown)
    return known


def encoded_subscribers(org: Organization, channel_id: int) -> bytes:
    """The active subscribers of a channel as a JSON list, kept like the channel itself."""
    kept = org.kept(channel_id)
    known = kept.get("subscribers")
    if known is None:
        known = kept["subscribers"] = _encode(org.subscribers_of(channel_id))
    return known


def with_members(encoded: bytes, *more: bytes) -> Raw:
    """An encoded object with the members of others added to it."""
    parts = [encoded[:-1], *(each[1:-1] for each in more)]
    return Raw(b",".join(parts) + b"}")


def personal_part(subscription: Subscription, *, inherit_from: User | None = None) -> PersonalPart:
    """`inherit_from` fills in the owner's settings for clients that do not know of inheriting."""
    notify: dict[str, Any] = {}
    for name, setting in INHERITED.items():
        value = getattr(subscription, name)
        notify[name] = (
            inherit_from.prefers(setting) if value is None and inherit_from is not None else value
        )
    return PersonalPart(
        color=subscription.color,
        is_muted=subscription.is_muted,
        in_home_view=not subscription.is_muted,
        pin_to_top=subscription.pin_to_top,
        **notify,
    )


def post_policy_of(org: Organization, sends: GroupValue) -> int:
    """Compat: before feature level 333 who may post was one of four numbers."""
    group = org.groups.get(sends) if isinstance(sends, int) else None
    return 1 if group is None else POST_POLICIES.get(group.name, 1)


def shown_value(org: Organization, value: GroupValue) -> GroupValue:
    """A permission's value for clients: deactivated people are not named."""
    if isinstance(value, int) or not any(org.is_inactive(user) for user in value.direct_members):
        return value
    active = [user for user in value.direct_members if not org.is_inactive(user)]
    return Members(active, value.direct_subgroups)


def _was_in(subscribed: Recalled, channel_id: int) -> bool | None:
    """Whether a listener was in a channel at the moment of an event; None to ask for now."""
    return None if subscribed is None else channel_id in subscribed


def _created(shown: ChannelObject | Raw) -> Wire:
    return {"type": "stream", "op": "create", "streams": [shown]}


def _deleted(channel_id: int) -> Wire:
    return {
        "type": "stream",
        "op": "delete",
        "streams": [{"stream_id": channel_id}],
        "stream_ids": [channel_id],
    }


def _peers(op: str, channel_ids: list[int], user_ids: Sequence[int]) -> Wire:
    return {
        "type": "subscription",
        "op": op,
        "stream_ids": channel_ids,
        "user_ids": user_ids,
    }


def _shown_anew(
    org: Organization, channel_id: int, subscribers: list[int] | None = None
) -> Iterable[Wire]:
    """What somebody is told who can see a channel from now on, or from a moment of the past."""
    if subscribers is None:
        subscribers = org.subscribers_of(channel_id)
    yield _created(channel_object(org, org.channels[channel_id], count=len(subscribers)))
    if subscribers:
        yield _peers("peer_add", [channel_id], subscribers)


class ChannelCreated(Event, frozen=True):
    kind: ClassVar[str] = "channel_created"
    types: ClassVar[tuple[str, ...]] = ("stream",)
    shared: ClassVar[bool] = True

    channel_id: int

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        shown = channel_object(org, org.channels[self.channel_id], count=0)
        shown.first_message_id = None
        yield _created(shown)


class ChannelChanged(Event, frozen=True):
    """Some properties of a channel have new values.

    Where that changes who may see it, `before` and `after` say how it was and is guarded. To
    those who could not see it before it is a new channel, to those who can no longer it is gone.
    """

    kind: ClassVar[str] = "channel_changed"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    channel_id: int
    name: str  # as it was before; a rename tells the new one as its value
    updates: list[dict[str, Any]]
    before: Gate | None = None
    after: Gate | None = None
    subscribed: Recalled = None
    subscribers: Recalled = None

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        saw = sees = True
        if self.before is not None and self.after is not None:
            inside = _was_in(self.subscribed, self.channel_id)
            saw = org.may_see(to.user_id, self.channel_id, inside, self.before)
            sees = org.may_see(to.user_id, self.channel_id, inside, self.after)
        if saw and sees:
            for update in self.updates:
                yield {
                    "type": "stream",
                    "op": "update",
                    "stream_id": self.channel_id,
                    "name": self.name,
                    **update,
                }
        elif saw:
            yield _deleted(self.channel_id)
        elif sees:
            yield from _shown_anew(org, self.channel_id, self.subscribers)


class ChannelArchived(Event, frozen=True):
    """A channel was archived or brought back. To older clients it is gone, or new."""

    kind: ClassVar[str] = "channel_archived"
    types: ClassVar[tuple[str, ...]] = ("stream",)

    channel_id: int
    name: str
    archived: bool

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if to.options.capabilities.archived_channels:
            yield {
                "type": "stream",
                "op": "update",
                "stream_id": self.channel_id,
                "name": self.name,
                "property": "is_archived",
                "value": self.archived,
            }
        elif self.archived:
            yield _deleted(self.channel_id)
        else:
            yield _created(channel_object(org, org.channels[self.channel_id]))


class ChannelsUncovered(Event, frozen=True):
    """Somebody can see some channels from now on, or no longer: their role or groups changed."""

    kind: ClassVar[str] = "channels_uncovered"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    shown: list[int]
    hidden: list[int]

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for channel_id in self.hidden:
            yield _deleted(channel_id)
        for channel_id in self.shown:
            if to.options.capabilities.archived_channels or not org.channels[channel_id].archived:
                yield from _shown_anew(org, channel_id)


class Arrival(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who came into one channel, each with the settings that differ from the usual ones."""

    channel_id: int
    subscriptions: dict[int, dict[str, Any]]
    count_before: int
    revealed_to: list[int] = []
    first_message_id: int | None = None
    subscribers: Recalled = None


class Joined(Event, frozen=True):
    """People were subscribed to channels, all by one act.

    Each of them hears of the subscriptions, all others who may see the channels of the peers.
    """

    kind: ClassVar[str] = "joined"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    arrivals: list[Arrival]
    subscribed: Recalled = None

    def move(self, org: Organization) -> None:
        for arrival in self.arrivals:
            org.join(arrival.channel_id, arrival.subscriptions)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        mine: list[Raw] = []
        peers: dict[tuple[int, ...], list[int]] = {}
        for arrival in self.arrivals:
            if to.user_id not in arrival.subscriptions:
                inside = _was_in(self.subscribed, arrival.channel_id)
                if org.may_see(to.user_id, arrival.channel_id, inside):
                    users = tuple(sorted(arrival.subscriptions))
                    peers.setdefault(users, []).append(arrival.channel_id)
                continue
            channel = org.channels[arrival.channel_id]
            shown = channel_object(org, channel, count=arrival.count_before)
            shown.first_message_id = arrival.first_message_id
            if to.user_id in arrival.revealed_to:
                yield _created(shown)
            mine.append(_added(org, shown, to.user_id, arrival))
        if mine:
            yield {"type": "subscription", "op": "add", "subscriptions": mine}
        for user_ids, channel_ids in peers.items():
            yield _peers("peer_add", sorted(channel_ids), user_ids)


def _added(org: Organization, shown: ChannelObject, user_id: int, arrival: Arrival) -> Raw:
    chosen = arrival.subscriptions[user_id]
    subscription = Subscription(channel_id=shown.stream_id, user_id=user_id, active=True, **chosen)
    if arrival.subscribers is None:
        subscribers = encoded_subscribers(org, shown.stream_id)
    else:
        subscribers = _encode(arrival.subscribers)
    return with_members(
        _encode(shown),
        _encode(personal_part(subscription)),
        b'{"subscribers":%s}' % subscribers,
    )


class Departure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who left one channel, and which of them can no longer see it."""

    channel_id: int
    user_ids: list[int]
    hidden_from: list[int] = []


class Left(Event, frozen=True):
    """People were unsubscribed from channels, all by one act."""

    kind: ClassVar[str] = "left"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    departures: list[Departure]
    subscribed: Recalled = None

    def move(self, org: Organization) -> None:
        for departure in self.departures:
            org.leave(departure.channel_id, departure.user_ids)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        mine: list[dict[str, Any]] = []
        hidden: list[int] = []
        peers: dict[tuple[int, ...], list[int]] = {}
        for departure in self.departures:
            channel = org.channels[departure.channel_id]
            others = tuple(each for each in departure.user_ids if each != to.user_id)
            if to.user_id in departure.user_ids:
                mine.append({"name": channel.name, "stream_id": channel.id})
            if to.user_id in departure.hidden_from:
                hidden.append(channel.id)
            elif others and (
                to.user_id in departure.user_ids
                or org.may_see(to.user_id, channel.id, _was_in(self.subscribed, channel.id))
            ):
                peers.setdefault(others, []).append(channel.id)
        if mine:
            yield {"type": "subscription", "op": "remove", "subscriptions": mine}
        for channel_id in hidden:
            yield _deleted(channel_id)
        for user_ids, channel_ids in peers.items():
            yield _peers("peer_remove", sorted(channel_ids), user_ids)


class SubscriptionChanged(Event, frozen=True):
    """A user gave one of their subscriptions another colour, muted it, and the like."""

    kind: ClassVar[str] = "subscription_changed"
    types: ClassVar[tuple[str, ...]] = ("subscription",)
    shared: ClassVar[bool] = True

    channel_id: int
    property: str
    value: bool | str

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if self.property == "is_muted":
            # Compat: before feature level 139 a mute was told the other way round.
            yield self._update("in_home_view", not self.value)
        yield self._update(self.property, self.value)

    def _update(self, name: str, value: bool | str) -> Wire:
        return {
            "type": "subscription",
            "op": "update",
            "stream_id": self.channel_id,
            "property": name,
            "value": value,
        }


class DefaultChannelsChanged(Event, frozen=True):
    """New users get other channels from now on."""

    kind: ClassVar[str] = "default_channels"
    types: ClassVar[tuple[str, ...]] = ("default_streams",)
    shared: ClassVar[bool] = True

    channel_ids: list[int]

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {"type": "default_streams", "default_streams": self.channel_ids}
