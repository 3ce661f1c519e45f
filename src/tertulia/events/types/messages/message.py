"""Messages in API format, and the event of a new one.

The log holds the id of a message, not its content, so a deleted message is gone from the log as
well.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import domain, markdown, storage
from tertulia.caches.cache import NewMessage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Edit, Message
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, MessageEvent, PendingInfo
from tertulia.events.types.messages import submessages
from tertulia.events.types.messages.submessages import SubmessageObject
from tertulia.events.types.people.user import avatar_url, unknown_avatar_url
from tertulia.markdown import LinkPattern
from tertulia.memo import memoized
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    AlwaysFalse,
    EditorId,
    EditTime,
    EmojiCode,
    EmojiName,
    FullName,
    IsMeMessage,
    MessageFlags,
    MessageId,
    MessageTopic,
    PictureUrl,
    PreviousChannel,
    PreviousHtml,
    PreviousText,
    PreviousTopic,
    RecipientType,
    SenderFullName,
    SenderId,
    UserId,
    VisibleEmail,
)

MatchContent = Annotated[str, Doc("The text as HTML, with matches highlighted.")]
MatchSubject = Annotated[str, Doc("The topic as HTML, with matches highlighted.")]


class Participant(msgspec.Struct):
    id: UserId
    email: VisibleEmail
    full_name: FullName
    is_mirror_dummy: AlwaysFalse = False


class ReactionObject(msgspec.Struct):
    emoji_name: EmojiName
    emoji_code: EmojiCode
    reaction_type: Annotated[
        str, Doc("The type of emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`.")
    ]
    user_id: UserId
    user: Annotated[Participant, Doc("The user.")]


class EditObject(msgspec.Struct, kw_only=True):
    timestamp: EditTime
    user_id: EditorId
    prev_content: PreviousText | UnsetType = UNSET
    prev_rendered_content: PreviousHtml | UnsetType = UNSET
    prev_topic: PreviousTopic | UnsetType = UNSET
    topic: Annotated[str | UnsetType, Doc("The new topic.")] = UNSET
    prev_stream: PreviousChannel | UnsetType = UNSET
    stream: Annotated[int | UnsetType, Doc("The id of the new channel.")] = UNSET


class MessageObject(msgspec.Struct, kw_only=True):
    id: MessageId
    sender_id: SenderId
    content: Annotated[str, Doc("The text as HTML, or Markdown if requested.")]
    recipient_id: Annotated[
        int, Doc("The same number for all messages of one channel or one conversation.")
    ]
    timestamp: Annotated[int, Doc("When the message was sent, in UNIX seconds.")]
    client: Annotated[str, Doc("The name of the client that sent the message.")]
    subject: MessageTopic
    topic_links: Annotated[
        list[dict[str, str]],
        Doc("The links that linkifiers find in the topic: each has a `text` and a `url`."),
    ]
    is_me_message: IsMeMessage
    reactions: Annotated[list[ReactionObject], Doc("The reactions to the message.")]
    submessages: Annotated[
        list[SubmessageObject], Doc("The votes and changes of a poll or a to-do list.")
    ]
    sender_full_name: SenderFullName
    sender_email: Annotated[str, Doc("The visible email address of the sender.")]
    sender_realm_str: Annotated[str, Doc("The subdomain of the sender's organization.")]
    display_recipient: Annotated[
        str | list[Participant],
        Doc("The name of the channel, or the users of a direct conversation."),
    ]
    type: RecipientType
    stream_id: Annotated[
        int | UnsetType, Doc("The id of the channel; only for channel messages.")
    ] = UNSET
    avatar_url: PictureUrl | None
    content_type: Annotated[str, Doc("The type of `content`: `text/html` or `text/x-markdown`.")]
    flags: MessageFlags | UnsetType = UNSET
    last_edit_timestamp: Annotated[
        int | UnsetType, Doc("The time of the last edit, in UNIX seconds.")
    ] = UNSET
    last_moved_timestamp: Annotated[
        int | UnsetType, Doc("The time when the message was last moved, in UNIX seconds.")
    ] = UNSET
    edit_history: Annotated[
        list[EditObject] | UnsetType,
        Doc("The edits, newest first. Only the last change of the text has the former text."),
    ] = UNSET
    match_content: MatchContent | UnsetType = UNSET  # only in search results
    match_subject: MatchSubject | UnsetType = UNSET


def message_object(
    org: Organization,
    message: Message,
    *,
    apply_markdown: bool,
    client_gravatar: bool,
    allow_empty_topic: bool,
    knows_sender: bool = True,
) -> MessageObject:
    """A message in API format. For a sender whom the reader may not know, only the id is set."""
    sender = org.users[message.sender_id]
    in_channel = message.channel_id is not None
    object_ = MessageObject(
        id=message.id,
        sender_id=message.sender_id,
        content=org.shown(message.rendered) if apply_markdown else message.content,
        recipient_id=message.recipient_id,
        timestamp=int(message.sent_at),
        client=message.client,
        subject=domain.channels.topics.shown(message.topic, allow_empty_topic)
        if in_channel
        else "",
        topic_links=topic_links(org, message.topic) if in_channel else [],
        is_me_message=message.is_me,
        reactions=[],
        submessages=[submessages.submessage_object(each) for each in message.submessages],
        sender_full_name=sender.full_name,
        sender_email=sender.api_email(org.email_domain),
        sender_realm_str=org.realm.subdomain,
        display_recipient=_recipient(org, message),
        type="stream" if in_channel else "private",
        avatar_url=avatar_url(
            org, sender, client_gravatar=client_gravatar and not sender.hides_email
        ),
        content_type="text/html" if apply_markdown else "text/x-markdown",
    )
    if message.channel_id is not None:
        object_.stream_id = message.channel_id
    if not knows_sender:
        object_.sender_full_name = UNKNOWN_NAME
        object_.sender_email = sender.placeholder_email(org.email_domain)
        object_.avatar_url = unknown_avatar_url(org)
    return object_


def add_details(
    org: Organization, shown: MessageObject, message: Message, *, allow_empty_topic: bool
) -> None:
    """Add what happened since the message was sent: reactions and edits."""
    shown.reactions = [
        ReactionObject(
            each.emoji_name,
            each.emoji_code,
            each.reaction_type,
            each.user_id,
            reacting(org, each.user_id),
        )
        for each in message.reactions
    ]
    if message.edited_at is not None:
        shown.last_edit_timestamp = int(message.edited_at)
    if message.moved_at is not None:
        shown.last_moved_timestamp = int(message.moved_at)
    history = visible_edits(org, message.edits)
    if history:
        shown.edit_history = _edit_history(org, history, allow_empty_topic)


def reacting(org: Organization, user_id: int) -> Participant:
    """The user object of a reaction, for clients from before user ids.

    Compat: `zulip-term` 0.7 reads the name. All readers get the same bytes, so where guests may not
    know all users, every name is hidden.
    """
    user = org.users.get(user_id)
    if user is None:
        return Participant(user_id, "", UNKNOWN_NAME)
    name = user.full_name if org.may_know_all(None) else UNKNOWN_NAME
    return Participant(user_id, user.placeholder_email(org.email_domain), name)


def visible_edits(org: Organization, edits: Sequence[Edit]) -> list[Edit]:
    """The part of the edit history that the organization shows: all of it, moves, or nothing."""
    policy = org.realm.setting("message_edit_history_visibility_policy")
    if policy == "all":
        return list(edits)
    if policy == "none":
        return []
    return [replace(each, prev_content=None, prev_rendered=None) for each in edits if each.is_move]


def _edit_history(
    org: Organization, edits: list[Edit], allow_empty_topic: bool
) -> list[EditObject]:
    """Newest first.

    Compat: the phone app shows a message as edited, not as moved, if an entry has a former text.
    """
    return [_edit_object(org, edit, allow_empty_topic) for edit in reversed(edits)]


def _edit_object(org: Organization, edit: Edit, allow_empty_topic: bool) -> EditObject:
    found = EditObject(timestamp=int(edit.edited_at), user_id=edit.user_id)
    if edit.prev_content is not None and edit.prev_rendered is not None:
        found.prev_content = edit.prev_content
        found.prev_rendered_content = org.shown(edit.prev_rendered)
    if edit.prev_topic is not None and edit.topic is not None:
        found.prev_topic = domain.channels.topics.shown(edit.prev_topic, allow_empty_topic)
        found.topic = domain.channels.topics.shown(edit.topic, allow_empty_topic)
    if edit.prev_channel_id is not None and edit.channel_id is not None:
        found.prev_stream = edit.prev_channel_id
        found.stream = edit.channel_id
    return found


def topic_links(org: Organization, topic: str) -> list[dict[str, str]]:
    """The links that the organization's linkifiers find in a topic."""
    return _topic_links(topic, org.link_patterns)


