"""Scheduled messages."""

import msgspec

from tertulia.database.tx import Row, Tx
from tertulia.domain.later.scheduled import Destination, ScheduledMessage, ToChannel, ToPeople
from tertulia.domain.messages.message import Draft, Mentions

_decode_mentions = msgspec.json.Decoder(Mentions).decode


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


def count_of(tx: Tx, owner_id: int) -> int:
    """All scheduled messages, recently sent ones included."""
    return tx.number(
        "SELECT count(*) AS value FROM scheduled_message WHERE owner_id = :owner",
        owner=owner_id,
    )


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


def mark_failed(tx: Tx, entry_id: int) -> None:
    tx.update("scheduled_message", entry_id, failed=True)


def fail_of_grant(tx: Tx, grant_id: int) -> list[int]:
    """Mark what an agent has scheduled as failed. Returns the ids."""
    waiting = tx.column(
        "SELECT id FROM scheduled_message WHERE grant_id = :grant AND realm_id = :realm"
        " AND sent_at IS NULL AND NOT failed ORDER BY id",
        grant=grant_id,
    )
    for entry_id in waiting:
        mark_failed(tx, entry_id)
    return waiting


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


def delete(tx: Tx, entry_id: int) -> None:
    tx.delete("scheduled_message", id=entry_id)


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
