"""Reminders: a message shown again at a time of one's choice."""

from tertulia.actions import reminders
from tertulia.actions.composing import compose
from tertulia.actions.notices import CLIENT
from tertulia.api.call import Call
from tertulia.api.scheduled_messages import Moment
from tertulia.domain.reminders import checked_note
from tertulia.events.types.reminders import ReminderObject, reminder_object
from tertulia.http.replies import Reply, ok
from tertulia.http.rules import Id
from tertulia.storage import reminders as stored


class Reminders(Reply):
    reminders: list[ReminderObject]


class CreatedReminder(Reply):
    reminder_id: int


async def mine(call: Call) -> Reminders:
    """The caller's reminders, by time."""
    found = await call.db.read(stored.of_user, call.user.id)
    return Reminders([reminder_object(each) for each in found])


async def create(
    call: Call, *, message_id: Id, scheduled_delivery_timestamp: Moment, note: str | None = None
) -> CreatedReminder:
    """Ask to be reminded of a message."""
    note = checked_note(note or "")
    words = await call.db.read(reminders.words_for, call.user, message_id, note, call.site)
    draft = await compose(call.author, words, CLIENT, False)
    reminder_id = await call.db.write(
        reminders.create,
        call.user,
        message_id,
        note,
        call.site,
        draft,
        scheduled_delivery_timestamp,
    )
    return CreatedReminder(reminder_id)


async def delete(call: Call, reminder_id: int) -> Reply:
    """Delete a reminder."""
    await call.db.write(reminders.delete, call.user, reminder_id)
    return ok()
