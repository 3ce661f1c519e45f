"""Channels: listing, creating, changing and archiving them."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import actions, domain, events
from tertulia.actions.channels.edits import ChannelChanges
from tertulia.actions.channels.subscriptions import SubscribeRequest
from tertulia.api import permission_values
from tertulia.api.call import Call, may_open_channels
from tertulia.api.channels import parameters, subscriptions
from tertulia.api.channels.parameters import (
    Announce,
    Description,
    FolderOfChannel,
    RetentionDays,
    SlowModeSeconds,
    SlowModeUntil,
    TopicsPolicy,
)
from tertulia.api.people import visible_users
from tertulia.api.permission_values import Change, NewValue
from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNameNotFound, ChannelNotAccessible
from tertulia.errors.people import BotNotFound, UserNotFound
from tertulia.events.types.channels.channel import ChannelObject, ChannelSubscriberIds, IsArchived
from tertulia.http.parameter_rules import (
    Alias,
    Example,
    Id,
    MaxItems,
    NotBlank,
    NullRefused,
)
from tertulia.http.replies import Encoded, Reply
from tertulia.http.signatures import accepts, parameters_from
from tertulia.wire import Doc
from tertulia.wire_fields import (
    AllowEmptyTopicName,
    ChannelId,
    ChannelNameOrId,
    DefaultPushNotifications,
    HistoryPublicToSubscribers,
    IsDefaultChannel,
    IsPrivate,
    IsWebPublic,
    TopicName,
    UserId,
)

_encode = msgspec.json.Encoder().encode


DescriptionValue = Annotated[Description, Doc("The description of the channel, in Markdown.")]


class Streams(Reply):
    streams: Annotated[list[ChannelObject], Doc("The channels.")]


class OneStream(Reply):
    stream: Annotated[ChannelObject, Doc("The channel.")]


class StreamId(Reply):
    stream_id: ChannelId


class SubscriberIds(Reply):
    subscribers: ChannelSubscriberIds


class IsSubscribed(Reply):
    is_subscribed: Annotated[bool, Doc("Whether the user is subscribed.")]


class SubscribedChannels(Reply):
    subscribed_channel_ids: Annotated[
        list[int], Doc("Ids of the channels that the user is subscribed to.")
    ]


class TopicObject(Reply):
    name: TopicName
    max_id: Annotated[int, Doc("The id of the newest message in the topic.")]


class Topics(Reply):
    topics: Annotated[list[TopicObject], Doc("The topics, newest message first.")]


class EmailAddress(Reply):
    email: Annotated[str, Doc("The mail address of the channel.")]


class CreatedChannel(Reply):
    id: ChannelId


# --- reading ---


async def list_channels(
    call: Call,
    *,
    include_public: Annotated[bool, Doc("Whether to include public channels.")] = True,
    include_web_public: Annotated[bool, Doc("Whether to include web-public channels.")] = False,
    include_subscribed: Annotated[bool, Doc("Whether to include subscribed channels.")] = True,
    exclude_archived: Annotated[bool, Doc("Whether to exclude archived channels.")] = True,
    include_all: Annotated[
        bool,
        Alias("include_all_active"),
        Doc("Whether to list all channels that the user may know."),
    ] = False,
    include_default: Annotated[bool, Doc("Whether to include `is_default`.")] = False,
    include_owner_subscribed: Annotated[
        bool, Doc("Whether to include the channels of the bot's owner.")
    ] = False,
    include_can_access_content: Annotated[
        bool, Doc("Whether to list channels whose content the user can access.")
    ] = False,
) -> Encoded[Streams]:
    """List the channels that the caller may see."""
    org, user = call.org, call.user
    owner_id = user.bot_owner_id if include_owner_subscribed else None

    def is_wanted(channel: Channel) -> bool:
        if include_all:
            return org.may_see(user.id, channel.id)
        if include_can_access_content and org.may_read(user.id, channel.id):
            return True
        return (
            (include_subscribed and org.subscriptions.includes(user.id, channel.id))
            or (include_public and channel.is_public and org.may_see(user.id, channel.id))
            or (include_web_public and channel.is_web_public)
            or (owner_id is not None and org.subscriptions.includes(owner_id, channel.id))
        )

    found = [
        each
        for each in events.snapshot.channels.by_name(org, archived=not exclude_archived)
        if is_wanted(each)
    ]
    return Encoded(
        b'{"streams":[%s]}' % b",".join(_listed(call, each, include_default) for each in found)
    )


def _listed(call: Call, channel: Channel, include_default: bool) -> bytes:
    encoded = events.types.channels.channel.encoded_channel(call.org, channel)
    if not include_default:
        return encoded
    return bytes(
        events.types.channels.channel.with_members(
            encoded, b'{"is_default":%s}' % _encode(channel.is_default)
        )
    )


async def one(call: Call, stream_id: ChannelId) -> Encoded[OneStream]:
    """Get a channel."""
    channel = _visible(call, stream_id)
    return Encoded(
        b'{"stream":%s}' % events.types.channels.channel.encoded_channel(call.org, channel)
    )


async def id_of(call: Call, *, stream: ChannelNameOrId) -> StreamId:
    """Get the id of a channel by name."""
    channel = call.org.channel_named(stream)
    if channel is None or channel.archived or not call.org.may_read(call.user.id, channel.id):
        raise ChannelNameNotFound(name=stream)
    return StreamId(stream_id=channel.id)


async def members(call: Call, stream_id: ChannelId) -> SubscriberIds:
    """List the subscribers of a channel."""
    channel = _visible(call, stream_id)
    subscribers = call.org.subscriptions.active(channel.id)
    return SubscriberIds(subscribers=call.org.filter_known(call.user, subscribers))


async def is_subscribed(call: Call, user_id: UserId, stream_id: ChannelId) -> IsSubscribed:
    """Check whether a user is subscribed to a channel."""
    person = _person(call, user_id)
    channel = _visible(call, stream_id)
    return IsSubscribed(is_subscribed=call.org.subscriptions.includes(person.id, channel.id))


async def of_user(call: Call, user_id: UserId) -> SubscribedChannels:
    """List the channels of a user that the caller may see."""
    person = _person(call, user_id)
    return SubscribedChannels(
        subscribed_channel_ids=[
            channel_id
            for channel_id in call.org.subscriptions.by_user.get(person.id, ())
            if call.org.may_see(call.user.id, channel_id)
        ]
    )


async def topics(
    call: Call, stream_id: ChannelId, *, allow_empty_topic_name: AllowEmptyTopicName = False
) -> Topics:
    """List the topics of a channel, newest first."""
    found, _ = await call.db.read(actions.channels.lookups.readable_topics, call.caller, stream_id)
    return Topics(
        topics=[
            TopicObject(
                name=domain.channels.topics.shown(each.name, allow_empty_topic_name),
                max_id=each.newest_id,
            )
            for each in found
        ]
    )


async def email_address(
    call: Call,
    stream_id: ChannelId,
    *,
    sender_id: Annotated[Id | None, Doc("The user or bot that posts mails to the address.")] = None,
) -> EmailAddress:
    """Get a mail address for a channel."""
    channel = call.org.channels.get(stream_id)
    if channel is None or not call.org.may_read(call.user.id, stream_id):
        raise ChannelNotAccessible()
    _require_inbound_mail(call)
    sender = None if sender_id is None else _mail_sender(call, sender_id)
    address = await call.db.write(
        actions.mail_addresses.for_channel,
        call.vault,
        call.config.mail_in_address,
        channel,
        call.user,
        None if sender is None or sender.is_system_bot else sender.id,
    )
    return EmailAddress(email=address)


async def renew_email_address(call: Call, stream_id: ChannelId) -> EmailAddress:
    """Renew the mail addresses of a channel: everybody's old ones become invalid at once."""
    if not call.org.may_read(call.user.id, stream_id):
        raise ChannelNotAccessible()
    _require_inbound_mail(call)
    address = await call.db.write(
        actions.mail_addresses.renew,
        call.vault,
        call.config.mail_in_address,
        stream_id,
        call.user,
    )
    return EmailAddress(email=address)


