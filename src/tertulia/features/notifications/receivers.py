"""Web Push: subscriptions of browsers, and notifications that they may still show."""

import msgspec

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.outbox import POLICIES, OutboxItem
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.devices import Device, DeviceToken
from tertulia.domain.personal.web_push import MAX_FAILURES, PushSubscription
from tertulia.errors import BadRequest
from tertulia.features.notifications import missed_messages
from tertulia.features.notifications.devices import of_user, tokens_of
from tertulia.storage.row_mapper import RowMapper

_SUBSCRIPTIONS = RowMapper(PushSubscription, "push_subscription")


def find_key(tx: Tx) -> tuple[str, bytes] | None:
    """The public key, and the sealed private key."""
    row = tx.one("SELECT public, sealed FROM push_key WHERE realm_id = :realm")
    return None if row is None else (row["public"], bytes(row["sealed"]))


def _of_user(tx: Tx, user_id: int) -> list[PushSubscription]:
    return _SUBSCRIPTIONS.where(tx, "id", user_id=user_id)


def _record_shown(tx: Tx, user_id: int, message_id: int) -> None:
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


def delete_shown_before(tx: Tx, at: float) -> None:
    tx.execute("DELETE FROM push_notice WHERE due_at < :at", at=at)


POLICY = POLICIES["push"]
PHONES = 0  # in the set of notified receivers: all mobile devices


class Receivers(msgspec.Struct, frozen=True):
    """A user's receivers: browsers, mobile devices, and mobile devices of the older kind."""

    subscriptions: list[PushSubscription]
    devices: list[Device]
    tokens: list[DeviceToken]

    def __bool__(self) -> bool:
        return bool(self.subscriptions or self.devices or self.tokens)


class PushOutcome(msgspec.Struct, frozen=True):
    """The result of a notification at each receiver."""

    delivered: list[PushSubscription]
    gone: list[PushSubscription]
    refused: list[PushSubscription]  # permanently rejected
    failed: list[tuple[PushSubscription, float]]  # failed for now, with the requested delay
    waiting: list[PushSubscription]  # in backoff, not tried
    phones: bool | None  # None if there are none, or they were notified before
    phones_retry_at: float = 0.0  # requested by the push service


def store_key(tx: Tx, vault: Vault, public: str, private: str) -> str:
    """Store a new key, unless another server was faster. Returns the valid public key."""
    tx.execute(
        "INSERT INTO push_key (realm_id, public, sealed) VALUES (:realm, :public, :sealed)"
        " ON CONFLICT (realm_id) DO NOTHING",
        public=public,
        sealed=vault.seal(private),
    )
    found = find_key(tx)
    assert found is not None
    return found[0]


def add_subscription(tx: Tx, user: User, endpoint: str, p256dh: str, auth: str) -> int:
    """Add a subscription. Beyond the limit it replaces the oldest."""
    domain.personal.web_push.checked(endpoint, p256dh, auth)
    known = _of_user(tx, user.id)
    same = [each.id for each in known if each.endpoint == endpoint]
    others = [each.id for each in known if each.endpoint != endpoint]
    too_many = others[: max(0, len(others) + 1 - domain.limits.MAX_PUSH_SUBSCRIPTIONS)]
    tx.delete("push_subscription", id=[*same, *too_many])
    missed_messages.start(tx)
    return tx.insert_with_id(
        "push_subscription",
        user_id=user.id,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        created_at=tx.now,
    )


def delete_subscription(tx: Tx, user: User, endpoint: str) -> None:
    known = _of_user(tx, user.id)
    same = [each.id for each in known if each.endpoint == endpoint]
    if not same:
        raise BadRequest("No such subscription", problem="not-found")
    tx.delete("push_subscription", id=same)


def receivers_of(tx: Tx, user_id: int) -> Receivers:
    devices = of_user(tx, user_id)
    return Receivers(
        _of_user(tx, user_id),
        [each for each in devices if each.can_receive],
        tokens_of(tx, user_id),
    )


