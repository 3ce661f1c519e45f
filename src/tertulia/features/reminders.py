"""Reminders: a message that a user wants to see again at a certain time, however late it is sent.

The log holds only the id of a reminder, so the content of a deleted one is gone.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.draft import Author
from tertulia.actions.messages.notices import CLIENT
from tertulia.api.call import Call
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.messages.quotations import Quotation
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import AccountDeactivated, OrganizationDeactivated
from tertulia.errors.messages import InvalidMessage
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Feature
from tertulia.features.scheduled import entry
from tertulia.features.scheduled.endpoints import DeliveryTime
from tertulia.features.scheduled.sender import ScheduledKind, delivery_job
from tertulia.http.replies import Reply
from tertulia.log import log
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    DeliveryTimestamp,
    HasFailed,
    HtmlText,
    MarkdownText,
    MessageId,
)

MAX_REMINDERS = 20_000  # per user

ReminderId = Annotated[int, Doc("The id of the reminder.", example=8)]


class Reminder(Record, frozen=True, table="reminder"):
    id: int
    owner_id: int
    message_id: int
    note: str
    site: str
    content: str
    rendered: str
    deliver_at: int
    failed: bool = False

    def is_due(self, now: float) -> bool:
        return not self.failed and self.deliver_at <= now


class ReminderNotFound(ClientError):
    status = 404
    message = "Reminder does not exist"
    problem = "not-found"


def checked_note(note: str) -> str:
    if len(note) > domain.limits.MAX_REMINDER_NOTE_LENGTH:
        raise BadRequest(
            "Maximum reminder note length: {limit} characters",
            problem="reminder-note-too-long",
            limit=domain.limits.MAX_REMINDER_NOTE_LENGTH,
        )
    return note.strip()


def reminder_text(quotation: Quotation | None, note: str, site: str) -> str:
    """The text of a reminder. A message that the user may no longer see is not quoted."""
    if quotation is None:
        return _opening("a message that you can no longer see", note)
    kind = "message" if quotation.channel is not None else "direct message"
    return domain.messages.quotations.quoted(
        _opening(f"the following {kind}", note), quotation, site
    )


def _opening(what: str, note: str) -> str:
    if not note:
        return f"You requested a reminder for {what}."
    quoted = "\n".join(f" > {line}" for line in note.splitlines())
    return f"You requested a reminder for {what}. Note:\n{quoted}"


# --- SQL ---


def of_user(tx: Tx, user_id: int) -> list[Reminder]:
    return Reminder.where(tx, "deliver_at, id", owner_id=user_id)


DUE = "SELECT 1 FROM reminder WHERE NOT failed AND deliver_at <= :now"


def realms_with_due(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT r.id FROM realm r WHERE EXISTS (SELECT 1 FROM reminder m"
        " WHERE m.realm_id = r.id AND NOT m.failed AND m.deliver_at <= :now) ORDER BY r.id",
        now=tx.now,
    )


def due(tx: Tx, limit: int) -> list[Reminder]:
    rest = "NOT failed AND deliver_at <= :now ORDER BY deliver_at, id LIMIT :limit"
    return Reminder.all(tx, rest, now=tx.now, limit=limit)


def length_of(tx: Tx, owner_id: int) -> int:
    """The characters of all of them, as text and as HTML."""
    return tx.number(
        "SELECT sum(length(content) + length(rendered)) AS value FROM reminder"
        " WHERE owner_id = :owner",
        owner=owner_id,
    )


# --- events ---


class ReminderObject(msgspec.Struct, kw_only=True):
    reminder_id: ReminderId
    to: Annotated[list[int], Doc("The id of the user.")]
    type: Annotated[str, Doc("Always `private`.")] = "private"
    content: MarkdownText
    rendered_content: HtmlText
    scheduled_delivery_timestamp: DeliveryTimestamp
    failed: HasFailed
    reminder_target_message_id: MessageId


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


class ReminderSaved(Event, frozen=True, kind="reminder_saved"):
    """A reminder is new or failed. The API has no event for a changed reminder."""

    id: int
    saved: ReminderObject | None = None

    class Wire(WireEvent, tag="reminders"):
        op: Literal["add"]
        reminders: Annotated[list[ReminderObject], Doc("The new reminder.")]

    def completed(self, tx: Tx) -> Event:
        reminder = Reminder.find(tx, id=self.id)
        return self if reminder is None else ReminderSaved(self.id, _object(reminder))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if self.saved is not None:
            yield self.Wire("add", [_shown(org, self.saved)])


class ReminderRemoved(Event, frozen=True, kind="reminder_removed"):
    """A reminder was sent or deleted, or its message was deleted."""

    id: int

    class Wire(WireEvent, tag="reminders"):
        op: Literal["remove"]
        reminder_id: ReminderId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.id)


# --- actions ---


def text_for(tx: Tx, owner: User, message_id: int, note: str, site: str) -> str:
    """The text of a reminder of this message. Raises if the owner may not see the message."""
    return reminder_text(actions.messages.access.quotation(tx, owner, message_id), note, site)


def current_text(tx: Tx, reminder: Reminder) -> str:
    """The current text of a reminder: with the message as it is now, if its owner may still see
    it."""
    owner = storage.people.users.find(tx, reminder.owner_id)
    assert owner is not None
    try:
        quotation = actions.messages.access.quotation(tx, owner, reminder.message_id)
    except InvalidMessage:
        quotation = None
    return reminder_text(quotation, reminder.note, reminder.site)


def add(
    tx: Tx,
    owner: User,
    message_id: int,
    note: str,
    site: str,
    draft: Draft,
    deliver_at: int,
) -> int:
    entry.check_time(deliver_at, tx.now)
    message = actions.messages.access.visible_to(tx, owner, message_id)
    count = Reminder.count(tx, owner_id=owner.id)
    if count >= MAX_REMINDERS:
        raise TooMany("reminders", MAX_REMINDERS)
    if count >= domain.limits.LATER_UNCOUNTED and (
        length_of(tx, owner.id) + draft.length > domain.limits.MAX_LATER_LENGTH
    ):
        raise BadRequest(
            "Your reminders together are too long"
            f" (limit: {domain.limits.MAX_LATER_LENGTH} characters, with their HTML)",
            problem="no-room-left",
        )
    reminder_id = Reminder.insert(
        tx,
        owner_id=owner.id,
        message_id=message.id,
        note=note,
        site=site,
        content=draft.content,
        rendered=draft.rendered,
        deliver_at=deliver_at,
    )
    events.log.announce(tx, ReminderSaved(reminder_id), to=Users([owner.id]))
    return reminder_id


def cancel(tx: Tx, owner: User, reminder_id: int) -> None:
    reminder = Reminder.find(tx, id=reminder_id)
    if reminder is None or reminder.owner_id != owner.id:
        raise ReminderNotFound()
    _remove(tx, reminder)


def delete_about(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete reminders of messages that are about to be deleted, because they quote them."""
    for reminder in Reminder.where(tx, "id", message_id=list(message_ids)):
        _remove(tx, reminder)


