"""Reminders: a message shown again at a time of one's choice."""

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.notices import CLIENT
from tertulia.api.call import Call
from tertulia.api.later.scheduled import RegisterSnapshot
from tertulia.events.types.later.reminders import ReminderObject
from tertulia.http.parameter_rules import Id
from tertulia.http.replies import Reply


class Reminders(Reply):
    reminders: list[ReminderObject]


class CreatedReminder(Reply):
    reminder_id: int


async def list_own(call: Call) -> Reminders:
    """List the caller's reminders, by time."""
    found = await call.db.read(storage.later.reminders.of_user, call.user.id)
    return Reminders(
        [events.types.later.reminders.reminder_object(call.org, each) for each in found]
    )


async def create(
    call: Call,
    *,
    message_id: Id,
    scheduled_delivery_timestamp: RegisterSnapshot,
    note: str | None = None,
) -> CreatedReminder:
    """Create a reminder for a message."""
    note = domain.later.reminders.checked_note(note or "")
    words = await call.db.read(
        actions.later.reminders.text_for, call.user, message_id, note, call.site
    )
    draft = await actions.messages.draft.compose(call.author, words, CLIENT, False)
    reminder_id = await call.db.write(
        actions.later.reminders.create,
        call.user,
        message_id,
        note,
        call.site,
        draft,
        scheduled_delivery_timestamp,
    )
    return CreatedReminder(reminder_id)


async def delete(call: Call, reminder_id: int) -> None:
    """Delete a reminder."""
    await call.db.write(actions.later.reminders.delete, call.user, reminder_id)
