"""Scheduled messages: written now, sent later."""

from typing import Annotated

from tertulia import actions, domain, events, storage
from tertulia.actions.later.scheduled import ScheduledChange
from tertulia.api.call import Call
from tertulia.domain.later.scheduled import LAST_MOMENT
from tertulia.events.types.later.scheduled import ScheduledMessageObject
from tertulia.http.parameter_rules import Alias, AtMost, Id, MaxItems, Name, OneOf
from tertulia.http.replies import Reply

IN_CHANNEL = {"channel": True, "stream": True, "direct": False, "private": False}

Kind = Annotated[str, OneOf(list(IN_CHANNEL)), Name("type")]
To = Id | Annotated[list[Id], MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE)]
RegisterSnapshot = Annotated[int, AtMost(LAST_MOMENT)]


class ScheduledMessages(Reply):
    scheduled_messages: list[ScheduledMessageObject]


class CreatedScheduledMessage(Reply):
    scheduled_message_id: int


async def list_own(call: Call) -> ScheduledMessages:
    """List the caller's scheduled messages, by time."""
    entries = await call.db.read(storage.later.scheduled.of_user, call.user.id)
    return ScheduledMessages(
        [
            events.types.later.scheduled.scheduled_message_object(call.org, entry)
            for entry in entries
        ]
    )


async def create(
    call: Call,
    *,
    kind: Kind,
    to: To,
    content: str,
    topic: Annotated[str | None, Alias("subject")] = None,
    scheduled_delivery_timestamp: RegisterSnapshot,
    read_by_sender: bool | None = None,
) -> CreatedScheduledMessage:
    """Schedule a message, with the same permission checks as for sending."""
    destination = domain.later.scheduled.destination(
        call.user.id, to, topic, in_channel=IN_CHANNEL[kind]
    )
    draft = await actions.messages.draft.compose(call.author, content, call.client, read_by_sender)
    entry_id = await call.db.write(
        actions.later.scheduled.create,
        call.user,
        destination,
        draft,
        read_by_sender,
        scheduled_delivery_timestamp,
        call.org.email_domain,
    )
    return CreatedScheduledMessage(entry_id)


async def edit(
    call: Call,
    scheduled_message_id: int,
    *,
    kind: Kind | None = None,
    to: To | None = None,
    content: str | None = None,
    topic: Annotated[str | None, Alias("subject")] = None,
    scheduled_delivery_timestamp: RegisterSnapshot | None = None,
) -> None:
    """Change a scheduled message; a failed one needs a new time."""
    draft = (
        None
        if content is None
        else await actions.messages.draft.compose(call.author, content, call.client, None)
    )
    change = ScheduledChange(
        in_channel=None if kind is None else IN_CHANNEL[kind],
        to=to,
        topic=topic,
        draft=draft,
        deliver_at=scheduled_delivery_timestamp,
    )
    domain = call.org.email_domain
    await call.db.write(
        actions.later.scheduled.edit, call.user, scheduled_message_id, change, domain
    )


async def delete(call: Call, scheduled_message_id: int) -> None:
    """Delete a scheduled message."""
    await call.db.write(actions.later.scheduled.delete, call.user, scheduled_message_id)
