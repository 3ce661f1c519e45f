"""Messages as clients see them, and the event that tells of a new one.

The event in the log names the message and does not copy it: what was deleted is gone from
the log as well.
"""

from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.messages import Message
from tertulia.domain.topics import shown
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event
from tertulia.events.types.users import avatar_url


class Participant(msgspec.Struct):
    id: int
    email: str
    full_name: str
    is_mirror_dummy: bool = False


class MessageObject(msgspec.Struct, kw_only=True):
    id: int
    sender_id: int
    content: str
    recipient_id: int
    timestamp: int
    client: str
    subject: str
    topic_links: list[dict[str, str]]
    is_me_message: bool
    reactions: list[dict[str, Any]]
    submessages: list[dict[str, Any]]
    sender_full_name: str
    sender_email: str
    sender_realm_str: str
    display_recipient: str | list[Participant]
    type: str
    stream_id: int | UnsetType = UNSET
    avatar_url: str | None
    content_type: str
    flags: list[str] | UnsetType = UNSET


def message_object(
    org: Organization,
    message: Message,
    *,
    apply_markdown: bool,
    client_gravatar: bool,
    allow_empty_topic: bool,
) -> MessageObject:
    sender = org.users[message.sender_id]
    in_channel = message.channel_id is not None
    object_ = MessageObject(
        id=message.id,
        sender_id=message.sender_id,
        content=message.rendered if apply_markdown else message.content,
        recipient_id=message.recipient_id,
        timestamp=int(message.sent_at),
        client=message.client,
        subject=shown(message.topic, allow_empty_topic) if in_channel else "",
        topic_links=[],
        is_me_message=message.is_me,
        reactions=[],
        submessages=[],
        sender_full_name=sender.full_name,
        sender_email=sender.api_email(org.email_domain),
        sender_realm_str=org.realm.subdomain,
        display_recipient=_recipient(org, message),
        type="stream" if in_channel else "private",
        avatar_url=avatar_url(sender, client_gravatar=client_gravatar),
        content_type="text/html" if apply_markdown else "text/x-markdown",
    )
    if message.channel_id is not None:
        object_.stream_id = message.channel_id
    return object_


def _recipient(org: Organization, message: Message) -> str | list[Participant]:
    if message.channel_id is not None:
        return org.channels[message.channel_id].name
    people = (org.users[user_id] for user_id in message.member_ids)
    return [
        Participant(user.id, user.api_email(org.email_domain), user.full_name) for user in people
    ]


class Echo(msgspec.Struct, frozen=True):
    """The queue that sent a message, and its own name for it."""

    queue_id: str
    local_id: str


class MessageSent(Event, frozen=True):
    """A new message. Its wire form is put together in `delivery`, from shared pieces."""

    kind: ClassVar[str] = "message"
    types: ClassVar[tuple[str, ...]] = ("message",)

    message_id: int
    sender_id: int
    channel_id: int | None = None
    read_by_sender: bool = False
    echo: Echo | None = None
    mentioned: list[int] = []
    channel_wildcard: bool = False
    topic_wildcard_for: list[int] = []
    read_by: list[int] = []  # others for whom it is no news

    def flags_for(self, user_id: int) -> list[str]:
        flags = []
        if (user_id == self.sender_id and self.read_by_sender) or user_id in self.read_by:
            flags.append("read")
        if user_id in self.mentioned:
            flags.append("mentioned")
        if self.channel_wildcard:
            flags.append("stream_wildcard_mentioned")
        if user_id in self.topic_wildcard_for:
            flags.append("topic_wildcard_mentioned")
        if self.channel_wildcard or user_id in self.topic_wildcard_for:
            flags.append("wildcard_mentioned")
        return flags

    def echo_for(self, to: Listener) -> str | None:
        """The sender's own name for the message, in the one queue that gave it."""
        if self.echo is None or (self.echo.queue_id, self.sender_id) != (to.queue_id, to.user_id):
            return None
        return self.echo.local_id
