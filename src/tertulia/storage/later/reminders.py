"""Reminders."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.later.reminders import Reminder
from tertulia.storage.row_mapper import Record

_REMINDERS = Record(Reminder, "reminder")


def find(tx: Tx, reminder_id: int) -> Reminder | None:
    return _REMINDERS.find(tx, id=reminder_id)


def of_user(tx: Tx, user_id: int) -> list[Reminder]:
    return _REMINDERS.all(
        tx, "FROM reminder WHERE owner_id = :owner ORDER BY deliver_at, id", owner=user_id
    )


def of_messages(tx: Tx, message_ids: Sequence[int]) -> list[Reminder]:
    return _REMINDERS.where(tx, "id", message_id=list(message_ids))


def realms_with_due(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT r.id FROM realm r WHERE EXISTS (SELECT 1 FROM reminder m"
        " WHERE m.realm_id = r.id AND NOT m.failed AND m.deliver_at <= :now) ORDER BY r.id",
        now=tx.now,
    )


def due(tx: Tx, limit: int) -> list[Reminder]:
    return _REMINDERS.all(
        tx,
        "FROM reminder WHERE realm_id = :realm AND NOT failed AND deliver_at <= :now"
        " ORDER BY deliver_at, id LIMIT :limit",
        now=tx.now,
        limit=limit,
    )


def count_of(tx: Tx, owner_id: int) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM reminder WHERE owner_id = :owner", owner=owner_id
    )


def length_of(tx: Tx, owner_id: int) -> int:
    """The characters of all of them, as text and as HTML."""
    return tx.number(
        "SELECT sum(length(content) + length(rendered)) AS value FROM reminder"
        " WHERE owner_id = :owner",
        owner=owner_id,
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
    return tx.insert_with_id(
        "reminder",
        owner_id=owner_id,
        message_id=message_id,
        note=note,
        site=site,
        content=content,
        rendered=rendered,
        deliver_at=deliver_at,
    )


def mark_failed(tx: Tx, reminder_id: int) -> None:
    tx.update("reminder", reminder_id, failed=True)


def delete(tx: Tx, reminder_id: int) -> None:
    tx.delete("reminder", id=reminder_id)
