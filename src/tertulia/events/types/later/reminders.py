"""Reminders in API format, and their events.

As with scheduled messages, the log holds only the id of a reminder, not its content.
"""

from collections.abc import Iterable
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.later.reminders import Reminder
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class ReminderObject(msgspec.Struct, kw_only=True):
    reminder_id: int
    to: list[int]
    type: str = "private"
    content: str
    rendered_content: str
    scheduled_delivery_timestamp: int
    failed: bool
    reminder_target_message_id: int


def reminder_object(org: Organization, reminder: Reminder) -> ReminderObject:
    return _shown(org, _object(reminder))


def _shown(org: Organization, reminder: ReminderObject) -> ReminderObject:
    return replace(reminder, rendered_content=org.shown(reminder.rendered_content))


def _object(reminder: Reminder) -> ReminderObject:
    return ReminderObject(
        reminder_id=reminder.id,
        to=[reminder.owner_id],
        content=reminder.content,
        rendered_content=reminder.rendered,
        scheduled_delivery_timestamp=reminder.deliver_at,
        failed=reminder.failed,
        reminder_target_message_id=reminder.message_id,
    )


class ReminderSaved(Event, frozen=True):
    """A reminder is new or failed. The API has no event for a changed reminder."""

    kind: ClassVar[str] = "reminder_saved"
    types: ClassVar[tuple[str, ...]] = ("reminders",)

    id: int
    saved: ReminderObject | None = None

    def completed(self, tx: Tx) -> Event:
        reminder = storage.later.reminders.find(tx, self.id)
        return self if reminder is None else ReminderSaved(self.id, _object(reminder))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if self.saved is not None:
            shown = _shown(org, self.saved)
            yield {"type": "reminders", "op": "add", "reminders": [shown]}


class ReminderRemoved(Event, frozen=True):
    """A reminder was sent or deleted, or its message was deleted."""

    kind: ClassVar[str] = "reminder_removed"
    types: ClassVar[tuple[str, ...]] = ("reminders",)

    id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "reminder_id": self.id}
