"""Tools that write: messages, reactions, files. Each write is recorded in the audit log.

A send happens once for a key. The key is the argument `key`, or the id of the call if that is a
text of at least 16 characters, such as a UUID: numbers begin again when a program is restarted.
"""

import base64
import binascii
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia import actions, api, domain, features
from tertulia.actions.files.upload import UploadWriter
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.api.call import Call
from tertulia.domain.files.attachments import Quota
from tertulia.errors import BadRequest
from tertulia.errors.messages import EditNotAllowed, ReactionAlreadyExists, ReactionNotFound
from tertulia.errors.people import ReadOnlyGrant
from tertulia.features.scheduled.entry import ToChannel
from tertulia.mcp import read_tools
from tertulia.mcp.read_tools import ChannelName, MessageId, Ready, TopicName, UserId

MAX_FILE_BYTES = 1 << 20

Text = Annotated[
    str, Meta(min_length=1, max_length=domain.limits.MAX_MESSAGE_LENGTH, description="Markdown")
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        description="Repeat the call with the same key after a lost answer: it happens once",
    ),
]


class SendMessageArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    text: Text
    channel: ChannelName | None = None
    topic: TopicName | None = None
    to: (
        Annotated[
            list[UserId], Meta(max_length=100, description="Ids of people, for a direct message")
        ]
        | None
    ) = None
    key: Key | None = None


class ReplyArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    message_id: Annotated[MessageId, Meta(description="The message that you answer")]
    text: Text
    key: Key | None = None


class ReactArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    message_id: MessageId
    emoji: Annotated[str, Meta(min_length=1, max_length=100, description="A name, such as tada")]
    remove: bool = False


class EditMessageArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    message_id: Annotated[MessageId, Meta(description="A message that you have sent")]
    text: Text


class UploadFileArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=200)]
    content: Annotated[str, Meta(max_length=MAX_FILE_BYTES * 4 // 3 + 4, description="In base64")]
    media_type: Annotated[str, Meta(max_length=100)] = "application/octet-stream"


class ScheduleMessageArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    text: Text
    channel: ChannelName
    topic: TopicName
    at: Annotated[str, Meta(max_length=40, description="ISO 8601 with a time zone")]


class SendResult(msgspec.Struct):
    message_id: int
    link: str


async def send_message(call: Call, arguments: SendMessageArguments, call_id: str | None) -> Ready:
    """Send a message to a topic of a channel, or a direct message to people. Give a key, so that a
    repeated call sends nothing."""
    destination: ChannelDestination | PeopleDestination
    if (arguments.channel is None) == (arguments.to is None):
        raise BadRequest("Give a channel and a topic, or the ids of people in `to`.")
    if arguments.channel is not None:
        if arguments.topic is None:
            raise BadRequest("Give a topic.")
        channel = await read_tools.named(call, arguments.channel)
        destination = ChannelDestination(
            channel.id, domain.channels.topics.for_sending(arguments.topic)
        )
    else:
        destination = PeopleDestination(arguments.to or [], call.org.email_domain)
    return await _send(call, destination, arguments.text, arguments.key or call_id)


async def reply(call: Call, arguments: ReplyArguments, call_id: str | None) -> Ready:
    """Answer a message, in its topic or conversation. Give a key, so that a repeated call sends
    nothing."""
    message = await read_tools.message(call, arguments.message_id)
    destination: ChannelDestination | PeopleDestination
    if message.channel_id is not None:
        destination = ChannelDestination(message.channel_id, message.topic)
    else:
        others = [each for each in message.member_ids if each != call.user.id]
        destination = PeopleDestination(others or [call.user.id], call.org.email_domain)
    return await _send(call, destination, arguments.text, arguments.key or call_id)


async def react(call: Call, arguments: ReactArguments, _: str | None = None) -> Ready:
    """Add an emoji reaction to a message, or remove yours."""
    emoji = arguments.emoji.strip(":")
    try:
        if arguments.remove:
            await api.messages.reactions.remove(call, arguments.message_id, emoji_name=emoji)
        else:
            await api.messages.reactions.add(call, arguments.message_id, emoji_name=emoji)
    except (ReactionAlreadyExists, ReactionNotFound):
        return "It was so already.", {"changed": False}
    return "Done.", {"changed": True}


async def edit_message(call: Call, arguments: EditMessageArguments, _: str | None = None) -> Ready:
    """Replace the text of a message that you have sent."""
    message = await read_tools.message(call, arguments.message_id)
    if call.user.grant is not None and message.client != call.client:
        raise EditNotAllowed()  # the user wrote it, or another agent
    if message.content != arguments.text:
        await api.messages.edits.update(call, arguments.message_id, content=arguments.text)
    return "Edited.", {"message_id": arguments.message_id}


async def upload_file(call: Call, arguments: UploadFileArguments, _: str | None = None) -> Ready:
    """Upload a file of at most 1 MiB. Link it in a message with the returned Markdown; only then
    can others read it."""
    grant = call.user.grant
    if grant is not None and not any(grant.channels.values()):
        raise ReadOnlyGrant()
    try:
        content = base64.b64decode(arguments.content, validate=True)
    except (binascii.Error, ValueError):
        raise BadRequest("The content is not base64.") from None
    if len(content) > MAX_FILE_BYTES:
        raise BadRequest(f"The file is too large (limit: {MAX_FILE_BYTES} bytes).")
    quota = Quota(call.config.upload_quota_mib, call.config.user_upload_quota_mib)
    writer = UploadWriter(call.db, call.user, call.config.max_upload_mib, quota, len(content))
    try:
        await writer.write(content)
        added = await writer.finish(arguments.name, arguments.media_type)
    except Exception:
        await writer.abort()
        raise
    markdown = f"[{added.name}]({added.url})"
    return f"Uploaded. Link it as {markdown}", {"url": added.url, "markdown": markdown}


async def schedule_message(
    call: Call, arguments: ScheduleMessageArguments, _: str | None = None
) -> Ready:
    """Schedule a message to a topic. A repeated call with the same arguments schedules nothing."""
    channel = await read_tools.named(call, arguments.channel)
    at = _timestamp(arguments.at)
    grant = call.user.grant
    if grant is not None and grant.expires_at is not None and at > grant.expires_at:
        raise BadRequest("The agent's access ends before that.")
    topic = domain.channels.topics.for_sending(arguments.topic)
    draft = await actions.messages.draft.compose(call.author, arguments.text, call.client, None)
    entry_id = await call.db.write(
        features.scheduled.transactions.create_once,
        call.user,
        ToChannel(channel.id, topic),
        draft,
        at,
        call.org.email_domain,
    )
    return "Scheduled.", {"scheduled_message_id": entry_id}


async def _send(
    call: Call,
    destination: ChannelDestination | PeopleDestination,
    text: str,
    key: str | None,
) -> Ready:
    grant = call.user.grant
    owner = "bot" if grant is None else f"grant {grant.id}"
    sent = await api.messages.send.send_to(
        call, destination, text, key=None if key is None else f"mcp:{owner}:{key}"
    )
    return f"Sent as message {sent.id}: {sent.message_url}", SendResult(sent.id, sent.message_url)


def _timestamp(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest("`at` is not an ISO 8601 time.") from None
    if moment.tzinfo is None:
        raise BadRequest("`at` needs a time zone, such as 2026-01-31T09:00:00Z.")
    return min(int(moment.timestamp()), domain.limits.MAX_TIME)