def deliver(tx: Tx, seen: Reminder, draft: Draft) -> bool:
    """Send the reminder if it still exists. Raises if its owner cannot receive it."""
    if Reminder.find(tx, id=seen.id) != seen or not seen.is_due(tx.now):
        return False
    if storage.organization.realms.current(tx).deactivated:
        raise OrganizationDeactivated()
    owner = storage.people.users.find(tx, seen.owner_id)
    if owner is None or not owner.is_active:
        raise AccountDeactivated()
    actions.messages.notices.send_to_user(tx, owner.id, NoticeText(draft.content, draft.rendered))
    _remove(tx, seen)
    return True


def fail(tx: Tx, seen: Reminder) -> bool:
    """Mark the reminder as failed; its owner sees it in the list."""
    if Reminder.find(tx, id=seen.id) != seen:
        return False
    Reminder.update(tx, seen.id, failed=True)
    events.log.announce(tx, ReminderRemoved(seen.id), to=Users([seen.owner_id]))
    events.log.announce(tx, ReminderSaved(seen.id), to=Users([seen.owner_id]))
    return True


def _remove(tx: Tx, reminder: Reminder) -> None:
    Reminder.delete(tx, id=reminder.id)
    events.log.announce(tx, ReminderRemoved(reminder.id), to=Users([reminder.owner_id]))


# --- endpoints ---


class Reminders(Reply):
    reminders: Annotated[list[ReminderObject], Doc("The reminders, next one first.")]


class CreatedReminder(Reply):
    reminder_id: ReminderId


async def list_own(call: Call) -> Reminders:
    """List the caller's reminders, by time."""
    found = await call.db.read(of_user, call.user.id)
    return Reminders([reminder_object(call.org, each) for each in found])


async def create(
    call: Call,
    *,
    message_id: MessageId,
    scheduled_delivery_timestamp: DeliveryTime,
    note: Annotated[str | None, Doc("A note for the reminder.")] = None,
) -> CreatedReminder:
    """Create a reminder for a message."""
    note = checked_note(note or "")
    words = await call.db.read(text_for, call.user, message_id, note, call.site)
    draft = await actions.messages.draft.compose(call.author, words, CLIENT, False)
    at = scheduled_delivery_timestamp
    reminder_id = await call.db.write(add, call.user, message_id, note, call.site, draft, at)
    return CreatedReminder(reminder_id)


async def remove(call: Call, reminder_id: ReminderId) -> None:
    """Delete a reminder."""
    await call.db.write(cancel, call.user, reminder_id)


# --- delivery ---


async def _compose(db: OrgDatabase, org: Organization, reminder: Reminder) -> Draft:
    words = await db.read(current_text, reminder)
    author = Author(db, org, org.users[reminder.owner_id], reminder.site)
    return await actions.messages.draft.compose(author, words, CLIENT, False)


async def _deliver(
    db: OrgDatabase, _: Organization, reminder: Reminder, draft: Draft, began: float
) -> bool:
    return await db.write(deliver, reminder, draft)


async def _give_up(
    db: OrgDatabase, _: Organization, reminder: Reminder, problem: Exception
) -> bool:
    log.warning(
        "scheduled.reminder_given_up", reminder_id=reminder.id, error=type(problem).__name__
    )
    return await db.write(fail, reminder)


REMINDERS = ScheduledKind(
    realms_with_due,
    due,
    _compose,
    _deliver,
    _give_up,
)


FEATURE = Feature(
    register={
        "reminders": ListedPart(
            "reminder",
            of_user,
            rows="owner_id = :user",
            to_wire_in=reminder_object,
            doc="The user's reminders.",
        )
    },
    jobs=lambda services: [delivery_job("reminders", DUE, REMINDERS, services)],
    before_deletion=delete_about,
)
