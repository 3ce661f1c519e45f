"""Scheduled messages in API format, and their events.

The log holds only the id of a scheduled message, so the content of a deleted one is gone.
"""

from collections.abc import Iterable
from typing import ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.later.scheduled import ScheduledMessage, ToChannel
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class ScheduledMessageObject(msgspec.Struct, kw_only=True):
    scheduled_message_id: int
    to: int | list[int]
    type: str
    content: str
    rendered_content: str
    topic: str | UnsetType = UNSET
    scheduled_delivery_timestamp: int
    failed: bool


def scheduled_message_object(org: Organization, entry: ScheduledMessage) -> ScheduledMessageObject:
    return _shown(org, _object(entry))


def _shown(org: Organization, scheduled: ScheduledMessageObject) -> ScheduledMessageObject:
    return replace(scheduled, rendered_content=org.shown(scheduled.rendered_content))


def _object(entry: ScheduledMessage) -> ScheduledMessageObject:
    to = entry.to
    in_channel = isinstance(to, ToChannel)
    return ScheduledMessageObject(
        scheduled_message_id=entry.id,
        to=to.channel_id if isinstance(to, ToChannel) else list(to.user_ids),
        type="stream" if in_channel else "private",
        content=entry.content,
        rendered_content=entry.rendered,
        topic=to.topic if isinstance(to, ToChannel) else UNSET,
        scheduled_delivery_timestamp=entry.deliver_at,
        failed=entry.failed,
    )


class ScheduledMessageSaved(Event, frozen=True):
    """A scheduled message is new or changed. Only its owner receives the event."""

    kind: ClassVar[str] = "scheduled_message_saved"
    types: ClassVar[tuple[str, ...]] = ("scheduled_messages",)

    op: Literal["add", "update"]
    id: int
    saved: ScheduledMessageObject | None = None

    def completed(self, tx: Tx) -> Event:
        entry = storage.later.scheduled.find(tx, self.id)
        if entry is None or entry.sent_at is not None:
            return self
        return ScheduledMessageSaved(self.op, self.id, _object(entry))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if self.saved is None:  # sent or deleted since
            return
        shown = _shown(org, self.saved)
        saved: Wire = {"scheduled_message": shown}
        if self.op == "add":
            saved = {"scheduled_messages": [shown]}
        yield {"type": "scheduled_messages", "op": self.op, **saved}


class ScheduledMessageRemoved(Event, frozen=True):
    """A scheduled message was sent or deleted."""

    kind: ClassVar[str] = "scheduled_message_removed"
    types: ClassVar[tuple[str, ...]] = ("scheduled_messages",)

    id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "scheduled_message_id": self.id}
