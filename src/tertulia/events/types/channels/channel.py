"""Channels in API format, and their events."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from tertulia.domain.channels.channel import AccessRule, Channel
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS, GroupValue, Members
from tertulia.domain.people.user import User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Revocation
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    ChannelId,
    CreationTime,
    CreatorId,
    DefaultPushNotifications,
    HistoryPublicToSubscribers,
    IsDefaultChannel,
    IsPrivate,
    IsWebPublic,
)

ADMINISTRATORS_POST = 2
POST_POLICIES = {
    "role:administrators": ADMINISTRATORS_POST,
    "role:fullmembers": 3,
    "role:moderators": 4,
}


IsArchived = Annotated[bool, Doc("Whether the channel is archived.")]
ChannelSubscriberIds = Annotated[list[int], Doc("Ids of the subscribers.")]
RenderedDescription = Annotated[str, Doc("The description of the channel, as HTML.")]
ChannelName = Annotated[str, Doc("The name of the channel.")]


def _meaning(permission: str) -> msgspec.Meta:
    return Doc(CHANNEL_PERMISSIONS[permission].meaning)


class ChannelObject(msgspec.Struct, kw_only=True):
    stream_id: ChannelId
    name: ChannelName
    description: Annotated[str, Doc("The description of the channel, in Markdown.")]
    rendered_description: RenderedDescription
    date_created: CreationTime
    creator_id: CreatorId | None
    invite_only: IsPrivate
    is_web_public: IsWebPublic
    history_public_to_subscribers: HistoryPublicToSubscribers
    is_archived: IsArchived
    folder_id: Annotated[int | None, Doc("The folder of the channel; null if there is none.")]
    first_message_id: Annotated[
        int | None, Doc("The id of the first message in the channel; null if there is none.")
    ]
    is_recently_active: Annotated[bool, Doc("Whether the channel has recent messages.")]
    message_retention_days: Annotated[
        int | None,
        Doc(
            "After how many days messages are deleted; null uses the organization's setting,"
            " -1 is never."
        ),
    ]
    topics_policy: Annotated[str, Doc("Whether the channel allows messages without a topic.")]
    stream_post_policy: Annotated[int, Doc("Who may post, by number. Deprecated.")]
    is_announcement_only: Annotated[bool, Doc("Whether only administrators can post. Deprecated.")]
    stream_weekly_traffic: Annotated[
        int | None, Doc("The number of messages per week; null for a new channel.")
    ]
    subscriber_count: Annotated[int, Doc("The number of subscribers.")]
    default_push_notifications: DefaultPushNotifications
    topic_summaries_allowed: Annotated[
        bool, Doc("Whether topics of the channel may be sent to the operator's language model.")
    ]
    slow_mode_seconds: Annotated[
        int, Doc("The seconds between two messages of a user; 0 without slow mode.")
    ]
    slow_mode_until: Annotated[
        int | None, Doc("When slow mode ends, in UNIX seconds; null without an end.")
    ]
    can_add_subscribers_group: Annotated[GroupValue, _meaning("can_add_subscribers_group")]
    can_administer_channel_group: Annotated[GroupValue, _meaning("can_administer_channel_group")]
    can_create_topic_group: Annotated[GroupValue, _meaning("can_create_topic_group")]
    can_delete_any_message_group: Annotated[GroupValue, _meaning("can_delete_any_message_group")]
    can_delete_own_message_group: Annotated[GroupValue, _meaning("can_delete_own_message_group")]
    can_move_messages_out_of_channel_group: Annotated[
        GroupValue, _meaning("can_move_messages_out_of_channel_group")
    ]
    can_move_messages_within_channel_group: Annotated[
        GroupValue, _meaning("can_move_messages_within_channel_group")
    ]
    can_remove_subscribers_group: Annotated[GroupValue, _meaning("can_remove_subscribers_group")]
    can_resolve_topics_group: Annotated[GroupValue, _meaning("can_resolve_topics_group")]
    can_send_message_group: Annotated[GroupValue, _meaning("can_send_message_group")]
    can_subscribe_group: Annotated[GroupValue, _meaning("can_subscribe_group")]
    is_default: IsDefaultChannel | UnsetType = UNSET
    subscribers: ChannelSubscriberIds | UnsetType = UNSET
    partial_subscribers: Annotated[
        list[int] | UnsetType, Doc("Ids of some subscribers, if not all were requested.")
    ] = UNSET


_encode = msgspec.json.Encoder().encode


def channel_object(
    org: Organization, channel: Channel, *, count: int | None = None
) -> ChannelObject:
    """A channel in API format. In events about a new channel the number of subscribers may be
    outdated."""
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
        stream_weekly_traffic=channel.weekly_traffic,
        subscriber_count=len(org.subscriptions.active(channel.id)) if count is None else count,
        default_push_notifications=channel.default_push,
        topic_summaries_allowed=channel.allows_summaries,
        slow_mode_seconds=channel.slow_mode_seconds,
        slow_mode_until=None if channel.slow_mode_until is None else int(channel.slow_mode_until),
        **values,
    )


def opened_channel(org: Organization, channel: Channel) -> bytes:
    """A channel as JSON without its closing brace, so that the caller can add members.

    The JSON is cached until something in it changes.
    """
    kept = org.encoded.channel(channel.id)
    known = kept.get("channel")
    if known is None:
        shown = channel_object(org, channel)
        known = kept["channel"] = _encode(shown)[:-1]
    return known


def encoded_channel(org: Organization, channel: Channel) -> bytes:
    return opened_channel(org, channel) + b"}"


def subscribers_for(org: Organization, channel_id: int, viewer: User) -> bytes:
    """The active subscribers of a channel whom the viewer may know, as a JSON list."""
    if org.may_know_all(viewer) or org.subscriptions.includes(viewer.id, channel_id):
        return encoded_subscribers(org, channel_id)
    return _encode(org.filter_known(viewer, org.subscriptions.active(channel_id)))


def encoded_subscribers(org: Organization, channel_id: int) -> bytes:
    """The active subscribers of a channel as a JSON list, cached like the channel."""
    kept = org.encoded.channel(channel_id)
    known = kept.get("subscribers")
    if known is None:
        known = kept["subscribers"] = _encode(list(org.subscriptions.active(channel_id)))
    return known


def with_members(encoded: bytes, *more: bytes) -> Raw:
    """An encoded object with the members of other objects added."""
    if not more:
        return Raw(encoded)
    return Raw(b",".join([encoded[:-1], *[each[1:-1] for each in more[:-1]], more[-1][1:]]))


def post_policy_of(org: Organization, sends: GroupValue) -> int:
    """Compat: before feature level 333 the posting policy was one of four numbers."""
    group = org.groups.get(sends) if isinstance(sends, int) else None
    return 1 if group is None else POST_POLICIES.get(group.name, 1)


def shown_value(org: Organization, value: GroupValue) -> GroupValue:
    """A permission's value for clients, without deactivated users."""
    if isinstance(value, int) or not any(
        user in org.accounts.inactive for user in value.direct_members
    ):
        return value
    active = [user for user in value.direct_members if user not in org.accounts.inactive]
    return Members(active, value.direct_subgroups)


