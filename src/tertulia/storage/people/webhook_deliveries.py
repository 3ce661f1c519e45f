"""Queued calls of outgoing webhooks."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.people.webhook_deliveries import Reason, WebhookCall
from tertulia.storage.row_mapper import Record

_CALLS = Record(WebhookCall)


def insert(tx: Tx, bot_ids: Sequence[int], message_id: int, reason: Reason) -> None:
    tx.upsert_many(
        "webhook_call",
        ({"bot_id": bot_id} for bot_id in bot_ids),
        message_id=message_id,
        reason=reason,
        due_at=tx.now,
    )


def first_of_each_bot(tx: Tx, most: int, most_per_person: int) -> list[WebhookCall]:
    """The oldest due call of each bot, in all organizations, people in turn.

    Of one person's bots at most `most_per_person` are returned. Bots whose last call timed out come
    behind all others.
    """
    return _CALLS.all(
        tx,
        "FROM (SELECT c.id, c.realm_id, c.bot_id, c.message_id, c.reason, c.due_at, c.tries,"
        " p.person, p.is_slow, row_number() OVER"
        " (PARTITION BY p.person ORDER BY p.is_slow, c.due_at, c.id) AS turn"
        " FROM (SELECT bot_id, min(id) AS id FROM webhook_call WHERE due_at <= :now"
        " GROUP BY bot_id) f JOIN webhook_call c ON c.id = f.id"
        " JOIN (SELECT a.id, COALESCE(a.bot_owner_id, a.id) AS person,"
        " COALESCE(b.service_timed_out, FALSE) AS is_slow"
        " FROM account a LEFT JOIN bot b ON b.user_id = a.id) p ON p.id = f.bot_id) ranked"
        " WHERE turn <= :most_per_person ORDER BY is_slow, turn, due_at, id LIMIT :most",
        now=tx.now,
        most_per_person=most_per_person,
        most=most,
    )


def take(tx: Tx, call: WebhookCall, until: float) -> bool:
    """Claim a call for a while. Returns False if it changed meanwhile."""
    taken = tx.execute(
        "UPDATE webhook_call SET due_at = :until"
        " WHERE id = :id AND realm_id = :realm AND due_at = :due AND tries = :tries",
        until=until,
        id=call.id,
        due=call.due_at,
        tries=call.tries,
    )
    return taken == 1


def exists(tx: Tx, call_id: int) -> bool:
    return tx.has("webhook_call", id=call_id)


def put_off(tx: Tx, call_id: int, until: float) -> None:
    tx.execute(
        "UPDATE webhook_call SET due_at = :until, tries = tries + 1"
        " WHERE id = :id AND realm_id = :realm",
        until=until,
        id=call_id,
    )


def delete(tx: Tx, call_id: int) -> None:
    tx.remove("webhook_call", id=call_id)


def note_timeout(tx: Tx, bot_id: int, timed_out: bool) -> None:
    """Record whether the last call of a bot timed out."""
    tx.execute(
        "UPDATE bot SET service_timed_out = :timed_out WHERE user_id = :bot AND realm_id = :realm"
        " AND service_timed_out <> :timed_out",
        timed_out=timed_out,
        bot=bot_id,
    )