@memoized("topic_links", 1024)
def _topic_links(topic: str, patterns: tuple[LinkPattern, ...]) -> list[dict[str, str]]:
    return markdown.render_topic_links(topic, patterns)


def _recipient(org: Organization, message: Message) -> str | list[Participant]:
    if message.channel_id is not None:
        return org.channels[message.channel_id].name
    people = (org.users[user_id] for user_id in message.member_ids)
    return [
        Participant(user.id, user.api_email(org.email_domain), user.full_name) for user in people
    ]


def may_follow(org: Organization, user_id: int, message: Message) -> bool:
    """Whether a user may read a message in its current channel."""
    return message.channel_id is None or org.may_read(user_id, message.channel_id)


class LocalEcho(msgspec.Struct, frozen=True):
    """The queue that sent a message, and the client's own id for it."""

    queue_id: str
    local_id: str


class NewMessageWire(WireEvent, tag="message"):
    """`local_id` and `local_message_id` are added for the queue that sent the message.

    Compat: Zulip documents `local_message_id`, and clients of the specification read `local_id`.
    """

    added_on_fetch: ClassVar[tuple[str, ...]] = ("flags",)

    message: Annotated[MessageObject, Doc("The message.")]
    flags: MessageFlags | UnsetType = UNSET
    local_id: Annotated[str | UnsetType, Doc("The client's own id of the message.")] = UNSET
    local_message_id: Annotated[
        str | UnsetType, Doc("The `local_id` of the request that sent the message.")
    ] = UNSET


