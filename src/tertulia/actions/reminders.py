"""Reminders: asking for one, and sending it when its time has come, however late that is."""

from collections.abc import Sequence

from tertulia.actions import notices
from tertulia.actions.messages import access
from tertulia.domain import limits
from tertulia.domain.messages import Draft
from tertulia.domain.notices import Words
from tertulia.domain.reminders import Reminder, reminder_text
from tertulia.domain.scheduled import check_time
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AccountDeactivated, OrganizationDeactivated
from tertulia.errors.later import ReminderNotFound
from tertulia.errors.messages import InvalidMessage
from tertulia.events.audience import Users
from tertulia.events.log import announce
from tertulia.events.types.reminders import ReminderRemoved, ReminderSaved
from tertulia.storage import realms, reminders, users
from tertulia.storage.tx import Tx


def words_for(tx: Tx, owner: User, message_id: int, note: str, site: str) -> str:
    """What a reminder of this message says; raises if the owner may not see the message."""
    return reminder_text(access.quotation(tx, owner, message_id), note, site)


def words_now(tx: Tx, reminder: Reminder) -> str:
    """What a reminder says today: the message as it is now, if its owner may still see it."""
    owner = users.find(tx, reminder.owner_id)
    assert owner is not None
    try:
        quotation = access.quotation(tx, owner, reminder.message_id)
    except InvalidMessage:
        quotation = None
    return reminder_text(quotation, reminder.note, reminder.site)


def create(
    tx: Tx,
    owner: User,
    message_id: int,
    note: str,
    site: str,
    draft: Draft,
    deliver_at: int,
) -> int:
    check_time(deliver_at, tx.now)
    message = access.visible_to(tx, owner, message_id)
    if reminders.count_of(tx, owner.id) >= limits.REMINDERS:
        raise BadRequest(f"Too many reminders (limit: {limits.REMINDERS})")
    reminder_id = reminders.insert(
        tx,
        owner.id,
        message.id,
        note=note,
        site=site,
        content=draft.content,
        rendered=draft.rendered,
        deliver_at=deliver_at,
    )
    announce(tx, ReminderSaved(reminder_id), to=Users([owner.id]))
    return reminder_id


def delete(tx: Tx, owner: User, reminder_id: int) -> None:
    reminder = reminders.find(tx, reminder_id)
    if reminder is None or reminder.owner_id != owner.id:
        raise ReminderNotFound()
    _remove(tx, reminder)


def forget_about(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete all reminders of messages that are about to be deleted: they quote them."""
    for reminder in reminders.of_messages(tx, message_ids):
        _remove(tx, reminder)


def deliver(tx: Tx, seen: Reminder, draft: Draft) -> bool:
    """Send it, if it is still there; raises if there is nobody to send it to."""
    if reminders.find(tx, seen.id) != seen or not seen.is_due(tx.now):
        return False
    if realms.current(tx).deactivated:
        raise OrganizationDeactivated()
    owner = users.find(tx, seen.owner_id)
    if owner is None or not owner.is_active:
        raise AccountDeactivated()
    notices.tell(tx, owner.id, Words(draft.content, draft.rendered))
    _remove(tx, seen)
    return True


def fail(tx: Tx, seen: Reminder) -> bool:
    """Give up on it; its owner finds it in the list."""
    if reminders.find(tx, seen.id) != seen:
        return False
    reminders.mark_failed(tx, seen.id)
    announce(tx, ReminderRemoved(seen.id), to=Users([seen.owner_id]))
    announce(tx, ReminderSaved(seen.id), to=Users([seen.owner_id]))
    return True


def _remove(tx: Tx, reminder: Reminder) -> None:
    reminders.delete(tx, reminder.id)
    announce(tx, ReminderRemoved(reminder.id), to=Users([reminder.owner_id]))
