"""Scheduled messages: the record, its destination, its SQL and its events.

The log holds only the id of a scheduled message, so the content of a deleted one is gone.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import domain
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.messages import MalformedRecipients, RecipientsMissing, TopicMissing
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    DeliveryTimestamp,
    HasFailed,
    HtmlText,
    MarkdownText,
    RecipientType,
    TopicName,
)

LATEST_SECONDS = 600  # after a longer downtime a message is not sent

RECIPIENT = Doc("The id of the channel, or the ids of the users.")
ScheduledMessageId = Annotated[int, Doc("The id of the scheduled message.", example=3)]


class ToChannel(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str


class ToPeople(msgspec.Struct, frozen=True):
    """The other participants by id, in order; for a note to oneself only the owner."""

    user_ids: tuple[int, ...]


Destination = ToChannel | ToPeople


class ScheduledMessage(msgspec.Struct, frozen=True):
    id: int
    owner_id: int
    to: Destination
    content: str
    rendered: str
    render_version: int
    mentions: Mentions
    client: str
    read_by_sender: bool | None  # None: depends on the client
    deliver_at: int
    failed: bool = False
    sent_at: float | None = None
    grant_id: int | None = None  # of the agent that scheduled it

    def is_due(self, now: float) -> bool:
        return self.sent_at is None and not self.failed and self.deliver_at <= now

    def is_too_late(self, now: float) -> bool:
        return now - self.deliver_at > LATEST_SECONDS

    def will_be_read(self) -> bool:
        """Whether it counts as read by its sender; a note to oneself does not."""
        if self.read_by_sender is None and self.to == ToPeople((self.owner_id,)):
            return False
        return domain.messages.message.is_read_by_sender(self.read_by_sender, self.client)

    def draft(self) -> Draft:
        """The message as it was rendered when it was scheduled."""
        return Draft(
            content=self.content,
            rendered=self.rendered,
            render_version=self.render_version,
            client=self.client,
            read_by_sender=self.will_be_read(),
            mentions=self.mentions,
        )


class TimeNotInFuture(ClientError):
    message = "Scheduled delivery time must be in the future."
    problem = "time-not-in-future"


def destination(
    owner_id: int, to: int | list[int], topic: str | None, *, in_channel: bool
) -> Destination:
    """Parse a destination from the parameters of a request."""
    if in_channel:
        if isinstance(to, list):
            raise BadRequest("Invalid data type for channel ID")
        if topic is None:
            raise TopicMissing()
        return ToChannel(to, domain.channels.topics.for_sending(topic))
    if isinstance(to, int):
        raise MalformedRecipients()
    if not to:
        raise RecipientsMissing()
    return ToPeople(tuple(sorted(set(to) - {owner_id})) or (owner_id,))


def check_time(deliver_at: int, now: float) -> None:
    if deliver_at <= now:
        raise TimeNotInFuture()


def failure_notice(deliver_at: int, reason: str) -> str:
    """The notice to the owner of a message that could not be sent."""
    moment = datetime.fromtimestamp(deliver_at, UTC).isoformat()
    return (
        f"The message you scheduled for <time:{moment}> was not sent because of the following"
        f" error:\n\n> {reason}\n\n[View scheduled messages](#scheduled)"
    )


_decode_mentions = msgspec.json.Decoder(Mentions).decode


# --- SQL ---


def find(tx: Tx, entry_id: int) -> ScheduledMessage | None:
    row = tx.one(
        "SELECT * FROM scheduled_message WHERE id = :id AND realm_id = :realm", id=entry_id
    )
    return None if row is None else _entry(row)


def of_user(tx: Tx, user_id: int) -> list[ScheduledMessage]:
    """A user's unsent messages by time, failed ones included."""
    rows = tx.all(
        "SELECT * FROM scheduled_message WHERE owner_id = :owner AND sent_at IS NULL"
        " ORDER BY deliver_at, id",
        owner=user_id,
    )
    return [_entry(row) for row in rows]


DUE = "SELECT 1 FROM scheduled_message WHERE sent_at IS NULL AND NOT failed AND deliver_at <= :now"


