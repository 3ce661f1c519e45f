"""The event of changed message flags."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from tertulia import domain
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, MessageEvent, PendingInfo, Wire


class UnreadDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The conversation of a message that is unread again."""

    user_ids: list[int] = []  # the other participants of a direct conversation
    channel_id: int | None = None
    topic: str = ""
    unmuted: bool = False
    mentioned: bool = False

    def wire(self, empty_topic_name: bool) -> dict[str, Any]:
        if self.channel_id is None:
            found: dict[str, Any] = {"type": "private", "user_ids": self.user_ids}
        else:
            found = {
                "type": "stream",
                "stream_id": self.channel_id,
                "topic": domain.channels.topics.shown(self.topic, empty_topic_name),
                "unmuted_stream_msg": self.unmuted,
            }
        return found | ({"mentioned": True} if self.mentioned else {})


class FlagsChanged(MessageEvent, frozen=True):
    """Flags were set or cleared. Only their owner receives the event."""

    kind: ClassVar[str] = "flags"
    types: ClassVar[tuple[str, ...]] = ("update_message_flags",)
    keeps_history: ClassVar[bool] = True
    invalidates_permits: ClassVar[bool] = False

    op: str
    flag: str
    message_ids: list[int]
    everything: bool = False
    details: dict[int, UnreadDetails] | None = None

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

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        found = {
            "type": "update_message_flags",
            "op": self.op,
            "operation": self.op,
            "flag": self.flag,
            "messages": self.message_ids,
            "all": self.everything,
        }
        if self.details is not None:
            empty = to.options.capabilities.empty_topic_name
            found["message_details"] = {
                str(message_id): each.wire(empty) for message_id, each in self.details.items()
            }
        yield found