def claim(tx: Tx, item: OutboxItem) -> tuple[Message, Channel | None, Receivers] | None:
    """Claim a notification: its message and receivers.

    None if it was read, is no longer visible, has no receiver, or another server sends it.
    """
    if not actions.outbox.claim(tx, [item]):
        return None
    user_id, message_id = item.subjects
    message = storage.messages.table.find(tx, message_id)
    receivers = receivers_of(tx, user_id)
    if message is None or not receivers or not _is_unread(tx, user_id, message):
        storage.outbox.delete(tx, item)
        return None
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    return message, channel, receivers


def notified_subscriptions(item: OutboxItem) -> frozenset[int]:
    """The subscriptions that were already notified."""
    return frozenset(map(int, item.notified.split(","))) if item.notified else frozenset()


def _is_unread(tx: Tx, user_id: int, message: Message) -> bool:
    """Whether the user may see the message where it is now, and has not read it."""
    user = storage.people.users.find(tx, user_id)
    if (
        user is None
        or not user.is_active
        or not actions.messages.access.visible(tx, user, [message])
    ):
        return False
    return bool(storage.messages.unread.among(tx, user_id, [message.id]))


def record_outcome(tx: Tx, item: OutboxItem, outcome: PushOutcome) -> bool:
    """Record the result. Returns whether the notification was given up for a receiver."""
    tx.delete("push_subscription", id=[each.id for each in outcome.gone])
    for each in outcome.delivered:
        if each.failures:
            tx.update("push_subscription", each.id, failures=0, retry_at=0.0)
    moments = [each.retry_at for each in outcome.waiting]
    for each in outcome.refused:
        _record_failure(tx, each, tx.now)
    for each, rest in outcome.failed:
        moments.append(tx.now + max(rest, POLICY.pause(each.failures + 1)))
        _record_failure(tx, each, moments[-1])
    notified = notified_subscriptions(item) | {each.id for each in outcome.delivered}
    notified |= {PHONES} if outcome.phones else set()
    next_try = item.next_try(tx.now)
    if outcome.phones is False:
        moments.append(max(next_try or tx.now, outcome.phones_retry_at))
    if moments and next_try is not None:
        storage.outbox.reschedule(tx, item, min(moments), item.tries + 1, _text(notified))
        return False
    storage.outbox.delete(tx, item)
    if notified:
        _record_shown(tx, *item.subjects)
    return bool(moments)


def _text(ids: frozenset[int]) -> str:
    return ",".join(map(str, sorted(ids)))


def _record_failure(tx: Tx, subscription: PushSubscription, retry_at: float) -> None:
    """An endpoint that always fails is deleted eventually."""
    failures = subscription.failures + 1
    if failures < MAX_FAILURES:
        tx.update("push_subscription", subscription.id, failures=failures, retry_at=retry_at)
    else:
        tx.delete("push_subscription", id=subscription.id)


def reschedule(tx: Tx, item: OutboxItem, until: float) -> None:
    """The user is present and sees the message; notify them later if it stays unread."""
    user_id, message_id = item.subjects
    unread = storage.messages.unread.among(tx, user_id, [message_id])
    if not unread or item.next_try(tx.now) is None:
        storage.outbox.delete(tx, item)
    else:
        storage.outbox.reschedule(tx, item, until, item.tries, item.notified)


def retract_read(tx: Tx, user_id: int, message_ids: list[int]) -> tuple[list[int], Receivers]:
    """Messages that a device shows and that were read elsewhere or deleted."""
    unread = storage.messages.unread.among(tx, user_id, message_ids)
    read = [each for each in message_ids if each not in unread]
    if read:
        tx.delete("push_notice", user_id=user_id, message_id=read)
    return read, receivers_of(tx, user_id) if read else Receivers([], [], [])
