"""Reminders: created by users, and sent when they are due, however late."""

from collections.abc import Sequence

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.later.reminders import Reminder
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AccountDeactivated, OrganizationDeactivated
from tertulia.errors.later import ReminderNotFound
from tertulia.errors.messages import InvalidMessage
from tertulia.events.audience import Users
from tertulia.events.types.later.reminders import ReminderRemoved, ReminderSaved


def text_for(tx: Tx, owner: User, message_id: int, note: str, site: str) -> str:
    """The text of a reminder of this message. Raises if the owner may not see the message."""
    return domain.later.reminders.reminder_text(
        actions.messages.quotation(tx, owner, message_id), note, site
    )


def current_text(tx: Tx, reminder: Reminder) -> str:
    """The current text of a reminder: with the message as it is now, if its owner may still see
    it."""
    owner = storage.people.find(tx, reminder.owner_id)
    assert owner is not None
    try:
        quotation = actions.messages.quotation(tx, owner, reminder.message_id)
    except InvalidMessage:
        quotation = None
    return domain.later.reminders.reminder_text(quotation, reminder.note, reminder.site)


def create(
    tx: Tx,
    owner: User,
    message_id: int,
    note: str,
    site: str,
    draft: Draft,
    deliver_at: int,
) -> int:
    domain.later.scheduled.check_time(deliver_at, tx.now)
    message = actions.messages.visible_to(tx, owner, message_id)
    count = storage.later.reminders.count_of(tx, owner.id)
    if count >= domain.limits.MAX_REMINDERS:
        raise BadRequest(f"Too many reminders (limit: {domain.limits.MAX_REMINDERS})")
    if count >= domain.limits.LATER_UNCOUNTED and (
        storage.later.reminders.length_of(tx, owner.id) + draft.length
        > domain.limits.MAX_LATER_LENGTH
    ):
        raise BadRequest(
            "Your reminders together are too long"
            f" (limit: {domain.limits.MAX_LATER_LENGTH} characters, with their HTML)"
        )
    reminder_id = storage.later.reminders.insert(
        tx,
        owner.id,
        message.id,
        note=note,
        site=site,
        content=draft.content,
        rendered=draft.rendered,
        deliver_at=deliver_at,
    )
    events.log.announce(tx, ReminderSaved(reminder_id), to=Users([owner.id]))
    return reminder_id


def delete(tx: Tx, owner: User, reminder_id: int) -> None:
    reminder = storage.later.reminders.find(tx, reminder_id)
    if reminder is None or reminder.owner_id != owner.id:
        raise ReminderNotFound()
    _remove(tx, reminder)


def delete_about(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete reminders of messages that are about to be deleted, because they quote them."""
    for reminder in storage.later.reminders.of_messages(tx, message_ids):
        _remove(tx, reminder)


def deliver(tx: Tx, seen: Reminder, draft: Draft) -> bool:
    """Send the reminder if it still exists. Raises if its owner cannot receive it."""
    if storage.later.reminders.find(tx, seen.id) != seen or not seen.is_due(tx.now):
        return False
    if storage.organization.current(tx).deactivated:
        raise OrganizationDeactivated()
    owner = storage.people.find(tx, seen.owner_id)
    if owner is None or not owner.is_active:
        raise AccountDeactivated()
    actions.messages.notices.send_to_user(tx, owner.id, NoticeText(draft.content, draft.rendered))
    _remove(tx, seen)
    return True


def fail(tx: Tx, seen: Reminder) -> bool:
    """Mark the reminder as failed; its owner sees it in the list."""
    if storage.later.reminders.find(tx, seen.id) != seen:
        return False
    storage.later.reminders.mark_failed(tx, seen.id)
    events.log.announce(tx, ReminderRemoved(seen.id), to=Users([seen.owner_id]))
    events.log.announce(tx, ReminderSaved(seen.id), to=Users([seen.owner_id]))
    return True


def _remove(tx: Tx, reminder: Reminder) -> None:
    storage.later.reminders.delete(tx, reminder.id)
    events.log.announce(tx, ReminderRemoved(reminder.id), to=Users([reminder.owner_id]))
