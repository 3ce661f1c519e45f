"""Reminders: a message that a user wants to see again at a certain time."""

import msgspec

from tertulia import domain
from tertulia.domain.messages.quotations import Quotation
from tertulia.errors import BadRequest


class Reminder(msgspec.Struct, frozen=True):
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


def checked_note(note: str) -> str:
    if len(note) > domain.limits.MAX_REMINDER_NOTE_LENGTH:
        raise BadRequest(
            f"Maximum reminder note length: {domain.limits.MAX_REMINDER_NOTE_LENGTH} characters"
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
