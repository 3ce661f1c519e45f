"""Ephemeral events: typing notices, growing answers and presence, which are not stored in the log.

They reach the clients that are connected at this moment: through memory on this server, and through
database notifications on the others. An ephemeral event knows its audience. Every one is a class in
this file. Its tag is its name between servers.
"""

from collections.abc import Hashable
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import domain
from tertulia.class_keywords import ClassKeywords
from tertulia.domain.messages.answers import StreamedAnswer
from tertulia.domain.people.presence import Presence
from tertulia.events.audience import Audience, Everyone, NoClients, Subscribers, Users
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.presence import ClientPresence, PresenceObject
from tertulia.wire import Doc, WireEvent, type_of
from tertulia.wire_fields import (
    AnswerToken,
    AskedBy,
    ChannelId,
    DirectMembers,
    MessageId,
    SenderId,
    StatusLine,
    TopicName,
    UserId,
    VisibleEmail,
)

TypingOp = Literal["start", "stop"]


ServerTimestamp = Annotated[float, Doc("The server's time of this response, in UNIX seconds.")]
ConversationKind = Annotated[Literal["direct", "stream"], Doc("The kind of conversation.")]


class Heartbeat(WireEvent, tag="heartbeat"):
    """Sent to a poll that has waited long."""


class TypingUser(msgspec.Struct):
    user_id: UserId
    email: VisibleEmail


class TypingUpdate(WireEvent, tag="typing", kw_only=True):
    message_type: ConversationKind
    op: TypingOp
    sender: Annotated[TypingUser, Doc("The user who types.")]
    recipients: Annotated[
        list[TypingUser] | UnsetType, Doc("The participants of the conversation.")
    ] = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET


class EditRecipient(msgspec.Struct):
    """The conversation of a message that a user edits."""

    type: Annotated[Literal["direct", "channel"], Doc("The kind of conversation.")]
    user_ids: DirectMembers | UnsetType = UNSET
    channel_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET


class TypingEditUpdate(WireEvent, tag="typing_edit_message"):
    op: TypingOp
    sender_id: SenderId
    message_id: MessageId
    recipient: Annotated[EditRecipient, Doc("The conversation of the message.")]


class AnswerState(WireEvent, tag="answer", kw_only=True):
    op: Literal["start", "stop"]
    answer_token: AnswerToken
    sender_id: SenderId
    asked_by: AskedBy | None
    started: Annotated[int, Doc("When the answer started, in UNIX seconds.")]
    message_type: ConversationKind
    user_ids: DirectMembers | UnsetType = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET


class AnswerText(AnswerState, tag="answer", kw_only=True):
    op: Literal["update"]  # type: ignore[assignment]
    position: Annotated[int, Doc("The position of the piece in the text, in characters.")]
    content: Annotated[str, Doc("The text at `position`; it replaces as many characters.")]
    status_line: StatusLine


class AnswerEnd(AnswerState, tag="answer", kw_only=True):
    op: Literal["end"]  # type: ignore[assignment]
    message_id: Annotated[
        int | None,
        Doc("The id of the message that the answer has become; null if it was given up."),
    ]


SessionId = Annotated[int, Doc("The id of a browser in a call.", example=3)]
CallToken = Annotated[str, Doc("The id of the call.")]


class CallParticipant(msgspec.Struct):
    """A browser in a call."""

    session_id: SessionId
    user_id: UserId
    muted: Annotated[bool, Doc("Whether the microphone is off.")]
    camera: Annotated[bool, Doc("Whether it sends the picture of a camera.")]
    screen: Annotated[bool, Doc("Whether it shares a screen.")]


class CallObject(msgspec.Struct, kw_only=True):
    """A running call and who is in it."""

    call_token: CallToken
    message_id: MessageId
    sender_id: SenderId
    started: Annotated[int, Doc("When the call started, in UNIX seconds.")]
    message_type: ConversationKind
    user_ids: DirectMembers | UnsetType = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET
    participants: Annotated[list[CallParticipant], Doc("The browsers in the call.")]
    ringing: Annotated[list[int], Doc("The users at whose devices it rings.")]
    ringing_until: Annotated[int, Doc("When it stops ringing, in UNIX seconds.")]
    rung_by: Annotated[int, Doc("Who has made it ring.")]


