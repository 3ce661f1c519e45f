"""Channels in API format, and their events."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from tertulia.domain.channels.channel import AccessRule, Channel
from tertulia.domain.groups.group import GroupValue, Members
from tertulia.domain.people.user import User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Revocation, Wire

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
    topic_summaries_allowed: bool
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


_encode = msgspec.json.Encoder().encode


def channel_object(
    org: Organization,
    channel: Channel,
    *,
    count: int | None = None,
    traffic: int | None = None,
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
        stream_weekly_traffic=traffic,
        subscriber_count=org.subscriber_count(channel.id) if count is None else count,
        default_push_notifications=channel.default_push,
        topic_summaries_allowed=channel.allows_summaries,
        **values,
    )


def opened_channel(org: Organization, channel: Channel) -> bytes:
    """A channel as JSON without its closing brace, so that the caller can add members.

    The JSON is cached until something in it changes.
    """
    kept = org.encoded.channel(channel.id)
    known = kept.get("channel")
    if known is None:
        shown = channel_object(org, channel, traffic=channel.weekly_traffic)
        known = kept["channel"] = _encode(shown)[:-1]
    return known


def encoded_channel(org: Organization, channel: Channel) -> bytes:
    return opened_channel(org, channel) + b"}"


def subscribers_for(org: Organization, channel_id: int, viewer: User) -> bytes:
    """The active subscribers of a channel whom the viewer may know, as a JSON list."""
    if org.may_know_all(viewer) or org.is_subscribed(viewer.id, channel_id):
        return encoded_subscribers(org, channel_id)
    return _encode(org.known_subscribers(viewer, channel_id))


def encoded_subscribers(org: Organization, channel_id: int) -> bytes:
    """The active subscribers of a channel as a JSON list, cached like the channel."""
    kept = org.encoded.channel(channel_id)
    known = kept.get("subscribers")
    if known is None:
        known = kept["subscribers"] = _encode(org.subscribers_of(channel_id))
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


def channel_created(shown: ChannelObject | Raw) -> Wire:
    return {"type": "stream", "op": "create", "streams": [shown]}


def channel_deleted(channel_id: int) -> Wire:
    return {
        "type": "stream",
        "op": "delete",
        "streams": [{"stream_id": channel_id}],
        "stream_ids": [channel_id],
    }


def peers_changed(op: str, channel_ids: list[int], user_ids: Sequence[int]) -> Wire:
    return {
        "type": "subscription",
        "op": op,
        "stream_ids": channel_ids,
        "user_ids": user_ids,
    }


def known_peers(
    org: Organization, to: Listener, channel_id: int, user_ids: Sequence[int], *, was_inside: bool
) -> tuple[int, ...]:
    """Those of the users whom a listener may know. A subscriber knows all other subscribers."""
    if was_inside or org.is_subscribed(to.user_id, channel_id):
        return tuple(user_ids)
    return tuple(org.filter_known(org.users[to.user_id], list(user_ids)))


def _became_visible(org: Organization, channel: Channel, to: Listener) -> Iterable[Wire]:
    """The events for a user to whom a channel becomes visible."""
    subscribers = org.subscribers_of(channel.id)
    yield channel_created(channel_object(org, channel, count=len(subscribers)))
    known = org.filter_known(org.users[to.user_id], subscribers)
    if known:
        yield peers_changed("peer_add", [channel.id], known)


class ChannelCreated(Event, frozen=True):
    kind: ClassVar[str] = "channel_created"
    types: ClassVar[tuple[str, ...]] = ("stream",)

    channel_id: int

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        shown = channel_object(org, org.channels[self.channel_id], count=0)
        shown.first_message_id = None
        yield channel_created(shown)


class ChannelChanged(Event, frozen=True):
    """Some properties of a channel changed.

    If that changes who may see it, `before` and `after` are the access rules. To users who could
    not see it before it is a new channel; to users who no longer can it is deleted.
    """

    kind: ClassVar[str] = "channel_changed"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

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

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        saw = sees = True
        if self.before is not None and self.after is not None:
            saw = org.may_see(to.user_id, self.channel_id, access_rule=self.before)
            sees = org.may_see(to.user_id, self.channel_id, access_rule=self.after)
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
            yield channel_deleted(self.channel_id)
        elif sees:
            yield from _became_visible(org, org.channels[self.channel_id], to)


class ChannelArchived(Event, frozen=True):
    """A channel was archived or unarchived. Older clients get a deletion or a creation."""

    kind: ClassVar[str] = "channel_archived"
    types: ClassVar[tuple[str, ...]] = ("stream",)

    channel_id: int
    name: str
    archived: bool

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

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
            yield channel_deleted(self.channel_id)
        else:
            yield channel_created(channel_object(org, org.channels[self.channel_id]))


class ChannelsBecameVisible(Event, frozen=True):
    """Channels became visible or invisible to users whose role or groups changed."""

    kind: ClassVar[str] = "channels_uncovered"
    types: ClassVar[tuple[str, ...]] = ("stream", "subscription")

    shown: list[int]
    hidden: list[int]

    def revocation(self) -> Revocation:
        return Revocation(channels=dict.fromkeys(self.hidden))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for channel_id in self.hidden:
            yield channel_deleted(channel_id)
        for channel_id in self.shown:
            if to.options.capabilities.archived_channels or not org.channels[channel_id].archived:
                yield from _became_visible(org, org.channels[channel_id], to)


class DefaultChannelsChanged(Event, frozen=True):
    """The default channels of new users changed."""

    kind: ClassVar[str] = "default_channels"
    types: ClassVar[tuple[str, ...]] = ("default_streams",)

    channel_ids: list[int]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"default_streams": self.channel_ids}
