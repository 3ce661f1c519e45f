"""Events of edited, moved and deleted messages.

The log holds ids, not content: the content of an edit is read from the edit history on delivery, so
it is gone once the message is deleted.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Edit, Message
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.channels.channel import ChannelName, ChannelUpdate
from tertulia.events.types.event import Event, MessageEvent, PendingInfo, Revocation
from tertulia.events.types.messages.message import may_follow, topic_links
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    ChannelId,
    EditorId,
    HtmlText,
    IsMeMessage,
    MarkdownText,
    MessageFlags,
    MessageId,
    MessageTopic,
    TopicName,
)

PropagateMode = Literal["change_one", "change_later", "change_all"]

RENDERED = ("orig_rendered_content", "rendered_content")


class MessageUpdate(WireEvent, tag="update_message", kw_only=True):
    added_on_fetch: ClassVar[tuple[str, ...]] = ("flags",)

    user_id: EditorId | None
    edit_timestamp: Annotated[int, Doc("When the message was edited.")]
    message_id: MessageId
    rendering_only: Annotated[
        bool, Doc("Whether only the HTML changed, for example by a link preview.")
    ]
    orig_content: Annotated[str | UnsetType, Doc("The Markdown before the edit.")] = UNSET
    orig_rendered_content: Annotated[str | UnsetType, Doc("The HTML before the edit.")] = UNSET
    content: MarkdownText | UnsetType = UNSET
    rendered_content: HtmlText | UnsetType = UNSET
    is_me_message: IsMeMessage | UnsetType = UNSET
    stream_name: ChannelName | UnsetType = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    propagate_mode: (
        Annotated[
            PropagateMode,
            Doc(
                "Which messages of the topic to move: `change_one`, `change_later` or `change_all`."
            ),
        ]
        | UnsetType
    ) = UNSET
    orig_subject: Annotated[str | UnsetType, Doc("The topic before the edit.")] = UNSET
    new_stream_id: Annotated[
        int | UnsetType, Doc("The channel that the messages were moved to.")
    ] = UNSET
    subject: MessageTopic | UnsetType = UNSET
    topic_links: Annotated[
        list[dict[str, str]] | UnsetType,
        Doc("The links that linkifiers find in the topic: each has a `text` and a `url`."),
    ] = UNSET
    message_ids: Annotated[list[int], Doc("Ids of all changed messages.")]
    flags: MessageFlags | UnsetType = UNSET


class MessageUpdated(MessageEvent, frozen=True, kind="message_updated", wires=(MessageUpdate,)):
    """A message was edited, or it and perhaps others were moved, or both.

    The content is read from the edit history. Flags are added when a client fetches the event.
    """

    invalidates_permits: ClassVar[bool] = True

    user_id: int
    at: float
    message_id: int
    message_ids: list[int]
    edit_id: int | None = None  # set if the content changed
    channel_id: int | None = None  # before the move
    channel_name: str = ""
    mode: PropagateMode | None = None  # set for a move
    prev_topic: str = ""
    topic: str | None = None
    new_channel_id: int | None = None
    newly_mentioned: list[int] = []
    newly_in_topic_wildcard: list[int] = []
    newly_channel_wildcard: bool = False

    message: Message | None = None
    words: dict[str, Any] = {}

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence[Event]:
        found = storage.messages.table.find_many(
            tx, tx.realm_id, [event.message_id for event in events]
        )
        reworded = [event.message_id for event in events if event.edit_id is not None]
        history = storage.messages.edits.of_messages(
            tx, [each for each in reworded if each in found]
        )
        return [
            event._with(found.get(event.message_id), history.get(event.message_id, ()))
            for event in events
        ]

    def _with(self, message: Message | None, history: Sequence[Edit]) -> Self:
        words = {}
        if message is not None and self.edit_id is not None:
            words = _content_of(self.edit_id, message, history)
        return replace(self, message=message, words=words)

    def rewritten(self) -> Collection[int]:
        return self.message_ids

    def among(self, message_ids: list[int]) -> Self:
        """The same event for users who have only some of the moved messages."""
        if self.message_id in message_ids:
            return replace(self, message_ids=message_ids)
        return replace(
            self,
            message_id=message_ids[0],
            message_ids=message_ids,
            edit_id=None,
            newly_mentioned=[],
            newly_in_topic_wildcard=[],
            newly_channel_wildcard=False,
        )

    @property
    def _is_gone(self) -> bool:
        """Whether there is nothing to send. A move may still concern the other moved messages."""
        return self.mode is None and (self.message is None or not self.words)

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        if self.message is None:
            return self._is_gone
        if may_follow(org.present, user_id, self.message):
            return False
        return self.message.channel_id != self._channel_after or not may_follow(
            org, user_id, self.message
        )

    def variant(self, org: Organization, to: Listener) -> Hashable:
        return to.options.capabilities.empty_topic_name, self._may_name_channel(org, to)

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if self._is_gone:
            return
        empty = to.options.capabilities.empty_topic_name
        found = MessageUpdate(
            user_id=self.user_id,
            edit_timestamp=int(self.at),
            message_id=self.message_id,
            rendering_only=False,
            message_ids=self.message_ids,
            **_shown(org, self.words),
        )
        if self.channel_id is not None:
            found.stream_name = self.channel_name if self._may_name_channel(org, to) else ""
            found.stream_id = self.channel_id
        if self.mode is not None:
            found.propagate_mode = self.mode
            found.orig_subject = domain.channels.topics.shown(self.prev_topic, empty)
        if self.new_channel_id is not None:
            found.new_stream_id = self.new_channel_id
        if self.topic is not None:
            found.subject = domain.channels.topics.shown(self.topic, empty)
            found.topic_links = topic_links(org, self.topic)
        yield found

    def about(self) -> PendingInfo:
        words_of = None if self.edit_id is None else self.message_id
        return PendingInfo(self._channel_after, words_of, flags_of=self.message_id)

    @property
    def _channel_after(self) -> int | None:
        """The channel of the messages after the event."""
        return self.channel_id if self.new_channel_id is None else self.new_channel_id

    def _may_name_channel(self, org: Organization, to: Listener) -> bool:
        """Whether the listener may learn the name of the channel before the move."""
        return self.channel_id is not None and org.may_see(to.user_id, self.channel_id)


class RenderingUpdated(MessageEvent, frozen=True, kind="rendering_updated", wires=(MessageUpdate,)):
    """The HTML of a message changed, and not its text: it got previews of links, or lost them."""

    invalidates_permits: ClassVar[bool] = False

    message_id: int
    channel_id: int | None
    at: float

    message: Message | None = None

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence[Event]:
        found = storage.messages.table.find_many(
            tx, tx.realm_id, [event.message_id for event in events]
        )
        return [replace(event, message=found.get(event.message_id)) for event in events]

    def rewritten(self) -> Collection[int]:
        return [self.message_id]

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        """A message that was moved meanwhile is sent to users who may read it where it is now."""
        if self.message is None:
            return True
        return not may_follow(org.present, user_id, self.message)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.message is None:
            return
        yield MessageUpdate(
            user_id=None,
            edit_timestamp=int(self.at),
            message_id=self.message_id,
            message_ids=[self.message_id],
            rendering_only=True,
            content=self.message.content,
            rendered_content=org.shown(self.message.rendered),
            is_me_message=self.message.is_me,
            stream_id=UNSET if self.channel_id is None else self.channel_id,
        )

    def about(self) -> PendingInfo:
        return PendingInfo(self.channel_id, self.message_id, flags_of=self.message_id)


def _content_of(edit_id: int, message: Message, history: Iterable[Edit]) -> dict[str, Any]:
    """The content of a message before and after one of its edits."""
    rewordings = [edit for edit in history if edit.prev_content is not None]
    index = next((at for at, edit in enumerate(rewordings) if edit.id == edit_id), None)
    if index is None:
        return {}
    before = rewordings[index]
    content, rendered = message.content, message.rendered
    if index + 1 < len(rewordings):
        after = rewordings[index + 1]
        content, rendered = after.prev_content or "", after.prev_rendered or ""
    return {
        "orig_content": before.prev_content,
        "orig_rendered_content": before.prev_rendered,
        "content": content,
        "rendered_content": rendered,
        "is_me_message": content.startswith("/me "),
    }


def _shown(org: Organization, words: dict[str, Any]) -> dict[str, Any]:
    return {name: org.shown(value) if name in RENDERED else value for name, value in words.items()}


class MessagesDeleted(MessageEvent, frozen=True, kind="messages_deleted", invalidates_permits=True):
    """Messages were deleted, for everyone or for users who can no longer see them."""

    message_ids: list[int]
    channel_id: int | None = None
    topic: str = ""

    class Wire(WireEvent, tag="delete_message", kw_only=True):
        """Compat: clients without `bulk_message_deletion` get `message_id`."""

        message_ids: Annotated[list[int] | UnsetType, Doc("Ids of the deleted messages.")] = UNSET
        stream_id: ChannelId | UnsetType = UNSET
        topic: TopicName | UnsetType = UNSET
        message_type: Annotated[
            Literal["private", "stream"], Doc("The kind of conversation of the messages.")
        ]
        message_id: MessageId | UnsetType = UNSET

    def rewritten(self) -> Collection[int]:
        return self.message_ids

    def revocation(self) -> Revocation:
        """Content of deleted messages must not be delivered before this event."""
        return Revocation(messages=self.message_ids)

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        deleted = self.Wire(message_type="private")
        if self.channel_id is not None:
            empty = to.options.capabilities.empty_topic_name
            topic = domain.channels.topics.shown(self.topic, empty)
            deleted = self.Wire(stream_id=self.channel_id, topic=topic, message_type="stream")
        if to.options.capabilities.bulk_message_deletion:
            deleted.message_ids = self.message_ids
            yield deleted
            return
        for message_id in self.message_ids:
            yield replace(deleted, message_id=message_id)


class MessagesInvalidated(MessageEvent, frozen=True, kind="messages_rewritten"):
    """Messages changed in a way that no client is notified of; servers drop them from caches.

    Their HTML changed, or they were moved or deleted where no user has them.
    """

    invalidates_permits: ClassVar[bool] = True

    message_ids: list[int]

    def rewritten(self) -> Collection[int]:
        return self.message_ids


class QueuesClosed(MessageEvent, frozen=True, kind="queues_closed", invalidates_permits=False):
    """The queues of some users are deleted, because an event cannot name what each of them
    received. Sent to no client."""

    user_ids: list[int]

    def rewritten(self) -> Collection[int]:
        return ()

    def revocation(self) -> Revocation:
        return Revocation(queues_of=self.user_ids)


class FirstMessageChanged(MessageEvent, frozen=True, kind="first_message", wires=(ChannelUpdate,)):
    """The first message of a channel was moved or deleted, or an older one was added."""

    invalidates_permits: ClassVar[bool] = True

    channel_id: int
    message_id: int | None

    def rewritten(self) -> Collection[int]:
        return ()

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        name = org.channels[self.channel_id].name
        yield ChannelUpdate("update", self.channel_id, name, "first_message_id", self.message_id)