class CallState(WireEvent, tag="call"):
    op: Annotated[Literal["update", "end"], Doc("Whether the call goes on or has ended.")]
    call: Annotated[CallObject, Doc("The call as it is now.")]


class CallSignalled(WireEvent, tag="call_signal"):
    """Something that another browser in a call has sent to this one."""

    call_token: CallToken
    sender_session_id: Annotated[int, Doc("The session that has sent it.")]
    session_id: SessionId
    signal: Annotated[str, Doc("What it has sent.")]


class PresenceUpdate(WireEvent, tag="presence", kw_only=True):
    """Compat: clients without `simplified_presence_events` get all but `presences`."""

    presences: Annotated[
        dict[str, PresenceObject] | UnsetType,
        Doc("The presence of users by id, or in the older format by address."),
    ] = UNSET
    user_id: UserId | UnsetType = UNSET
    email: VisibleEmail | UnsetType = UNSET
    server_timestamp: ServerTimestamp | UnsetType = UNSET
    presence: Annotated[
        dict[str, ClientPresence] | UnsetType,
        Doc("The presence of the user, in the new and the older format."),
    ] = UNSET


WIRES: tuple[type[WireEvent], ...] = (
    Heartbeat,
    TypingUpdate,
    TypingEditUpdate,
    AnswerState,
    AnswerText,
    AnswerEnd,
    CallState,
    CallSignalled,
    PresenceUpdate,
)
TYPES = frozenset(map(type_of, WIRES))


class EphemeralEvent(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", metaclass=ClassKeywords
):
    """`variant` is equal for two listeners who receive the same bytes."""

    type: ClassVar[str]

    def audience(self) -> Audience:
        raise NotImplementedError

    def is_for(self, org: Organization, to: Listener) -> bool:
        """Whether to send the event to a listener of the audience."""
        return True

    def variant(self, to: Listener) -> Hashable:
        return None

    def wire(self, org: Organization, to: Listener) -> WireEvent:
        raise NotImplementedError

    def on_remote(self, org: Organization) -> bool:
        """Update the directory for an event of another server. Returns whether to deliver the event
        here."""
        return True


class TypingDirect(EphemeralEvent, frozen=True, tag="typing_direct", type="typing"):
    """A user starts or stops typing in a direct conversation."""

    op: TypingOp
    sender_id: int
    user_ids: list[int]

    def audience(self) -> Audience:
        return Users(self.user_ids)

    def is_for(self, org: Organization, to: Listener) -> bool:
        known = all(_may_know(org, to, user_id) for user_id in (self.sender_id, *self.user_ids))
        return known and _watches_typing(org, to)

    def wire(self, org: Organization, to: Listener) -> TypingUpdate:
        return TypingUpdate(
            message_type="direct",
            op=self.op,
            sender=_typing_user(org, self.sender_id),
            recipients=[_typing_user(org, user_id) for user_id in self.user_ids],
        )


class TypingInChannel(EphemeralEvent, frozen=True, tag="typing_in_channel", type="typing"):
    """A user starts or stops typing in a topic."""

    op: TypingOp
    sender_id: int
    channel_id: int
    topic: str

    def audience(self) -> Audience:
        return Subscribers(self.channel_id)

    def is_for(self, org: Organization, to: Listener) -> bool:
        return (
            to.options.capabilities.stream_typing_notifications
            and _may_know(org, to, self.sender_id)
            and _watches_typing(org, to)
        )

    def variant(self, to: Listener) -> Hashable:
        return to.options.capabilities.empty_topic_name

    def wire(self, org: Organization, to: Listener) -> TypingUpdate:
        empty = to.options.capabilities.empty_topic_name
        return TypingUpdate(
            message_type="stream",
            op=self.op,
            sender=_typing_user(org, self.sender_id),
            stream_id=self.channel_id,
            topic=domain.channels.topics.shown(self.topic, empty),
        )


