"""Channels and subscriptions as clients see them, and the events that tell of them."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.channels import Channel, Subscription
from tertulia.domain.groups import GroupValue
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

_POST_POLICIES = {
    "role:administrators": 2,
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
    subscribers: list[int] | UnsetType = UNSET
    partial_subscribers: list[int] | UnsetType = UNSET


class SubscriptionObject(ChannelObject, kw_only=True):
    color: str
    is_muted: bool
    in_home_view: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None


def channel_object(
    org: Organization, channel: Channel, now: float, count: int | None = None
) -> ChannelObject:
    return ChannelObject(**_channel_fields(org, channel, now, count))


def subscription_object(
    org: Organization,
    channel: Channel,
    subscription: Subscription,
    now: float,
    *,
    inherit_from: User | None = None,
    count: int | None = None,
) -> SubscriptionObject:
    """A subscription; `inherit_from` fills in the owner's settings for clients that need them."""
    notify: dict[str, Any] = {}
    for name, setting in INHERITED.items():
        value = getattr(subscription, name)
        notify[name] = (
            inherit_from.prefers(setting) if value is None and inherit_from is not None else value
        )
    return SubscriptionObject(
        color=subscription.color,
        is_muted=subscription.is_muted,
        in_home_view=not subscription.is_muted,
        pin_to_top=subscription.pin_to_top,
        **notify,
        **_channel_fields(org, channel, now, count),
    )


def _channel_fields(
    org: Organization, channel: Channel, now: float, count: int | None
) -> dict[str, Any]:
    sends = channel.permissions["can_send_message_group"]
    group = org.groups.get(sends) if isinstance(sends, int) else None
    post_policy = 1 if group is None else _POST_POLICIES.get(group.name, 1)
    return {
        "stream_id": channel.id,
        "name": channel.name,
        "description": channel.description,
        "rendered_description": channel.rendered_description,
        "date_created": int(channel.created_at),
        "creator_id": channel.creator_id,
        "invite_only": channel.invite_only,
        "is_web_public": channel.is_web_public,
        "history_public_to_subscribers": channel.history_public,
        "is_archived": channel.archived,
        "folder_id": channel.folder_id,
        "first_message_id": channel.first_message_id,
        "is_recently_active": channel.is_recently_active(now),
        "message_retention_days": channel.retention_days,
        "topics_policy": channel.topics_policy,
        "stream_post_policy": post_policy,
        "is_announcement_only": post_policy == 2,
        "stream_weekly_traffic": None,
        "subscriber_count": org.subscriber_count(channel.id) if count is None else count,
        "default_push_notifications": channel.default_push,
        **channel.permissions,
    }


class ChannelCreated(Event, frozen=True):
    kind: ClassVar[str] = "channel_created"
    types: ClassVar[tuple[str, ...]] = ("stream",)

    channel_id: int
    at: float

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        channel = org.channels[self.channel_id]
        shown = channel_object(org, channel, self.at, count=0)
        shown.first_message_id = None
        yield {"type": "stream", "op": "create", "streams": [shown]}


class Joined(Event, frozen=True):
    """People were subscribed to a channel.

    Each of them hears of the subscription, all others who may see the channel of the peers.
    """

    kind: ClassVar[str] = "joined"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    channel_id: int
    subscriptions: dict[int, dict[str, Any]]
    count_before: int
    at: float
    revealed_to: list[int] = []
    first_message_id: int | None = None
    subscribers: list[int] | None = None  # those of that moment, told to who hears of it later

    def move(self, org: Organization) -> None:
        org.join(self.channel_id, self.subscriptions)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        channel = org.channels[self.channel_id]
        mine = self.subscriptions.get(to.user_id)
        if mine is None:
            yield {
                "type": "subscription",
                "op": "peer_add",
                "stream_ids": [self.channel_id],
                "user_ids": sorted(self.subscriptions),
            }
            return
        if to.user_id in self.revealed_to:
            shown = channel_object(org, channel, self.at, count=self.count_before)
            shown.first_message_id = self.first_message_id
            yield {"type": "stream", "op": "create", "streams": [shown]}
        subscription = Subscription(
            channel_id=self.channel_id, user_id=to.user_id, active=True, **mine
        )
        added = subscription_object(org, channel, subscription, self.at, count=self.count_before)
        added.first_message_id = self.first_message_id
        added.subscribers = (
            org.subscribers_of(self.channel_id) if self.subscribers is None else self.subscribers
        )
        yield {"type": "subscription", "op": "add", "subscriptions": [added]}


class Left(Event, frozen=True):
    """People were unsubscribed from a channel; some of them can no longer see it."""

    kind: ClassVar[str] = "left"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    channel_id: int
    user_ids: list[int]
    hidden_from: list[int] = []

    def move(self, org: Organization) -> None:
        org.leave(self.channel_id, self.user_ids)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        channel = org.channels[self.channel_id]
        if to.user_id not in self.user_ids:
            yield {
                "type": "subscription",
                "op": "peer_remove",
                "stream_ids": [self.channel_id],
                "user_ids": sorted(self.user_ids),
            }
            return
        gone = {"name": channel.name, "stream_id": channel.id}
        yield {"type": "subscription", "op": "remove", "subscriptions": [gone]}
        if to.user_id in self.hidden_from:
            yield {
                "type": "stream",
                "op": "delete",
                "streams": [{"stream_id": channel.id}],
                "stream_ids": [channel.id],
            }


class ChannelLivened(Event, frozen=True):
    """A channel got its first message, or its first in a long while. No client is told: each
    sees the message itself."""

    kind: ClassVar[str] = "channel_livened"

    channel_id: int

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})
