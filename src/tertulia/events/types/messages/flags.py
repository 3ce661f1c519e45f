"""The event of changed message flags."""

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import domain
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, MessageEvent, PendingInfo
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import ChannelId, DirectMembers, TopicName


class UnreadObject(msgspec.Struct):
    type: Annotated[Literal["private", "stream"], Doc("The kind of conversation.")]
    user_ids: DirectMembers | UnsetType = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET
    unmuted_stream_msg: Annotated[
        bool | UnsetType, Doc("Whether neither the channel nor the topic is muted.")
    ] = UNSET
    mentioned: Annotated[bool | UnsetType, Doc("Whether the message mentions the user.")] = UNSET


class UnreadDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The conversation of a message that is unread again."""

    user_ids: list[int] = []  # the other participants of a direct conversation
    channel_id: int | None = None
    topic: str = ""
    unmuted: bool = False
    mentioned: bool = False

    def wire(self, empty_topic_name: bool) -> UnreadObject:
        mentioned = self.mentioned or UNSET
        if self.channel_id is None:
            return UnreadObject("private", user_ids=self.user_ids, mentioned=mentioned)
        return UnreadObject(
            "stream",
            stream_id=self.channel_id,
            topic=domain.channels.topics.shown(self.topic, empty_topic_name),
            unmuted_stream_msg=self.unmuted,
            mentioned=mentioned,
        )


class FlagsChanged(MessageEvent, frozen=True, kind="flags", keeps_history=True):
    """Flags were set or cleared. Only their owner receives the event."""

    invalidates_permits: ClassVar[bool] = False

    op: Literal["add", "remove"]
    flag: str
    message_ids: list[int]
    everything: bool = False
    details: dict[int, UnreadDetails] | None = None

    class Wire(WireEvent, tag="update_message_flags"):
        op: Literal["add", "remove"]
        operation: Annotated[Literal["add", "remove"], Doc("The same as `op`, for older clients.")]
        flag: Annotated[str, Doc("The flag, such as `read` or `starred`.")]
        messages: Annotated[list[int], Doc("Ids of the messages.")]
        all: Annotated[bool, Doc("Whether all messages are meant.")]
        message_details: Annotated[
            dict[str, UnreadObject] | UnsetType,
            Doc("The conversations of messages that became unread, by message id."),
        ] = UNSET

    def rewritten(self) -> Collection[int]:
        return ()

    def about(self) -> PendingInfo:
        plain = not self.everything and self.details is None
        return PendingInfo(mergeable=self if plain else None, in_order=self)

    def merged_with(self, earlier: Event, between: Sequence[Event]) -> Event | None:
        if not isinstance(earlier, FlagsChanged):
            return None
        if (earlier.op, earlier.flag) != (self.op, self.flag):
            return None
        moved = set(earlier.message_ids).difference(self.message_ids)
        if any(
            each._touches(self.flag, moved) for each in between if isinstance(each, FlagsChanged)
        ):
            return None
        return FlagsChanged(self.op, self.flag, earlier.message_ids + self.message_ids)

    def _touches(self, flag: str, message_ids: set[int]) -> bool:
        return self.flag == flag and (
            self.everything or not message_ids.isdisjoint(self.message_ids)
        )

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        found = self.Wire(self.op, self.op, self.flag, self.message_ids, self.everything)
        if self.details is not None:
            empty = to.options.capabilities.empty_topic_name
            found.message_details = {
                str(message_id): each.wire(empty) for message_id, each in self.details.items()
            }
        yield found
