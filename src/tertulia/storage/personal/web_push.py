"""Web Push: subscriptions of browsers, and queued notifications."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.personal.web_push import PushNotice, PushSubscription
from tertulia.storage.row_mapper import Record

_SUBSCRIPTIONS = Record(PushSubscription, "push_subscription")


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
    return tx.add(
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
    tx.remove("push_subscription", id=list(subscription_ids))


def insert_notices(tx: Tx, message_id: int, reasons: dict[int, str]) -> None:
    tx.upsert_many(
        "push_notice",
        ({"user_id": user_id, "reason": reason} for user_id, reason in sorted(reasons.items())),
        "ON CONFLICT (user_id, message_id) DO NOTHING",
        message_id=message_id,
        due_at=tx.now,
    )


def people_due(tx: Tx, most: int) -> list[tuple[int, int]]:
    """Users with due notifications, in all organizations: organization and user."""
    rows = tx.all(
        "SELECT realm_id, user_id, min(due_at) AS due FROM push_notice"
        " WHERE due_at <= :now AND NOT sent GROUP BY realm_id, user_id ORDER BY due LIMIT :most",
        now=tx.now,
        most=most,
    )
    return [(row["realm_id"], row["user_id"]) for row in rows]


def next_of(tx: Tx, user_id: int) -> PushNotice | None:
    """The next notifications of a user."""
    return _NOTICES.one(
        tx,
        "FROM push_notice"
        " WHERE user_id = :user AND realm_id = :realm AND due_at <= :now AND NOT sent"
        " ORDER BY message_id LIMIT 1",
        user=user_id,
        now=tx.now,
    )


def take(tx: Tx, notice: PushNotice, until: float) -> bool:
    """Claim a notification: set when it is due again. Returns whether it was due."""
    taken = tx.execute(
        "UPDATE push_notice SET due_at = :until WHERE user_id = :user AND message_id = :message"
        " AND realm_id = :realm AND due_at <= :now AND NOT sent",
        until=until,
        user=notice.user_id,
        message=notice.message_id,
        now=tx.now,
    )
    return taken > 0


def put_off(tx: Tx, notice: PushNotice, until: float) -> None:
    tx.execute(
        "UPDATE push_notice SET due_at = :until, tries = :tries, told = :told"
        " WHERE user_id = :user AND message_id = :message AND realm_id = :realm",
        until=until,
        tries=notice.tries,
        told=",".join(map(str, sorted(notice.told))),
        user=notice.user_id,
        message=notice.message_id,
    )


def note_health(tx: Tx, subscription_id: int, failures: int, retry_at: float) -> None:
    """Record the consecutive failures of an endpoint, and its backoff."""
    tx.change("push_subscription", subscription_id, failures=failures, retry_at=retry_at)


def note_sent(tx: Tx, notice: PushNotice) -> None:
    tx.execute(
        "UPDATE push_notice SET sent = :yes, due_at = :now"
        " WHERE user_id = :user AND message_id = :message AND realm_id = :realm",
        yes=True,
        now=tx.now,
        user=notice.user_id,
        message=notice.message_id,
    )


def shown(tx: Tx, after: tuple[int, int], most: int) -> list[tuple[int, int, int]]:
    """Notifications that devices may still show, in all organizations, from a user and a message
    on: organization, user and message."""
    return tx.tuples(
        "SELECT realm_id, user_id, message_id FROM push_notice"
        " WHERE sent AND (user_id, message_id) > (:user, :message)"
        " ORDER BY user_id, message_id LIMIT :most",
        user=after[0],
        message=after[1],
        most=most,
    )


def forget(tx: Tx, user_id: int, message_ids: Sequence[int]) -> None:
    tx.remove("push_notice", user_id=user_id, message_id=list(message_ids))


def forget_shown_before(tx: Tx, at: float) -> None:
    tx.execute("DELETE FROM push_notice WHERE sent AND due_at < :at", at=at)


def _subscription_ids(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split(","))) if text else frozenset()


_NOTICES = Record(PushNotice, readings={"told": _subscription_ids})