class MessageSent(MessageEvent, frozen=True, kind="message", wires=(NewMessageWire,)):
    """A new message. `message` is None once it is deleted."""

    keeps_history: ClassVar[bool] = True
    invalidates_permits: ClassVar[bool] = False

    message_id: int
    sender_id: int
    channel_id: int | None = None
    read_by_sender: bool = False
    echo: LocalEcho | None = None
    mentioned: list[int] = []
    channel_wildcard: bool = False
    topic_wildcard_for: list[int] = []
    alerted: list[int] = []  # users whose alert words it contains
    read_by: list[int] = []  # other users for whom it is not unread
    resolve_notice: bool = False
    widget_id: int | None = None  # the submessage that it was sent with
    unread_for: list[int] = []  # users for whom a resolve notice is unread

    message: Message | None = None

    def rewritten(self) -> Collection[int]:
        return ()

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence[Event]:
        found = storage.messages.table.find_many(
            tx, tx.realm_id, [event.message_id for event in events]
        )
        return [event._with(tx, found.get(event.message_id)) for event in events]

    def _with(self, tx: Tx, message: Message | None) -> Self:
        """With the submessage it was sent with. Later submessages have their own events."""
        widget = (
            None
            if self.widget_id is None
            else storage.messages.submessages.find(tx, self.widget_id)
        )
        if message is not None and widget is not None:
            message = replace(message, submessages=(widget,))
        return replace(self, message=message)

    def sent(self) -> NewMessage | None:
        return None if self.message is None else NewMessage(self.message, self.read_by)

    def public_channel_of(self, org: Organization) -> int | None:
        return _public_channel(org, self.channel_id)

    def passes(self, org: Organization, to: Listener) -> bool:
        return self.message is None or _passes_narrow(
            org, to, self.message, self.flags_for(to.user_id)
        )

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        message = self.message
        if message is None:
            return True
        # An edit may be newer than the user's loss of access, and the content is the current one.
        is_as_it_was = message.edited_at is None and message.channel_id == self.channel_id
        reads_there = may_follow(org, user_id, message)
        return not may_follow(org.present, user_id, message) and not (is_as_it_was and reads_there)

    def _is_gone_for(self, org: Organization, user_id: int) -> bool:
        """Even at once: the message may be deleted or moved in the same batch."""
        message = self.message
        if message is None or message.channel_id == self.channel_id:
            return message is None
        return not may_follow(org.present, user_id, message)

    def variant(self, org: Organization, to: Listener) -> Hashable:
        if self._is_gone_for(org, to.user_id):
            return "gone"
        options = to.options
        return (
            options.apply_markdown,
            options.client_gravatar,
            options.capabilities.empty_topic_name,
            self._may_know_sender(org, to),
            *self.flags_for(to.user_id),
        )

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if self.message is None or self._is_gone_for(org, to.user_id):
            return
        body = message_object(
            org,
            self.message,
            apply_markdown=to.options.apply_markdown,
            client_gravatar=to.options.client_gravatar,
            allow_empty_topic=to.options.capabilities.empty_topic_name,
            knows_sender=self._may_know_sender(org, to),
        )
        yield NewMessageWire(body, self.flags_for(to.user_id))

    def additions(self, to: Listener) -> dict[str, Any]:
        """The sender's own id for the message, for the queue that sent it."""
        echo = self.echo
        if echo is None or (echo.queue_id, self.sender_id) != (to.queue_id, to.user_id):
            return {}
        return {"local_id": echo.local_id, "local_message_id": echo.local_id}

    def about(self) -> PendingInfo:
        return PendingInfo(self.channel_id, self.message_id)

    def _may_know_sender(self, org: Organization, to: Listener) -> bool:
        return org.may_know(org.users[to.user_id], org.users[self.sender_id])

    def flags_for(self, user_id: int) -> list[str]:
        flags = []
        is_own = user_id == self.sender_id and self.read_by_sender
        is_notice = self.resolve_notice and user_id not in self.unread_for
        if is_own or is_notice or user_id in self.read_by:
            flags.append("read")
        if user_id in self.mentioned:
            flags.append("mentioned")
        if self.channel_wildcard:
            flags.append("stream_wildcard_mentioned")
        if user_id in self.topic_wildcard_for:
            flags.append("topic_wildcard_mentioned")
        if self.channel_wildcard or user_id in self.topic_wildcard_for:
            flags.append("wildcard_mentioned")
        if user_id in self.alerted:
            flags.append("has_alert_word")
        return flags


