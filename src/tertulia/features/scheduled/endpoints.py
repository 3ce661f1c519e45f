"""Scheduled messages: the endpoints of their owner, and what the server sends when it is due."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from tertulia import actions, domain
from tertulia.actions.messages.draft import Author
from tertulia.actions.messages.notices import CLIENT
from tertulia.api.call import Call, Services
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.errors import ClientError
from tertulia.errors.http import InternalError
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.features.feature import Export, Feature
from tertulia.features.scheduled import entry, transactions
from tertulia.features.scheduled.entry import (
    RECIPIENT,
    ScheduledMessage,
    ScheduledMessageId,
    ScheduledMessageObject,
)
from tertulia.features.scheduled.sender import ScheduledKind, delivery_job
from tertulia.features.scheduled.transactions import ScheduledChange
from tertulia.http.parameter_rules import Alias, AtMost, Example, Id, MaxItems, Name, OneOf
from tertulia.http.replies import Reply
from tertulia.jobs.housekeeping import with_pause
from tertulia.jobs.runner import Job, leader_job
from tertulia.wire import Doc
from tertulia.wire_fields import DeliveryTimestamp, MarkdownText, ReadBySender, TopicName

IN_CHANNEL = {"channel": True, "stream": True, "direct": False, "private": False}
Kind = Annotated[
    str,
    OneOf(list(IN_CHANNEL)),
    Name("type"),
    Doc("The type of recipient: `channel` (`stream`) or `direct` (`private`).", example="channel"),
]
To = Annotated[
    Id | Annotated[list[Id], MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE)], RECIPIENT
]
Topic = Annotated[TopicName | None, Alias("subject")]
DeliveryTime = Annotated[DeliveryTimestamp, AtMost(domain.limits.MAX_TIME)]


class ScheduledMessages(Reply):
    scheduled_messages: Annotated[
        list[ScheduledMessageObject], Doc("The scheduled messages, next one first.")
    ]


class CreatedScheduledMessage(Reply):
    scheduled_message_id: ScheduledMessageId


async def list_own(call: Call) -> ScheduledMessages:
    """List the caller's scheduled messages, by time."""
    entries = await call.db.read(entry.of_user, call.user.id)
    to_wire = entry.scheduled_message_object
    return ScheduledMessages([to_wire(call.org, each) for each in entries])


async def create(
    call: Call,
    *,
    kind: Kind,
    to: Annotated[To, Example(7)],
    content: MarkdownText,
    topic: Annotated[Topic, Example("lunch")] = None,
    scheduled_delivery_timestamp: DeliveryTime,
    read_by_sender: ReadBySender | None = None,
) -> CreatedScheduledMessage:
    """Schedule a message, with the same permission checks as for sending."""
    destination = entry.destination(call.user.id, to, topic, in_channel=IN_CHANNEL[kind])
    draft = await actions.messages.draft.compose(call.author, content, call.client, read_by_sender)
    entry_id = await call.db.write(
        transactions.create,
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
    scheduled_message_id: ScheduledMessageId,
    *,
    kind: Kind | None = None,
    to: To | None = None,
    content: Annotated[MarkdownText | None, Example("Soup will be on!")] = None,
    topic: Topic = None,
    scheduled_delivery_timestamp: DeliveryTime | None = None,
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
    await call.db.write(transactions.edit, call.user, scheduled_message_id, change, domain)


async def delete(call: Call, scheduled_message_id: ScheduledMessageId) -> None:
    """Delete a scheduled message."""
    await call.db.write(transactions.delete, call.user, scheduled_message_id)


# --- delivery ---


async def _compose(db: OrgDatabase, org: Organization, seen: ScheduledMessage) -> Draft:
    author = Author(db, org, org.users[seen.owner_id])
    return await actions.messages.draft.compose(
        author, seen.content, seen.client, seen.will_be_read()
    )


async def _deliver(
    db: OrgDatabase, org: Organization, seen: ScheduledMessage, draft: Draft, began: float
) -> bool:
    return await db.write(transactions.deliver, seen, draft, org.email_domain, began)


async def _give_up(
    db: OrgDatabase, org: Organization, seen: ScheduledMessage, problem: Exception
) -> bool:
    reason = problem.msg if isinstance(problem, ClientError) else InternalError.message
    author = Author(db, org, org.users[seen.owner_id])
    notice = await actions.messages.draft.compose(
        author, entry.failure_notice(seen.deliver_at, reason), CLIENT, False
    )
    return await db.write(transactions.fail, seen, notice)


SCHEDULED = ScheduledKind(
    entry.realms_with_due,
    entry.due,
    _compose,
    _deliver,
    _give_up,
)


async def delete_old_sent(database: Database) -> None:
    while await with_pause(database.of(0).write(transactions.delete_old_sent)):
        pass


def _jobs(services: Services) -> Iterator[Job]:
    yield delivery_job("scheduled messages", entry.DUE, SCHEDULED, services)
    yield leader_job("sent messages", 600, partial(delete_old_sent, services.database))


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("scheduled_message", "owner_id"):
        if row["sent_at"] is None:
            people = [int(each) for each in row["user_ids"].split(",") if each]
            to = export.recipient(row["channel_id"], people and [*people, row["owner_id"]])
            yield {
                "id": row["id"],
                "realm": row["realm_id"],
                "sender": row["owner_id"],
                "recipient": to,
                "subject": row["topic"],
                "content": row["content"],
                "scheduled_timestamp": row["deliver_at"],
                "delivered": False,
                "failed": bool(row["failed"]),
                "delivery_type": 1,
            }


FEATURE = Feature(
    register={
        "scheduled_messages": ListedPart(
            "scheduled_message",
            entry.of_user,
            rows="owner_id = :user AND sent_at IS NULL",
            to_wire_in=entry.scheduled_message_object,
            doc="The user's scheduled messages.",
        )
    },
    jobs=_jobs,
    before_end_of_grant=transactions.fail_of_grant,
    exports={"zerver_scheduledmessage": _exported},
)
