"""Events of edited, moved and deleted messages.

The log holds ids, not content: the content of an edit is read from the edit history on delivery, so
it is gone once the message is deleted.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, ClassVar, Literal, Self

from msgspec.structs import replace

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Edit, Message
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, MessageEvent, PendingInfo, Revocation, Wire

PropagateMode = Literal["change_one", "change_later", "change_all"]

RENDERED = ("orig_rendered_content", "rendered_content")


class MessageUpdated(MessageEvent, frozen=True):
    """A message was edited, or it and perhaps others were moved, or both.

    The content is read from the edit history. Flags are added when a client fetches the event.
    """

    kind: ClassVar[str] = "message_updated"
    types: ClassVar[tuple[str, ...]] = ("update_message",)
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
        found = storage.messages.find_many(tx, tx.realm_id, [event.message_id for event in events])
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
        may_follow = events.types.messages.message.may_follow
        if may_follow(org.present, user_id, self.message):
            return False
        return self.message.channel_id != self._channel_after or not may_follow(
            org, user_id, self.message
        )

    def variant(self, org: Organization, to: Listener) -> Hashable:
        return to.options.capabilities.empty_topic_name, self._may_name_channel(org, to)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if self._is_gone:
            return
        empty = to.options.capabilities.empty_topic_name
        found: Wire = {
            "type": "update_message",
            "user_id": self.user_id,
            "edit_timestamp": int(self.at),
            "message_id": self.message_id,
            "rendering_only": False,
            **_shown(org, self.words),
        }
        if self.channel_id is not None:
            name = self.channel_name if self._may_name_channel(org, to) else ""
            found |= {"stream_name": name, "stream_id": self.channel_id}
        if self.mode is not None:
            found |= {
                "propagate_mode": self.mode,
                "orig_subject": domain.channels.topics.shown(self.prev_topic, empty),
            }
        if self.new_channel_id is not None:
            found["new_stream_id"] = self.new_channel_id
        if self.topic is not None:
            links = events.types.messages.message.topic_links(org, self.topic)
            found |= {
                "subject": domain.channels.topics.shown(self.topic, empty),
                "topic_links": links,
            }
        yield found | {"message_ids": self.message_ids}

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


class RenderingUpdated(MessageEvent, frozen=True):
    """The HTML of a message changed, and not its text: it got previews of links, or lost them."""

    kind: ClassVar[str] = "rendering_updated"
    types: ClassVar[tuple[str, ...]] = ("update_message",)
    invalidates_permits: ClassVar[bool] = False

    message_id: int
    channel_id: int | None
    at: float

    message: Message | None = None

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence[Event]:
        found = storage.messages.find_many(tx, tx.realm_id, [event.message_id for event in events])
        return [replace(event, message=found.get(event.message_id)) for event in events]

    def rewritten(self) -> Collection[int]:
        return [self.message_id]

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        """A message that was moved meanwhile is sent to users who may read it where it is now."""
        if self.message is None:
            return True
        may_follow = events.types.messages.message.may_follow
        return not may_follow(org.present, user_id, self.message)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        if self.message is None:
            return
        where: Wire = {} if self.channel_id is None else {"stream_id": self.channel_id}
        yield {
            "user_id": None,
            "edit_timestamp": int(self.at),
            "message_id": self.message_id,
            "message_ids": [self.message_id],
            "rendering_only": True,
            "content": self.message.content,
            "rendered_content": org.shown(self.message.rendered),
            "is_me_message": self.message.is_me,
            **where,
        }

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


class MessagesDeleted(MessageEvent, frozen=True):
    """Messages were deleted, for everyone or for users who can no longer see them."""

    kind: ClassVar[str] = "messages_deleted"
    types: ClassVar[tuple[str, ...]] = ("delete_message",)
    invalidates_permits: ClassVar[bool] = True

    message_ids: list[int]
    channel_id: int | None = None
    topic: str = ""

    def rewritten(self) -> Collection[int]:
        return self.message_ids

    def revocation(self) -> Revocation:
        """Content of deleted messages must not be delivered before this event."""
        return Revocation(messages=self.message_ids)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        conversation_fields: Wire = {"message_type": "private"}
        if self.channel_id is not None:
            topic = domain.channels.topics.shown(
                self.topic, to.options.capabilities.empty_topic_name
            )
            conversation_fields = {
                "stream_id": self.channel_id,
                "topic": topic,
                "message_type": "stream",
            }
        if to.options.capabilities.bulk_message_deletion:
            yield {"type": "delete_message", "message_ids": self.message_ids, **conversation_fields}
            return
        # Compat: clients without `bulk_message_deletion` get one event per message.
        for message_id in self.message_ids:
            yield {"type": "delete_message", **conversation_fields, "message_id": message_id}


class MessagesInvalidated(MessageEvent, frozen=True):
    """Messages changed in a way that no client is notified of; servers drop them from caches.

    Their HTML changed, or they were moved or deleted where no user has them.
    """

    kind: ClassVar[str] = "messages_rewritten"
    invalidates_permits: ClassVar[bool] = True

    message_ids: list[int]

    def rewritten(self) -> Collection[int]:
        return self.message_ids


class FirstMessageChanged(MessageEvent, frozen=True):
    """The first message of a channel was moved or deleted, or an older one was added."""

    kind: ClassVar[str] = "first_message"
    types: ClassVar[tuple[str, ...]] = ("stream",)
    invalidates_permits: ClassVar[bool] = True

    channel_id: int
    message_id: int | None

    def rewritten(self) -> Collection[int]:
        return ()

    def touched(self) -> Invalidated:
        return Invalidated(channels={self.channel_id})

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {
            "op": "update",
            "stream_id": self.channel_id,
            "name": org.channels[self.channel_id].name,
            "property": "first_message_id",
            "value": self.message_id,
        }