class MessageRestored(MessageEvent, frozen=True, kind="message_restored", wires=(NewMessageWire,)):
    """A deleted message is there again, with its old id. Clients get a `message` event.

    Bots get none: they would answer the message a second time. The flags are those of the reader at
    the moment of delivery, so what they had read stays read.
    """

    invalidates_permits: ClassVar[bool] = True

    message_id: int
    channel_id: int | None = None

    message: Message | None = None

    def rewritten(self) -> Collection[int]:
        return (self.message_id,)

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence[Event]:
        found = storage.messages.table.find_many(
            tx, tx.realm_id, [event.message_id for event in events]
        )
        detailed = storage.messages.details.with_details(tx, list(found.values()))
        messages = {message.id: message for message in detailed}
        return [replace(event, message=messages.get(event.message_id)) for event in events]

    def public_channel_of(self, org: Organization) -> int | None:
        return _public_channel(org, self.channel_id)

    def passes(self, org: Organization, to: Listener) -> bool:
        return self.message is None or _passes_narrow(org, to, self.message, [])

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        return self.message is None or not may_follow(org.present, user_id, self.message)

    def variant(self, org: Organization, to: Listener) -> Hashable:
        if self._is_not_for(org, to):
            return "none"
        options = to.options
        return (
            options.apply_markdown,
            options.client_gravatar,
            options.capabilities.empty_topic_name,
            self._may_know_sender(org, to),
        )

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if self.message is None or self._is_not_for(org, to):
            return
        topic_may_be_empty = to.options.capabilities.empty_topic_name
        body = message_object(
            org,
            self.message,
            apply_markdown=to.options.apply_markdown,
            client_gravatar=to.options.client_gravatar,
            allow_empty_topic=topic_may_be_empty,
            knows_sender=self._may_know_sender(org, to),
        )
        add_details(org, body, self.message, allow_empty_topic=topic_may_be_empty)
        yield NewMessageWire(body)

    def about(self) -> PendingInfo:
        return PendingInfo(self.channel_id, self.message_id, flags_of=self.message_id)

    def _is_not_for(self, org: Organization, to: Listener) -> bool:
        is_gone = self.message is None or not may_follow(org.present, to.user_id, self.message)
        return is_gone or org.users[to.user_id].is_bot

    def _may_know_sender(self, org: Organization, to: Listener) -> bool:
        message = self.message
        return message is not None and org.may_know(
            org.users[to.user_id], org.users[message.sender_id]
        )


def _public_channel(org: Organization, channel_id: int | None) -> int | None:
    """The id of the channel if it is public."""
    channel = None if channel_id is None else org.channels[channel_id]
    return channel.id if channel is not None and channel.is_public else None


def _passes_narrow(org: Organization, to: Listener, message: Message, flags: list[str]) -> bool:
    """Whether a message is in the narrow of a queue."""
    channel_id = message.channel_id
    return domain.messages.narrow.passes(
        to.options.narrow,
        channel_name=None if channel_id is None else org.channels[channel_id].name,
        topic=message.topic,
        sender_email=org.users[message.sender_id].api_email(org.email_domain),
        flags=flags,
    )
