"""Messages to be sent later."""

import msgspec

from tertulia.domain.later.scheduled import Destination, ScheduledMessage, ToChannel, ToPeople
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.storage.database.tx import Row, Tx

_decode_mentions = msgspec.json.Decoder(Mentions).decode


def find(tx: Tx, entry_id: int) -> ScheduledMessage | None:
    row = tx.one(
        "SELECT * FROM scheduled_message WHERE id = :id AND realm_id = :realm", id=entry_id
    )
    return None if row is None else _entry(row)


def of_user(tx: Tx, user_id: int) -> list[ScheduledMessage]:
    """What somebody still has to send, failed ones included, by time."""
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


def due(tx: Tx, most: int) -> list[ScheduledMessage]:
    """The first of those that are due; of the same second, in the order they were made."""
    rows = tx.all(
        "SELECT * FROM scheduled_message WHERE realm_id = :realm"
        " AND sent_at IS NULL AND NOT failed AND deliver_at <= :now"
        " ORDER BY deliver_at, id LIMIT :most",
        now=tx.now,
        most=most,
    )
    return [_entry(row) for row in rows]


def count_of(tx: Tx, owner_id: int) -> int:
    """How many messages, sent ones that are still remembered included."""
    return int(
        tx.value(
            "SELECT count(*) AS value FROM scheduled_message WHERE owner_id = :owner",
            owner=owner_id,
        )
    )


def insert(
    tx: Tx,
    owner_id: int,
    to: Destination,
    draft: Draft,
    read_by_sender: bool | None,
    deliver_at: int,
) -> int:
    return tx.insert(
        "INSERT INTO scheduled_message (realm_id, owner_id, channel_id, topic, user_ids, content,"
        " rendered, render_version, mentions, client, read_by_sender, deliver_at)"
        " VALUES (:realm, :owner, :channel, :topic, :users, :content, :rendered, :version,"
        " :mentions, :client, :read, :deliver_at) RETURNING id",
        owner=owner_id,
        content=draft.content,
        rendered=draft.rendered,
        version=draft.render_version,
        mentions=msgspec.json.encode(draft.mentions).decode(),
        client=draft.client,
        read=read_by_sender,
        deliver_at=deliver_at,
        **_place(to),
    )


def update(tx: Tx, entry_id: int, to: Destination, draft: Draft, deliver_at: int) -> None:
    """Store it anew, waiting again if it had failed."""
    tx.execute(
        "UPDATE scheduled_message SET channel_id = :channel, topic = :topic, user_ids = :users,"
        " content = :content, rendered = :rendered, render_version = :version,"
        " mentions = :mentions, deliver_at = :deliver_at, failed = FALSE"
        " WHERE id = :id AND realm_id = :realm",
        id=entry_id,
        content=draft.content,
        rendered=draft.rendered,
        version=draft.render_version,
        mentions=msgspec.json.encode(draft.mentions).decode(),
        deliver_at=deliver_at,
        **_place(to),
    )


def mark_failed(tx: Tx, entry_id: int) -> None:
    tx.change("scheduled_message", entry_id, failed=True)


def mark_sent(tx: Tx, entry_id: int) -> None:
    """Remember that it was sent, and nothing else of it."""
    tx.change(
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
    tx.execute("DELETE FROM scheduled_message WHERE id = :id AND realm_id = :realm", id=entry_id)


def forget_sent_before(tx: Tx, at: float, most: int) -> int:
    return tx.execute(
        "DELETE FROM scheduled_message WHERE id IN"
        " (SELECT id FROM scheduled_message WHERE sent_at <= :at LIMIT :most)",
        at=at,
        most=most,
    )


def _place(to: Destination) -> dict[str, int | str | None]:
    if isinstance(to, ToChannel):
        return {"channel": to.channel_id, "topic": to.topic, "users": ""}
    return {"channel": None, "topic": "", "users": ",".join(map(str, to.user_ids))}


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
    )
