"""The outbox of all organizations."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.storage.row_mapper import RowMapper

_ITEMS = RowMapper(OutboxItem)
_COLUMNS = ", ".join(
    f"o.{name}" for name in OutboxItem.__struct_fields__ if name not in ("person", "is_slow")
)


def insert_mail(tx: Tx, kind: str, sealed: bytes) -> int:
    return tx.insert_with_id(
        "outbox", transport="mail", kind=kind, sealed=sealed, created_at=tx.now, due_at=tx.now
    )


def insert_webhook_calls(tx: Tx, bot_ids: Sequence[int], message_id: int, kind: str) -> None:
    tx.insert_rows(
        "outbox",
        ({"lane": bot_id, "user_id": bot_id} for bot_id in bot_ids),
        transport="webhook",
        kind=kind,
        message_id=message_id,
        created_at=tx.now,
        due_at=tx.now,
    )


def insert_pushes(
    tx: Tx, message_id: int, kinds: dict[int, str], delay_seconds: float = 0.0
) -> None:
    """Unless the user's notification of this message is there, or was sent."""
    tx.execute_many(
        "INSERT INTO outbox"
        " (realm_id, transport, kind, lane, user_id, message_id, created_at, due_at)"
        " SELECT :realm, 'push', :kind, :user, :user, :message, :now, :due WHERE NOT EXISTS"
        " (SELECT 1 FROM push_notice WHERE user_id = :user AND message_id = :message)"
        " ON CONFLICT (user_id, message_id) WHERE transport = 'push' DO NOTHING",
        [
            {
                "realm": tx.realm_id,
                "kind": kind,
                "user": user_id,
                "message": message_id,
                "now": tx.now,
                "due": tx.now + delay_seconds,
            }
            for user_id, kind in sorted(kinds.items())
        ],
    )


def insert(tx: Tx, transport: Transport, user_id: int, **subject: int) -> None:
    """A delivery about one thing, for example `message_id=7`, which is its lane."""
    (lane,) = subject.values()
    tx.insert_row(
        "outbox",
        transport=transport,
        kind="",
        lane=lane,
        user_id=user_id,
        created_at=tx.now,
        due_at=tx.now,
        **subject,
    )


def insert_registration(tx: Tx, user_id: int, device_id: int) -> None:
    """Replaces an earlier one of the device."""
    delete_of_device(tx, device_id)
    insert(tx, "device", user_id, device_id=device_id)


def due(
    tx: Tx, transport: Transport, limit: int, max_per_person: int, lane: int | None = None
) -> list[OutboxItem]:
    """The first due item of each lane, or of one lane, in all organizations, people in turn.

    Of one person at most `max_per_person` are returned. Bots whose last call timed out come behind
    all others. Mails are of no person: organizations and kinds take turns, so that a thousand
    notifications delay neither a password reset nor the mail of another organization.
    """
    return _ITEMS.all(
        tx,
        "FROM (SELECT items.*, row_number() OVER (PARTITION BY person, CASE WHEN user_id IS NULL"
        " THEN realm_id END, CASE WHEN user_id IS NULL THEN kind END"
        " ORDER BY is_slow, due_at, id) AS turn"
        f" FROM (SELECT {_COLUMNS}, COALESCE(a.bot_owner_id, a.id, 0) AS person,"
        " COALESCE(b.service_timed_out, FALSE) AS is_slow FROM outbox o"
        " LEFT JOIN account a ON a.id = o.user_id LEFT JOIN bot b ON b.user_id = a.id"
        " WHERE o.id IN (SELECT min(id) FROM outbox WHERE transport = :transport"
        f" AND due_at <= :now{'' if lane is None else ' AND lane = :lane'}"
        " GROUP BY COALESCE(lane, -id))) items) ranked"
        " WHERE turn <= :max_per_person ORDER BY is_slow, turn, due_at, id LIMIT :limit",
        transport=transport,
        lane=lane,
        now=tx.now,
        max_per_person=max_per_person,
        limit=limit,
    )


def claim(tx: Tx, item: OutboxItem, until: float) -> bool:
    """Claim an item for a while. Returns False if it changed meanwhile."""
    claimed = tx.execute(
        "UPDATE outbox SET due_at = :until"
        " WHERE id = :id AND realm_id = :realm AND due_at = :due AND tries = :tries",
        realm=item.realm_id,
        until=until,
        id=item.id,
        due=item.due_at,
        tries=item.tries,
    )
    return claimed == 1


def exists(tx: Tx, item: OutboxItem) -> bool:
    return tx.has_row("outbox", id=item.id)


def reschedule(tx: Tx, item: OutboxItem, until: float, tries: int, notified: str = "") -> None:
    tx.execute(
        "UPDATE outbox SET due_at = :until, tries = :tries, notified = :notified WHERE id = :id",
        until=until,
        tries=tries,
        notified=notified,
        id=item.id,
    )


def delete(tx: Tx, item: OutboxItem) -> None:
    tx.execute("DELETE FROM outbox WHERE id = :id", id=item.id)


def delete_of_device(tx: Tx, device_id: int) -> None:
    tx.delete("outbox", device_id=device_id)


def count(tx: Tx, transport: Transport) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM outbox WHERE transport = :transport", transport=transport
    )
