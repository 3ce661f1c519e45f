"""Messages: the row, the words, and what is said of them to a client."""

from functools import lru_cache

import msgspec

from tertulia import domain
from tertulia.domain.messages.widgets import Submessage
from tertulia.errors import BadRequest

# Clients in front of which a person sits: what they send, they have read.
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
    """One person's emoji on a message."""

    user_id: int
    emoji_name: str
    emoji_code: str
    reaction_type: str


class Edit(msgspec.Struct, frozen=True):
    """One change of a message: what it was before, as far as that became something else."""

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
    """What decides, beside a reader's own marks, which flags a message has for them.

    Many messages have the same, so that it can be decided for all of them at once.
    """

    sender_id: int
    is_direct: bool
    channel_id: int | None  # where it was sent, and so who received it
    read_by_sender: bool
    channel_wildcard: bool
    resolve_notice: bool


_provenance = lru_cache(maxsize=1 << 14)(MessageOrigin)


class Message(msgspec.Struct, frozen=True):
    """The row. What hangs on it is there only where somebody asked for it."""

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
    origin_channel_id: int | None = None  # where it was sent, and so who received it
    arrived_seq: int | None = None  # the event that moved it to its channel, if one did
    edited_at: float | None = None
    moved_at: float | None = None
    resolve_notice: bool = False
    reactions: tuple[Reaction, ...] = ()
    edits: tuple[Edit, ...] = ()
    submessages: tuple[Submessage, ...] = ()

    @property
    def recipient_id(self) -> int:
        """One number for the place a message went to, whether a channel or a conversation."""
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


class Mentions(msgspec.Struct, frozen=True):
    """Whom the words of a message call by name."""

    user_ids: frozenset[int] = frozenset()
    group_ids: frozenset[int] = frozenset()
    channel_wildcard: bool = False
    topic_wildcard: bool = False


class Draft(msgspec.Struct, frozen=True):
    """A message about to be sent: its words checked and rendered."""

    content: str
    rendered: str
    render_version: int
    client: str
    read_by_sender: bool
    mentions: Mentions = Mentions()
    resolve_notice: bool = False
    has_link: bool = False
    has_image: bool = False
    path_ids: tuple[str, ...] = ()  # the uploaded files it links, as far as they are there
    called: frozenset[int] = frozenset()  # whose alert words it says, whether they hear it or not
    sent_along: str | None = None  # a widget that stands beside the words

    @property
    def has_attachment(self) -> bool:
        return bool(self.path_ids)

    @property
    def widget(self) -> str | None:
        """The widget that it begins, if it does."""
        return self.sent_along or domain.messages.widgets.begun_by(self.content)

    @property
    def is_me(self) -> bool:
        """Whether it tells what its sender does, as in "/me waves"."""
        return self.content.startswith("/me ")


def checked_content(content: str) -> str:
    """The words as they are stored; nothing is ever cut off silently."""
    if "\0" in content:
        raise BadRequest("Message must not contain null bytes")
    content = content.rstrip().lstrip("\r\n")
    if not content:
        raise BadRequest("Message must not be empty")
    if len(content) > domain.limits.MESSAGE_LENGTH:
        raise BadRequest(f"Message is too long (limit: {domain.limits.MESSAGE_LENGTH} characters)")
    return content


def is_read_by_sender(chosen: bool | None, client: str) -> bool:
    if chosen is not None:
        return chosen
    return client.lower() in HUMAN_CLIENTS