class TypingEdit(EphemeralEvent, frozen=True, tag="typing_edit", type="typing_edit_message"):
    """A user starts or stops editing a message."""

    op: TypingOp
    sender_id: int
    message_id: int
    channel_id: int | None = None
    topic: str = ""
    user_ids: list[int] = []

    def audience(self) -> Audience:
        return Users(self.user_ids) if self.channel_id is None else Subscribers(self.channel_id)

    def is_for(self, org: Organization, to: Listener) -> bool:
        return _may_know(org, to, self.sender_id) and _watches_typing(org, to)

    def wire(self, org: Organization, to: Listener) -> TypingEditUpdate:
        recipient = EditRecipient("direct", user_ids=self.user_ids)
        if self.channel_id is not None:
            recipient = EditRecipient("channel", channel_id=self.channel_id, topic=self.topic)
        return TypingEditUpdate(self.op, self.sender_id, self.message_id, recipient)


class AnswerUpdate(EphemeralEvent, frozen=True, tag="answer", type="answer"):
    """A streamed answer begins, grows, is stopped by a person, or ends."""

    op: Literal["start", "update", "stop", "end"]
    answer_token: str
    answer: StreamedAnswer
    position: int = 0
    content: str = ""
    status: str = ""
    message_id: int | None = None
    only_bot: bool = False  # for a bot that is not among the listeners

    def audience(self) -> Audience:
        if self.only_bot:
            return Users([self.answer.bot_id])
        if self.answer.channel_id is None:
            return Users(self.answer.member_ids)
        return Subscribers(self.answer.channel_id)

    def is_for(self, org: Organization, to: Listener) -> bool:
        """Clients say that they know answers, or ask for the type; others would not understand."""
        names_types = to.options.event_types is not None
        return names_types or to.options.capabilities.streamed_answers

    def variant(self, to: Listener) -> Hashable:
        return to.options.capabilities.empty_topic_name

    def wire(self, org: Organization, to: Listener) -> AnswerState:
        fields = conversation_fields(
            self.answer, allow_empty=to.options.capabilities.empty_topic_name
        )
        if self.op == "update":
            return AnswerText(
                op=self.op,
                answer_token=self.answer_token,
                position=self.position,
                content=self.content,
                status_line=self.status,
                **fields,
            )
        if self.op == "end":
            return AnswerEnd(
                op=self.op, answer_token=self.answer_token, message_id=self.message_id, **fields
            )
        return AnswerState(op=self.op, answer_token=self.answer_token, **fields)

    def on_remote(self, org: Organization) -> bool:
        """An update that was sent before another server ended the answer may arrive after that."""
        if self.op == "end":
            org.answers.end(self.answer_token, self.answer, org.clock())
            return True
        if org.answers.has_ended(self.answer_token):
            return False
        opened = org.answers.touch(self.answer_token, self.answer, org.clock())
        opened.is_stopped = opened.is_stopped or self.op == "stop"
        if self.op == "update":
            opened.apply(self.position, self.content, self.status)
        return True


class CallUpdate(EphemeralEvent, frozen=True, tag="call", type="call"):
    """A call starts, people join and leave, or it ends."""

    op: Literal["update", "end"]
    call: CallObject
    only: list[int] = []  # participants who have not subscribed to the channel

    def audience(self) -> Audience:
        if self.only:
            return Users(self.only)
        if isinstance(self.call.stream_id, int):
            return Subscribers(self.call.stream_id)
        return Users(list(self.call.user_ids or ()))

    def is_for(self, org: Organization, to: Listener) -> bool:
        return _knows_calls(to)

    def wire(self, org: Organization, to: Listener) -> CallState:
        return CallState(self.op, self.call)


