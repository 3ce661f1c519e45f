"""Messages: the stored row, its parts, and drafts of messages to send."""

from typing import NamedTuple, Protocol

import msgspec

from tertulia.domain import limits
from tertulia.domain.channels import topics
from tertulia.domain.messages import widgets
from tertulia.domain.messages.widgets import Submessage
from tertulia.errors import BadRequest
from tertulia.memo import memoized

# Clients that a person uses: their own messages count as read.
HUMAN_CLIENTS = frozenset(
    [
        "zulipandroid",
        "zulipios",
        "zulipdesktop",
        "zulipmobile",
        "zulipelectron",
        "zulipterminal",
        "snipe",
        "website",
        "ios",
        "android",
    ]
)


class Reaction(msgspec.Struct, frozen=True):
    user_id: int
    emoji_name: str
    emoji_code: str
    reaction_type: str


class Edit(msgspec.Struct, frozen=True):
    """One change of a message: the former values of what changed."""

    id: int
    message_id: int
    user_id: int
    edited_at: float
    prev_content: str | None = None
    prev_rendered: str | None = None
    prev_topic: str | None = None
    topic: str | None = None
    prev_channel_id: int | None = None
    channel_id: int | None = None

    @property
    def is_move(self) -> bool:
        return self.prev_topic is not None or self.prev_channel_id is not None


class MessageOrigin(msgspec.Struct, frozen=True, eq=False):
    """The properties of a message that decide, with the reader's own flags, its flags for a reader.

    Many messages share them, so that they are decided once.
    """

    sender_id: int
    is_direct: bool
    channel_id: int | None  # where it was sent, which decides who received it
    read_by_sender: bool
    channel_wildcard: bool
    resolve_notice: bool


_provenance = memoized("message_origins", 1 << 14)(MessageOrigin)


class Message(msgspec.Struct, frozen=True):
    """The row. Related data is loaded only where it is requested."""

    id: int
    realm_id: int
    sender_id: int
    channel_id: int | None
    conversation_id: int | None
    member_ids: tuple[int, ...]
    topic: str
    content: str
    rendered: str
    client: str
    sent_at: float
    read_by_sender: bool
    is_me: bool
    channel_wildcard: bool
    origin_channel_id: int | None = None  # where it was sent, which decides who received it
    arrived_seq: int | None = None  # seq of the event that moved it to its channel, if any
    edited_at: float | None = None
    moved_at: float | None = None
    resolve_notice: bool = False
    topic_id: int | None = None  # the row of its topic; None for direct and kept messages
    topic_since: int = 0  # the last move of that topic before the message was in it
    reactions: tuple[Reaction, ...] = ()
    edits: tuple[Edit, ...] = ()
    submessages: tuple[Submessage, ...] = ()

    @property
    def recipient_id(self) -> int:
        """One id for the channel or conversation of a message."""
        if self.channel_id is not None:
            return 2 * self.channel_id
        assert self.conversation_id is not None
        return 2 * self.conversation_id + 1

    @property
    def provenance(self) -> MessageOrigin:
        return _provenance(
            self.sender_id,
            self.channel_id is None,
            self.origin_channel_id,
            self.read_by_sender,
            self.channel_wildcard,
            self.resolve_notice,
        )


class TopicMessage(msgspec.Struct, frozen=True):
    """The columns of a message that a page of a topic shows: reading all of them takes twice as
    long."""

    id: int
    sender_id: int
    rendered: str
    sent_at: float
    is_me: bool
    edited_at: float | None
    has_details: bool  # reactions or submessages, which are read on their own
    content: str = ""  # read only for a page of plain text
    reactions: tuple[Reaction, ...] = ()
    submessages: tuple[Submessage, ...] = ()
    edits: tuple[Edit, ...] = ()  # a page of a topic shows no earlier versions


class Mentions(msgspec.Struct, frozen=True):
    """The users and groups that a message mentions."""

    user_ids: frozenset[int] = frozenset()
    group_ids: frozenset[int] = frozenset()
    channel_wildcard: bool = False
    topic_wildcard: bool = False


class Draft(msgspec.Struct, frozen=True):
    """A message to send: its content checked and rendered."""

    content: str
    rendered: str
    render_version: int
    client: str
    read_by_sender: bool
    mentions: Mentions = Mentions()
    resolve_notice: bool = False
    has_link: bool = False
    has_image: bool = False
    path_ids: tuple[str, ...] = ()  # the existing uploaded files that it links
    # Users whose alert words it contains, whether they receive it or not.
    alerted: frozenset[int] = frozenset()
    widget_payload: str | None = None  # the payload of a widget sent by a client
    has_commands: bool = True  # false for a text that strangers wrote: `/poll` starts no poll
    wants_previews: bool = False  # whether the pages that it links are to be shown below it

    @property
    def length(self) -> int:
        """As text and as HTML."""
        return len(self.content) + len(self.rendered)

    @property
    def has_attachment(self) -> bool:
        return bool(self.path_ids)

    @property
    def widget(self) -> str | None:
        """The widget that the message starts, if any."""
        if self.widget_payload or not (self.has_commands and self.content.startswith("/")):
            return self.widget_payload
        return widgets.widget_of_command(self.content)

    @property
    def is_me(self) -> bool:
        """Whether it is a "/me" message."""
        return self.content.startswith("/me ")


def checked_content(content: str) -> str:
    """The content as it is stored. Raises BadRequest; nothing is cut off silently."""
    if "\0" in content:
        raise BadRequest("Message must not contain null bytes", problem="null-byte")
    content = content.rstrip().lstrip("\r\n")
    if not content:
        raise BadRequest("Message must not be empty", problem="message-empty")
    if len(content) > limits.MAX_MESSAGE_LENGTH:
        raise BadRequest(
            "Message is too long (limit: {limit} characters)",
            problem="text-too-long",
            limit=limits.MAX_MESSAGE_LENGTH,
        )
    return content


def is_read_by_sender(chosen: bool | None, client: str) -> bool:
    if chosen is not None:
        return chosen
    return client.lower() in HUMAN_CLIENTS


class Located(Protocol):
    @property
    def channel_id(self) -> int | None: ...

    @property
    def topic(self) -> str: ...

    @property
    def member_ids(self) -> tuple[int, ...]: ...


class ConversationKey(NamedTuple):
    """The topic (in its exact spelling) or direct conversation of a message."""

    channel_id: int | None
    topic: str
    topic_key: str  # the same for all spellings (`topic_key`)
    member_ids: tuple[int, ...]

    @classmethod
    def of(cls, message: Located) -> "ConversationKey":
        return cls(
            message.channel_id,
            message.topic,
            topic_key(message.channel_id, message.topic),
            message.member_ids,
        )


Resolved = list[tuple[ConversationKey, list[int]]]


def topic_key(channel_id: int | None, topic: str) -> str:
    """Identifies a topic among the topics of all channels, regardless of case."""
    return f"{channel_id} {topics.fold(topic)}"
