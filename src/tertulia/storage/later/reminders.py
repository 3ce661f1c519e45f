"""Reminders."""

from collections.abc import Sequence

from tertulia.domain.later.reminders import Reminder
from tertulia.storage.database.tx import Row, Tx


def find(tx: Tx, reminder_id: int) -> Reminder | None:
    row = tx.one("SELECT * FROM reminder WHERE id = :id AND realm_id = :realm", id=reminder_id)
    return None if row is None else _reminder(row)


def of_user(tx: Tx, user_id: int) -> list[Reminder]:
    rows = tx.all(
        "SELECT * FROM reminder WHERE owner_id = :owner ORDER BY deliver_at, id", owner=user_id
    )
    return [_reminder(row) for row in rows]


def of_messages(tx: Tx, message_ids: Sequence[int]) -> list[Reminder]:
    rows = tx.all(
        "SELECT * FROM reminder WHERE realm_id = :realm AND message_id IN :messages ORDER BY id",
        messages=list(message_ids),
    )
    return [_reminder(row) for row in rows]


def realms_with_due(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT r.id FROM realm r WHERE EXISTS (SELECT 1 FROM reminder m"
        " WHERE m.realm_id = r.id AND NOT m.failed AND m.deliver_at <= :now) ORDER BY r.id",
        now=tx.now,
    )


def due(tx: Tx, most: int) -> list[Reminder]:
    rows = tx.all(
        "SELECT * FROM reminder WHERE realm_id = :realm AND NOT failed AND deliver_at <= :now"
        " ORDER BY deliver_at, id LIMIT :most",
        now=tx.now,
        most=most,
    )
    return [_reminder(row) for row in rows]


def count_of(tx: Tx, owner_id: int) -> int:
    """How many reminders."""
    return int(
        tx.value("SELECT count(*) AS value FROM reminder WHERE owner_id = :owner", owner=owner_id)
    )


def insert(
    tx: Tx,
    owner_id: int,
    message_id: int,
    *,
    note: str,
    site: str,
    content: str,
    rendered: str,
    deliver_at: int,
) -> int:
    return tx.insert(
        "INSERT INTO reminder (realm_id, owner_id, message_id, note, site, content, rendered,"
        " deliver_at) VALUES (:realm, :owner, :message, :note, :site, :content, :rendered,"
        " :deliver_at) RETURNING id",
        owner=owner_id,
        message=message_id,
        note=note,
        site=site,
        content=content,
        rendered=rendered,
        deliver_at=deliver_at,
    )


def mark_failed(tx: Tx, reminder_id: int) -> None:
    tx.execute(
        "UPDATE reminder SET failed = TRUE WHERE id = :id AND realm_id = :realm", id=reminder_id
    )


def delete(tx: Tx, reminder_id: int) -> None:
    tx.execute("DELETE FROM reminder WHERE id = :id AND realm_id = :realm", id=reminder_id)


def _reminder(row: Row) -> Reminder:
    return Reminder(
        id=row["id"],
        owner_id=row["owner_id"],
        message_id=row["message_id"],
        note=row["note"],
        site=row["site"],
        content=row["content"],
        rendered=row["rendered"],
        deliver_at=row["deliver_at"],
        failed=bool(row["failed"]),
    )