class CallSignal(EphemeralEvent, frozen=True, tag="call_signal", type="call_signal"):
    """Two browsers in a call arrange their connection."""

    call_token: str
    sender_session_id: int
    session_id: int
    user_id: int  # of the session that receives it
    signal: str

    def audience(self) -> Audience:
        return Users([self.user_id])

    def is_for(self, org: Organization, to: Listener) -> bool:
        return _knows_calls(to)

    def wire(self, org: Organization, to: Listener) -> CallSignalled:
        return CallSignalled(self.call_token, self.sender_session_id, self.session_id, self.signal)


def _knows_calls(to: Listener) -> bool:
    """Clients say that they know calls, or ask for the type; others would not understand."""
    return to.options.event_types is not None or to.options.capabilities.calls


def conversation_fields(answer: StreamedAnswer, *, allow_empty: bool) -> dict[str, Any]:
    """Whose an answer is and where, as clients get it."""
    fields: dict[str, Any] = {
        "sender_id": answer.bot_id,
        "asked_by": answer.asked_by,
        "started": int(answer.started_at),
    }
    if answer.channel_id is None:
        return fields | {"message_type": "direct", "user_ids": answer.member_ids}
    topic = domain.channels.topics.shown(answer.topic, allow_empty)
    return fields | {"message_type": "stream", "stream_id": answer.channel_id, "topic": topic}


class UserActive(EphemeralEvent, frozen=True, tag="came_online", type="presence"):
    """A user became active."""

    user_id: int
    active_at: float
    idle_at: float
    at: float

    def audience(self) -> Audience:
        return Everyone()

    def is_for(self, org: Organization, to: Listener) -> bool:
        return _may_know(org, to, self.user_id)

    def variant(self, to: Listener) -> Hashable:
        return to.options.capabilities.simplified_presence_events, to.options.slim_presence

    def wire(self, org: Organization, to: Listener) -> PresenceUpdate:
        presence = Presence(self.active_at, self.idle_at)
        user = org.users[self.user_id]
        if to.options.capabilities.simplified_presence_events:
            modern = PresenceObject(**presence.modern(user.joined_at))
            return PresenceUpdate(presences={str(self.user_id): modern})
        return PresenceUpdate(
            user_id=self.user_id,
            email=UNSET if to.options.slim_presence else user.api_email(org.email_domain),
            server_timestamp=self.at,
            presence={"website": ClientPresence(**presence.legacy(), pushable=False)},
        )


class PresenceChanged(EphemeralEvent, frozen=True, tag="presence_noted", type=""):
    """Between servers only: another server has stored presence changes."""

    def audience(self) -> Audience:
        return NoClients()

    def on_remote(self, org: Organization) -> bool:
        org.presence.is_stale = True
        return False


class Envelope(msgspec.Struct, frozen=True):
    """An ephemeral event as it is sent to other servers."""

    server: str
    realm_id: int
    event: msgspec.Raw = msgspec.field(name="whisper")  # the name on the wire

    @classmethod
    def wrap(cls, event: EphemeralEvent, server: str, realm_id: int) -> "Envelope":
        return cls(server, realm_id, msgspec.Raw(msgspec.json.encode(event)))

    def decode(self) -> EphemeralEvent:
        return _ephemeral_events.decode(self.event)


decode_envelope = msgspec.json.Decoder(Envelope).decode
_ephemeral_events: msgspec.json.Decoder[EphemeralEvent] = msgspec.json.Decoder(
    reduce(or_, EphemeralEvent.__subclasses__())
)


def _watches_typing(org: Organization, to: Listener) -> bool:
    return bool(org.users[to.user_id].prefers("receives_typing_notifications"))


def _may_know(org: Organization, to: Listener, user_id: int) -> bool:
    return org.may_know(org.users[to.user_id], org.users[user_id])


def _typing_user(org: Organization, user_id: int) -> TypingUser:
    return TypingUser(user_id, org.users[user_id].api_email(org.email_domain))