class ChannelsCreate(WireEvent, tag="stream"):
    op: Literal["create"]
    streams: Annotated[list[ChannelObject], Doc("The channels.")]


class ChannelReference(msgspec.Struct):
    stream_id: ChannelId


class ChannelsDelete(WireEvent, tag="stream"):
    op: Literal["delete"]
    streams: Annotated[list[ChannelReference], Doc("The deleted channels.")]
    stream_ids: Annotated[list[int], Doc("Ids of the deleted channels.")]


class ChannelUpdate(WireEvent, tag="stream"):
    op: Literal["update"]
    stream_id: ChannelId
    name: ChannelName
    property: Annotated[str, Doc("The name of the changed field.")]
    value: Annotated[str | bool | int | Members | None, Doc("The new value.")]
    rendered_description: RenderedDescription | UnsetType = UNSET
    history_public_to_subscribers: HistoryPublicToSubscribers | UnsetType = UNSET
    is_web_public: IsWebPublic | UnsetType = UNSET


class PeersUpdate(WireEvent, tag="subscription"):
    op: Literal["peer_add", "peer_remove"]
    stream_ids: Annotated[list[int], Doc("Ids of the channels.")]
    user_ids: Annotated[Sequence[int], Doc("Ids of the users.")]


def channel_created(shown: ChannelObject | Raw) -> ChannelsCreate:
    return ChannelsCreate("create", [cast(ChannelObject, shown)])


def channel_deleted(channel_id: int) -> ChannelsDelete:
    return ChannelsDelete("delete", [ChannelReference(channel_id)], [channel_id])


