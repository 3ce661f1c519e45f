"""The events that tell of messages that were deleted.

Like the event of a new message, they name messages and do not copy them.
"""

from collections.abc import Iterable
from typing import ClassVar

from tertulia.domain.topics import shown
from tertulia.events.directory import Organization, Touched
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class MessagesDeleted(Event, frozen=True):
    """Messages are gone, for everybody or for those who can no longer see them."""

    kind: ClassVar[str] = "messages_deleted"
    types: ClassVar[tuple[str, ...]] = ("delete_message",)

    message_ids: list[int]
    channel_id: int | None = None
    topic: str = ""

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        place: Wire = {"message_type": "private"}
        if self.channel_id is not None:
            topic = shown(self.topic, to.options.capabilities.empty_topic_name)
            place = {"stream_id": self.channel_id, "topic": topic, "message_type": "stream"}
        if to.options.capabilities.bulk_message_deletion:
            yield {"type": "delete_message", "message_ids": self.message_ids, **place}
            return
        # Compat: clients without `bulk_message_deletion` are told of each message by itself.
        for message_id in self.message_ids:
            yield {"type": "delete_message", **place, "message_id": message_id}


class FirstMessageChanged(Event, frozen=True):
    """The first message of a channel went elsewhere, or another one came before it."""

    kind: ClassVar[str] = "first_message"
    types: ClassVar[tuple[str, ...]] = ("stream",)
    shared: ClassVar[bool] = True

    channel_id: int
    message_id: int | None

    def touched(self) -> Touched:
        return Touched(channels={self.channel_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {
            "type": "stream",
            "op": "update",
            "stream_id": self.channel_id,
            "name": org.channels[self.channel_id].name,
            "property": "first_message_id",
            "value": self.message_id,
        }