def _require_inbound_mail(call: Call) -> None:
    if not call.config.receives_mail:
        raise BadRequest(
            "This server does not take in mail.", problem="incoming-mail-not-configured"
        )


def _visible(call: Call, channel_id: int) -> Channel:
    if not call.org.may_see(call.user.id, channel_id):
        raise ChannelNotAccessible()
    return call.org.channels[channel_id]


def _person(call: Call, user_id: UserId) -> User:
    person = visible_users.with_id(call, user_id)
    if person is None or person.is_system_bot:
        raise UserNotFound()
    return person


def _mail_sender(call: Call, sender_id: int) -> User:
    sender = call.org.users.get(sender_id)
    may = sender is not None and (
        sender.id == call.user.id
        or sender.is_system_bot
        or (sender.is_bot and (call.user.is_admin or sender.bot_owner_id == call.user.id))
    )
    if sender is None or not may:
        raise BotNotFound()
    return sender


# --- creating and changing ---


@parameters_from(parameters.new_channel)
async def create(
    call: Call,
    *,
    name: Annotated[
        str, NotBlank(), Doc("The name of the channel.", example="Kitchen"), Example("kitchen")
    ],
    subscribers: Annotated[
        list[Id], MaxItems(10_000), Doc("Ids of the first subscribers.", example=[9])
    ],
    description: Annotated[DescriptionValue, Example("Soup")] = "",
    announce: Announce = False,
    **how: Any,
) -> CreatedChannel:
    """Create a channel with subscribers."""
    new = replace(
        parameters.new_channel(**how),
        name=name.strip(),
        description=parameters.one_line(description),
    )
    actions.channels.subscriptions.check_size(1, len(subscribers))
    outcome = await call.db.write(
        actions.channels.subscriptions.create_channel,
        call.user,
        new,
        await actions.messages.draft.describe_channel(call.author, new.description),
        subscribers,
        may_open_channels(call),
        announce,
    )
    request = SubscribeRequest(channels=[new], rendered_descriptions=[""])
    await subscriptions.subscribe_remaining(call, request, outcome)
    return CreatedChannel(id=outcome.channel_ids[0])


