"""Reminders as clients see them, and the events that tell of them.

As with scheduled messages, an event names the reminder and does not copy what it quotes.
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


def _shown(org: Organization, told: ReminderObject) -> ReminderObject:
    return replace(told, rendered_content=org.shown(told.rendered_content))


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
    """A reminder is new, or has failed: clients know no other way to hear of a change."""

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
    """A reminder was sent or deleted, or the message it is about is gone."""

    kind: ClassVar[str] = "reminder_removed"
    types: ClassVar[tuple[str, ...]] = ("reminders",)

    id: int

    def told(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "reminder_id": self.id}
