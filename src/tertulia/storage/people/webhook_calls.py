"""Calls of outgoing webhooks that are still to be made."""

from collections.abc import Sequence

from tertulia.domain.people.webhook_calls import Reason, WebhookCall
from tertulia.storage.database.tx import Tx
from tertulia.storage.records import Record

_CALLS = Record(WebhookCall)


def insert(tx: Tx, bot_ids: Sequence[int], message_id: int, reason: Reason) -> None:
    tx.put_each(
        "webhook_call",
        ({"bot_id": bot_id} for bot_id in bot_ids),
        message_id=message_id,
        reason=reason,
        due_at=tx.now,
    )


def first_of_each_bot(tx: Tx, most: int) -> list[WebhookCall]:
    """The oldest call that is due of each bot, in all organizations."""
    return _CALLS.all(
        tx,
        "FROM webhook_call c WHERE due_at <= :now AND id ="
        " (SELECT min(id) FROM webhook_call o WHERE o.bot_id = c.bot_id AND o.due_at <= :now)"
        " ORDER BY due_at LIMIT :most",
        now=tx.now,
        most=most,
    )


def take(tx: Tx, call: WebhookCall, until: float) -> bool:
    """Keep others from making it for a while; whether it was still as it was known."""
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
