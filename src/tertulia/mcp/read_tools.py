"""Tools that read: search, topics, channels, unread messages and people."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta

from tertulia import actions, api, domain, events, storage
from tertulia.actions.channels.access import AccessByDatabase
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotFound
from tertulia.mcp import transcript
from tertulia.mcp.transcript import MessageView

TOPIC_URI = "tertulia:///channels/"
MAX_UNREAD = 500  # messages that are counted

Limit = Annotated[int, Meta(ge=1, le=100, description="How many at most")]
TopicName = Annotated[str, Meta(max_length=200, description="Name of the topic")]
ChannelName = Annotated[str, Meta(max_length=100, description="Name of the channel")]
MessageId = Annotated[int, Meta(ge=1, le=domain.limits.MAX_ID)]
UserId = Annotated[int, Meta(ge=1, le=domain.limits.MAX_ID)]
Ready = tuple[str, Any]


class NoArguments(msgspec.Struct, forbid_unknown_fields=True):
    pass


class SearchArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=1000, description="Words to find")]
    channel: ChannelName | None = None
    topic: TopicName | None = None
    before: Annotated[MessageId | None, Meta(description="Only messages before this one")] = None
    limit: Limit = 20


class ReadTopicArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    channel: ChannelName
    topic: TopicName
    before: Annotated[MessageId | None, Meta(description="The page before this message")] = None
    after: Annotated[MessageId | None, Meta(description="The page after this message")] = None
    limit: Limit = 50


class ListTopicsArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    channel: ChannelName
    limit: Limit = 50


class ListUnreadArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=100, description="How many topics at most")] = 50


class FindPeopleArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    name: Annotated[str, Meta(max_length=200, description="A part of the name; empty for all")] = ""
    limit: Limit = 50


class MessagePage(msgspec.Struct, kw_only=True):
    messages: list[MessageView]
    has_more: bool
    notice: str = transcript.NOTICE


class ChannelView(msgspec.Struct, omit_defaults=True, kw_only=True):
    id: int
    name: str
    description: str
    is_private: bool
    may_write: bool


class TopicView(msgspec.Struct):
    name: str
    newest_message_id: int
    uri: str


class UnreadPlace(msgspec.Struct, kw_only=True):
    channel: str | None
    topic: str | None
    direct_message_with: list[str] | None
    unread: int
    mentions: int
    newest_message_id: int


class PersonView(msgspec.Struct, kw_only=True):
    id: int
    name: str
    role: str
    is_bot: bool
    is_me: bool
    is_active: bool  # in the last minutes


async def search(call: Call, arguments: SearchArguments, _: str | None = None) -> Ready:
    """Search messages by words. Finds parts of words, in the messages that you received, or in
    the whole history of a channel if you name one. Newest last."""
    narrow: list[list[Any]] = [["search", arguments.query]]
    if arguments.channel is not None:
        narrow.append(["channel", (await named(call, arguments.channel)).id])
    if arguments.topic is not None:
        narrow.append(["topic", arguments.topic])
    page = await messages_before(call, narrow, arguments.before, arguments.limit)
    return transcript.as_text(page.messages), page


async def read_topic(call: Call, arguments: ReadTopicArguments, _: str | None = None) -> Ready:
    """Read a topic of a channel: the newest messages, or a page before or after a message. Oldest
    first."""
    if arguments.before is not None and arguments.after is not None:
        raise BadRequest("Give before or after, not both.")
    narrow = in_topic(await named(call, arguments.channel), arguments.topic)
    if arguments.after is not None:
        page = await messages_after(call, narrow, arguments.after, arguments.limit)
    else:
        page = await messages_before(call, narrow, arguments.before, arguments.limit)
    return transcript.as_text(page.messages, with_place=False), page


async def list_channels(call: Call, _: NoArguments, __: str | None = None) -> Ready:
    """List the channels that you may read, and whether you may write there."""
    found = [
        ChannelView(
            id=each.id,
            name=each.name,
            description=each.description,
            is_private=each.invite_only,
            may_write=may_write,
        )
        for each, may_write in await call.db.read(_listed, call.user)
    ]
    lines = [
        f"- {transcript.quoted_name(each.name)}{'' if each.may_write else ' (read only)'}:"
        f" {transcript.quoted_name(each.description)}"
        for each in found
    ]
    return transcript.marked("\n".join(lines)) if lines else "No channels.", {"channels": found}


async def list_topics(call: Call, arguments: ListTopicsArguments, _: str | None = None) -> Ready:
    """List the topics of a channel, the most recent first."""
    channel = await named(call, arguments.channel)
    found = await topics_of(call, channel, arguments.limit)
    lines = "\n".join(f"- {transcript.quoted_name(each.name)} ({each.uri})" for each in found)
    return transcript.marked(lines) if found else "No topics.", {"topics": found}


async def list_unread(call: Call, arguments: ListUnreadArguments, _: str | None = None) -> Ready:
    """List topics and direct messages with unread messages, the most recent first."""
    page = await messages_before(call, [["is", "unread"]], None, MAX_UNREAD, cut=False)
    found = _by_topic(page.messages)
    lines = [
        f"- {_place(each)}: {each.unread} unread"
        + (f", {each.mentions} that mention you" if each.mentions else "")
        for each in found[: arguments.limit]
    ]
    data = {
        "topics": found[: arguments.limit],
        "has_more": page.has_more or len(found) > arguments.limit,
    }
    return transcript.marked("\n".join(lines)) if lines else "Nothing is unread.", data


async def find_people(call: Call, arguments: FindPeopleArguments, _: str | None = None) -> Ready:
    """Find people and bots by name, and see who is active."""
    if call.user.grant is not None and not call.user.grant.presence:
        raise BadRequest("This agent may not see who is who.")
    wanted = arguments.name.casefold()
    found = [
        _person(call, each)
        for each in call.org.users.values()
        if each.is_active
        and not each.is_system_bot
        and wanted in each.full_name.casefold()
        and call.org.may_know(call.user, each)
    ][: arguments.limit]
    lines = [
        f"- {transcript.quoted_name(each.name)}"
        f" (user {each.id}, {each.role}{', active' if each.is_active else ''})"
        for each in found
    ]
    return transcript.marked("\n".join(lines)) if lines else "No such people.", {"people": found}


# --- access ---


async def check_access(call: Call) -> None:
    """Raise ClientError if the agent lost its access while a tool read. What was read before that
    may be answered, nothing that came later."""
    await call.db.read(_check_access, call.user)


def _check_access(tx: Tx, user: User) -> None:
    api.call.check_current_rights(tx, user)
    if user.grant is None:
        actions.people.agents.check(tx, None)


# --- channels and topics ---


def readable_channels(tx: Tx, user: User) -> list[Channel]:
    """By name."""
    ids = AccessByDatabase(tx, user).readable().ids
    found = [each for each in storage.channels.table.find_many(tx, ids) if not each.archived]
    return sorted(found, key=lambda each: each.name.casefold())


def _listed(tx: Tx, user: User) -> list[tuple[Channel, bool]]:
    """The channels, and whether the agent may write there: by its grant and by the permission of
    the user, or of the owner of a bot."""
    owner_id = user.bot_owner_id
    owner = None if owner_id is None else storage.people.users.find(tx, owner_id)
    senders = [user] if owner is None or not owner.is_active else [user, owner]
    holds = actions.groups.permissions.permission_checker(tx, senders)

    def may_write(channel: Channel) -> bool:
        if user.grant is not None and not user.grant.may_write(channel.id):
            return False
        value = channel.permissions["can_send_message_group"]
        return any(holds(each, value) for each in senders)

    return [(each, may_write(each)) for each in readable_channels(tx, user)]


async def named(call: Call, name: str) -> Channel:
    """A channel that the agent may read; `#name` means the same."""
    found = await call.db.read(_named, call.user, name)
    if found is None:
        raise ChannelNotFound(stream=name)
    return found


def _named(tx: Tx, user: User, name: str) -> Channel | None:
    access = AccessByDatabase(tx, user)
    found = access.named(name) or access.named(name.removeprefix("#"))
    return found if found is not None and access.may_read(found) else None


async def topics_of(call: Call, channel: Channel, limit: int) -> list[TopicView]:
    answer = await api.channels.channels.topics(call, channel.id)
    return [
        TopicView(each.name, each.max_id, topic_uri(channel.id, each.name))
        for each in answer.topics[:limit]
    ]


def in_topic(channel: Channel, topic: str) -> list[list[Any]]:
    return [["channel", channel.id], ["topic", domain.channels.topics.for_sending(topic)]]


def topic_uri(channel_id: int, topic: str) -> str:
    """The address of a topic as a resource."""
    return f"{TOPIC_URI}{channel_id}/topics/{quote(topic, safe='')}"


# --- messages ---


async def messages_before(
    call: Call, narrow: list[list[Any]], before: int | None, limit: int, *, cut: bool = True
) -> MessagePage:
    """The newest messages of a narrow, or those before one."""
    answer = await history(
        call,
        narrow,
        anchor="newest" if before is None else str(before),
        num_before=limit,
        include_anchor=False,
    )
    found = transcript.views(call, answer["messages"])
    kept, was_cut = transcript.fitting(found, newest=True) if cut else (found, False)
    return MessagePage(messages=kept, has_more=was_cut or not answer["found_oldest"])


async def messages_after(
    call: Call, narrow: list[list[Any]], after: int, limit: int
) -> MessagePage:
    """The oldest messages of a narrow after one."""
    answer = await history(call, narrow, anchor=str(after), num_after=limit, include_anchor=False)
    found = transcript.views(call, answer["messages"])
    kept, was_cut = transcript.fitting(found, newest=False)
    return MessagePage(messages=kept, has_more=was_cut or not answer["found_newest"])


async def history(call: Call, narrow: list[list[Any]], **window: Any) -> dict[str, Any]:
    terms = [{"operator": operator, "operand": operand} for operator, operand in narrow]
    encoded = await api.messages.history.fetch_messages(
        call, narrow=terms, apply_markdown=False, **window
    )
    found: dict[str, Any] = msgspec.json.decode(b"".join(encoded.pieces))
    return found


def _by_topic(messages: Sequence[MessageView]) -> list[UnreadPlace]:
    found: dict[Any, UnreadPlace] = {}
    for each in reversed(messages):
        key = (each.channel_id, each.topic, tuple(each.direct_message_with or ()))
        unread_topic = found.setdefault(
            key,
            UnreadPlace(
                channel=each.channel,
                topic=each.topic,
                direct_message_with=each.direct_message_with,
                unread=0,
                mentions=0,
                newest_message_id=each.id,
            ),
        )
        unread_topic.unread += 1
        unread_topic.mentions += each.is_mention
    return list(found.values())


def _place(topic: UnreadPlace) -> str:
    if topic.channel is not None:
        return transcript.topic_name(topic.channel, topic.topic or "")
    return transcript.conversation_name(topic.direct_message_with or ())


def _person(call: Call, user: User) -> PersonView:
    found = call.org.presence.find(user.id)
    is_active = (
        found is not None
        and found.active_at is not None
        and events.snapshot.presence.is_shown(call.org)
        and call.now - found.active_at <= domain.people.presence.OFFLINE_AFTER_SECONDS
    )
    return PersonView(
        id=user.id,
        name=user.full_name,
        role=user.role.name.lower(),
        is_bot=user.is_bot,
        is_me=user.id == call.user.id,
        is_active=is_active,
    )


async def message(call: Call, message_id: int) -> Any:
    """A message that the agent may see. Raises InvalidMessage."""
    return await call.db.read(actions.messages.access.visible_to, call.user, message_id)