def realms_with_due(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT r.id FROM realm r WHERE EXISTS (SELECT 1 FROM scheduled_message s"
        " WHERE s.realm_id = r.id AND s.sent_at IS NULL AND NOT s.failed"
        " AND s.deliver_at <= :now) ORDER BY r.id",
        now=tx.now,
    )


def due(tx: Tx, limit: int) -> list[ScheduledMessage]:
    """The first due messages; within the same second in order of creation."""
    rows = tx.all(
        "SELECT * FROM scheduled_message WHERE realm_id = :realm"
        " AND sent_at IS NULL AND NOT failed AND deliver_at <= :now"
        " ORDER BY deliver_at, id LIMIT :limit",
        now=tx.now,
        limit=limit,
    )
    return [_entry(row) for row in rows]


def length_of(tx: Tx, owner_id: int) -> int:
    """The characters of all of them, as text and as HTML."""
    return tx.number(
        "SELECT sum(length(content) + length(rendered)) AS value FROM scheduled_message"
        " WHERE owner_id = :owner AND sent_at IS NULL",
        owner=owner_id,
    )


def insert(
    tx: Tx,
    owner_id: int,
    to: Destination,
    draft: Draft,
    read_by_sender: bool | None,
    deliver_at: int,
    grant_id: int | None = None,
) -> int:
    return tx.insert_with_id(
        "scheduled_message",
        owner_id=owner_id,
        client=draft.client,
        read_by_sender=read_by_sender,
        deliver_at=deliver_at,
        grant_id=grant_id,
        **_columns(to, draft),
    )


def update(tx: Tx, entry_id: int, to: Destination, draft: Draft, deliver_at: int) -> None:
    """Store it again; a failed one waits again, and one of an agent is now its owner's."""
    tx.update(
        "scheduled_message",
        entry_id,
        deliver_at=deliver_at,
        failed=False,
        grant_id=None,
        **_columns(to, draft),
    )


def mark_sent(tx: Tx, entry_id: int) -> None:
    """Keep only the fact that it was sent."""
    tx.update(
        "scheduled_message",
        entry_id,
        sent_at=tx.now,
        topic="",
        user_ids="",
        content="",
        rendered="",
        mentions="{}",
    )


def delete_sent_before(tx: Tx, at: float, limit: int) -> int:
    return tx.execute(
        "DELETE FROM scheduled_message WHERE id IN"
        " (SELECT id FROM scheduled_message WHERE sent_at <= :at LIMIT :limit)",
        at=at,
        limit=limit,
    )


def _columns(to: Destination, draft: Draft) -> dict[str, int | str | None]:
    columns: dict[str, int | str | None] = {"channel_id": None, "topic": "", "user_ids": ""}
    if isinstance(to, ToChannel):
        columns |= {"channel_id": to.channel_id, "topic": to.topic}
    else:
        columns["user_ids"] = ",".join(map(str, to.user_ids))
    return columns | {
        "content": draft.content,
        "rendered": draft.rendered,
        "render_version": draft.render_version,
        "mentions": msgspec.json.encode(draft.mentions).decode(),
    }


def _entry(row: Row) -> ScheduledMessage:
    to: Destination
    if row["channel_id"] is not None:
        to = ToChannel(row["channel_id"], row["topic"])
    else:
        to = ToPeople(tuple(int(part) for part in row["user_ids"].split(",") if part))
    return ScheduledMessage(
        id=row["id"],
        owner_id=row["owner_id"],
        to=to,
        content=row["content"],
        rendered=row["rendered"],
        render_version=row["render_version"],
        mentions=_decode_mentions(row["mentions"]),
        client=row["client"],
        read_by_sender=None if row["read_by_sender"] is None else bool(row["read_by_sender"]),
        deliver_at=row["deliver_at"],
        failed=bool(row["failed"]),
        sent_at=row["sent_at"],
        grant_id=row["grant_id"],
    )


# --- events ---


class ScheduledMessageObject(msgspec.Struct, kw_only=True):
    scheduled_message_id: ScheduledMessageId
    to: Annotated[int | list[int], RECIPIENT]
    type: RecipientType
    content: MarkdownText
    rendered_content: HtmlText
    topic: TopicName | UnsetType = UNSET
    scheduled_delivery_timestamp: DeliveryTimestamp
    failed: HasFailed


def scheduled_message_object(org: Organization, entry: ScheduledMessage) -> ScheduledMessageObject:
    return _shown(org, _object(entry))


def _shown(org: Organization, scheduled: ScheduledMessageObject) -> ScheduledMessageObject:
    return replace(scheduled, rendered_content=org.shown(scheduled.rendered_content))


def _object(entry: ScheduledMessage) -> ScheduledMessageObject:
    to = entry.to
    in_channel = isinstance(to, ToChannel)
    return ScheduledMessageObject(
        scheduled_message_id=entry.id,
        to=to.channel_id if isinstance(to, ToChannel) else list(to.user_ids),
        type="stream" if in_channel else "private",
        content=entry.content,
        rendered_content=entry.rendered,
        topic=to.topic if isinstance(to, ToChannel) else UNSET,
        scheduled_delivery_timestamp=entry.deliver_at,
        failed=entry.failed,
    )


class ScheduledMessagesAdd(WireEvent, tag="scheduled_messages"):
    op: Literal["add"]
    scheduled_messages: Annotated[list[ScheduledMessageObject], Doc("The new scheduled message.")]


class ScheduledMessageUpdate(WireEvent, tag="scheduled_messages"):
    op: Literal["update"]
    scheduled_message: Annotated[ScheduledMessageObject, Doc("The changed scheduled message.")]


class ScheduledMessageSaved(Event, frozen=True, kind="scheduled_message_saved"):
    """A scheduled message is new or changed. Only its owner receives the event."""

    wires = (ScheduledMessagesAdd, ScheduledMessageUpdate)

    op: Literal["add", "update"]
    id: int
    saved: ScheduledMessageObject | None = None

    def completed(self, tx: Tx) -> Event:
        entry = find(tx, self.id)
        if entry is None or entry.sent_at is not None:
            return self
        return ScheduledMessageSaved(self.op, self.id, _object(entry))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if self.saved is None:  # sent or deleted since
            return
        shown = _shown(org, self.saved)
        if self.op == "add":
            yield ScheduledMessagesAdd("add", [shown])
        else:
            yield ScheduledMessageUpdate("update", shown)


class ScheduledMessageRemoved(Event, frozen=True, kind="scheduled_message_removed"):
    """A scheduled message was sent or deleted."""

    id: int

    class Wire(WireEvent, tag="scheduled_messages"):
        op: Literal["remove"]
        scheduled_message_id: ScheduledMessageId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.id)