@accepts(permission_values.parameters(CHANNEL_PERMISSIONS, Change))
async def edit(
    call: Call,
    stream_id: ChannelId,
    *,
    new_name: Annotated[str | None, Doc("The new name.")] = None,
    description: Annotated[DescriptionValue | None, Example("What we cook")] = None,
    is_private: Annotated[IsPrivate, NullRefused] | None = None,
    is_web_public: IsWebPublic | None = None,
    history_public_to_subscribers: HistoryPublicToSubscribers | None = None,
    is_default_stream: IsDefaultChannel | None = None,
    message_retention_days: Annotated[
        RetentionDays | None, Doc("After how many days messages in the channel are deleted.")
    ] = None,
    topics_policy: Annotated[
        TopicsPolicy | None, Doc("Whether the channel allows messages without a topic.")
    ] = None,
    folder_id: FolderOfChannel | UnsetType | None = UNSET,
    is_archived: IsArchived | None = None,
    default_push_notifications: DefaultPushNotifications | None = None,
    slow_mode_seconds: SlowModeSeconds | None = None,
    slow_mode_until: SlowModeUntil | UnsetType | None = UNSET,
    **permissions: NewValue,
) -> None:
    """Change a channel: all changes, or none."""
    described = None
    if description is not None:
        text = parameters.one_line(description)
        described = (text, await actions.messages.draft.describe_channel(call.author, text))
    changes = ChannelChanges(
        name=new_name,
        description=described,
        is_private=is_private,
        is_web_public=is_web_public,
        history_public=history_public_to_subscribers,
        is_default=is_default_stream,
        retention_days=(
            UNSET
            if message_retention_days is None
            else parameters.retention_days(message_retention_days)
        ),
        topics_policy=None if topics_policy is None else parameters.checked_policy(topics_policy),
        folder_id=folder_id,
        archived=is_archived,
        default_push=default_push_notifications,
        slow_mode_seconds=slow_mode_seconds,
        slow_mode_until=slow_mode_until,
        permissions=permission_values.as_changes(permissions),
    )
    await call.db.write(
        actions.channels.edits.edit,
        call.user,
        stream_id,
        changes,
        may_open_channels(call),
    )


async def archive(call: Call, stream_id: ChannelId) -> None:
    """Archive a channel: it stays readable, but no one can post."""
    await call.db.write(actions.channels.edits.archive, call.user, stream_id)


async def add_default(call: Call, *, stream_id: ChannelId) -> None:
    """Add a default channel for new users."""
    await call.db.write(actions.channels.edits.set_default, call.user, stream_id, True)


async def remove_default(call: Call, *, stream_id: ChannelId) -> None:
    """Remove a default channel for new users."""
    await call.db.write(actions.channels.edits.set_default, call.user, stream_id, False)