def known_peers(
    org: Organization, to: Listener, channel_id: int, user_ids: Sequence[int], *, was_inside: bool
) -> tuple[int, ...]:
    """Those of the users whom a listener may know. A subscriber knows all other subscribers."""
    if was_inside or org.subscriptions.includes(to.user_id, channel_id):
        return tuple(user_ids)
    return tuple(org.filter_known(org.users[to.user_id], user_ids))


def _became_visible(org: Organization, channel: Channel, to: Listener) -> Iterable[WireEvent]:
    """The events for a user to whom a channel becomes visible."""
    subscribers = org.subscriptions.active(channel.id)
    yield channel_created(channel_object(org, channel, count=len(subscribers)))
    known = org.filter_known(org.users[to.user_id], subscribers)
    if known:
        yield PeersUpdate("peer_add", [channel.id], known)


class ChannelCreated(Event, frozen=True, kind="channel_created", wires=(ChannelsCreate,)):
    channel_id: int

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        shown = channel_object(org, org.channels[self.channel_id], count=0)
        shown.first_message_id = None
        yield channel_created(shown)


class ChannelChanged(Event, frozen=True, kind="channel_changed"):
    """Some properties of a channel changed.

    If that changes who may see it, `before` and `after` are the access rules. To users who could
    not see it before it is a new channel; to users who no longer can it is deleted.
    """

    wires = (ChannelUpdate, ChannelsDelete, ChannelsCreate, PeersUpdate)

    channel_id: int
    name: str  # before the change; a rename has the new one as its value
    updates: list[dict[str, Any]]
    before: AccessRule | None = None
    after: AccessRule | None = None

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def undo(self, org: Organization) -> None:
        self._apply_change(org, self.name, self.before)

    def apply(self, org: Organization) -> None:
        renamed = (each["value"] for each in self.updates if each.get("property") == "name")
        self._apply_change(org, next(renamed, self.name), self.after)

    def _apply_change(self, org: Organization, name: str, access_rule: AccessRule | None) -> None:
        """Put the name and access rule of one moment: they decide the delivery of other events."""
        known = org.channels[self.channel_id]
        channel = replace(known, name=name)
        if access_rule is not None:
            channel = replace(
                channel,
                invite_only=access_rule.invite_only,
                is_web_public=access_rule.is_web_public,
                permissions=known.permissions | access_rule.permissions,
            )
        if channel != known:
            org.set_channel(channel)

    def revocation(self) -> Revocation:
        return Revocation() if self.before is None else Revocation(channels={self.channel_id: None})

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        saw = sees = True
        if self.before is not None and self.after is not None:
            saw = org.may_see(to.user_id, self.channel_id, access_rule=self.before)
            sees = org.may_see(to.user_id, self.channel_id, access_rule=self.after)
        if saw and sees:
            for update in self.updates:
                yield ChannelUpdate("update", self.channel_id, self.name, **update)
        elif saw:
            yield channel_deleted(self.channel_id)
        elif sees:
            yield from _became_visible(org, org.channels[self.channel_id], to)


class ChannelArchived(Event, frozen=True, kind="channel_archived"):
    """A channel was archived or unarchived. Older clients get a deletion or a creation."""

    wires = (ChannelUpdate, ChannelsDelete, ChannelsCreate)

    channel_id: int
    name: str
    archived: bool

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if to.options.capabilities.archived_channels:
            yield ChannelUpdate("update", self.channel_id, self.name, "is_archived", self.archived)
        elif self.archived:
            yield channel_deleted(self.channel_id)
        else:
            yield channel_created(channel_object(org, org.channels[self.channel_id]))


class ChannelsBecameVisible(Event, frozen=True, kind="channels_uncovered"):
    """Channels became visible or invisible to users whose role or groups changed."""

    wires = (ChannelsDelete, ChannelsCreate, PeersUpdate)

    shown: list[int]
    hidden: list[int]

    def revocation(self) -> Revocation:
        return Revocation(channels=dict.fromkeys(self.hidden))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        for channel_id in self.hidden:
            yield channel_deleted(channel_id)
        for channel_id in self.shown:
            if to.options.capabilities.archived_channels or not org.channels[channel_id].archived:
                yield from _became_visible(org, org.channels[channel_id], to)


class DefaultChannelsChanged(Event, frozen=True, kind="default_channels"):
    """The default channels of new users changed."""

    channel_ids: list[int]

    class Wire(WireEvent, tag="default_streams"):
        default_streams: Annotated[list[int], Doc("The channels of new users.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.channel_ids)
