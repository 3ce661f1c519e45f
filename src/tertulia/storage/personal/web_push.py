"""Web Push: subscriptions of browsers, and notifications that they may still show."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.personal.web_push import PushSubscription
from tertulia.storage.row_mapper import RowMapper

_SUBSCRIPTIONS = RowMapper(PushSubscription, "push_subscription")


def key(tx: Tx) -> tuple[str, bytes] | None:
    """The public key, and the sealed private key."""
    row = tx.one("SELECT public, sealed FROM push_key WHERE realm_id = :realm")
    return None if row is None else (row["public"], bytes(row["sealed"]))


def set_key(tx: Tx, public: str, sealed: bytes) -> None:
    tx.execute(
        "INSERT INTO push_key (realm_id, public, sealed) VALUES (:realm, :public, :sealed)"
        " ON CONFLICT (realm_id) DO NOTHING",
        public=public,
        sealed=sealed,
    )


def insert(tx: Tx, user_id: int, endpoint: str, p256dh: str, auth: str) -> int:
    return tx.insert_with_id(
        "push_subscription",
        user_id=user_id,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        created_at=tx.now,
    )


def of_user(tx: Tx, user_id: int) -> list[PushSubscription]:
    return _SUBSCRIPTIONS.where(tx, "id", user_id=user_id)


def user_ids(tx: Tx) -> set[int]:
    """All users of the organization with a subscription."""
    return set(tx.column("SELECT DISTINCT user_id FROM push_subscription WHERE realm_id = :realm"))


def delete(tx: Tx, subscription_ids: Sequence[int]) -> None:
    tx.delete("push_subscription", id=list(subscription_ids))


def record_health(tx: Tx, subscription_id: int, failures: int, retry_at: float) -> None:
    """Record the consecutive failures of an endpoint, and its backoff."""
    tx.update("push_subscription", subscription_id, failures=failures, retry_at=retry_at)


def record_shown(tx: Tx, user_id: int, message_id: int) -> None:
    """Record a notification that devices may still show."""
    tx.execute(
        "INSERT INTO push_notice (realm_id, user_id, message_id, due_at)"
        " VALUES (:realm, :user, :message, :now) ON CONFLICT (user_id, message_id) DO NOTHING",
        user=user_id,
        message=message_id,
        now=tx.now,
    )


def shown(tx: Tx, after: tuple[int, int], limit: int) -> list[tuple[int, int, int]]:
    """Notifications that devices may still show, in all organizations, from a user and a message
    on: organization, user and message."""
    return tx.tuples(
        "SELECT realm_id, user_id, message_id FROM push_notice"
        " WHERE (user_id, message_id) > (:user, :message)"
        " ORDER BY user_id, message_id LIMIT :limit",
        user=after[0],
        message=after[1],
        limit=limit,
    )


def delete_shown(tx: Tx, user_id: int, message_ids: Sequence[int]) -> None:
    tx.delete("push_notice", user_id=user_id, message_id=list(message_ids))


def delete_shown_before(tx: Tx, at: float) -> None:
    tx.execute("DELETE FROM push_notice WHERE due_at < :at", at=at)
