"""Web Push: subscriptions of browsers, and notifications that they may still show."""

from typing import Any

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
from tertulia.fair_queue import FairQueue
from tertulia.features.notifications import devices, missed_messages
from tertulia.storage.row_mapper import RowMapper

_SUBSCRIPTIONS = RowMapper(PushSubscription, "push_subscription")


def find_key(tx: Tx) -> tuple[str, bytes] | None:
    """The public key, and the sealed private key."""
    row = tx.one("SELECT public, sealed FROM push_key WHERE realm_id = :realm")
    return None if row is None else (row["public"], bytes(row["sealed"]))


def keys_and_browsers(tx: Tx) -> tuple[list[bytes], int]:
    """The sealed keys of all organizations, and how many browsers are subscribed."""
    keys = [bytes(each) for each in tx.column("SELECT sealed FROM push_key")]
    return keys, tx.number("SELECT count(*) AS value FROM push_subscription")


def of_user(tx: Tx, user_id: int) -> list[PushSubscription]:
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
        " WHERE (user_id, message_id) > (:user, :message) AND muted_until < :now"
        " ORDER BY user_id, message_id LIMIT :limit",
        user=after[0],
        message=after[1],
        now=tx.now,
        limit=limit,
    )


def delete_shown_before(tx: Tx, at: float) -> None:
    tx.execute("DELETE FROM push_notice WHERE due_at < :at", at=at)


POLICY = POLICIES["push"]
NOTICES = FairQueue("push", slots=50, slots_per_person=1, max_waiting=2)
MAX_BADGE = 200
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
    return insert(tx, user, endpoint, p256dh=p256dh, auth=auth)


def insert(tx: Tx, user: User, endpoint: str, **columns: Any) -> int:
    known = of_user(tx, user.id)
    same = [each.id for each in known if each.endpoint == endpoint]
    others = [each.id for each in known if each.endpoint != endpoint]
    too_many = others[: max(0, len(others) + 1 - domain.limits.MAX_PUSH_SUBSCRIPTIONS)]
    tx.delete("push_subscription", id=[*same, *too_many])
    missed_messages.start(tx)
    return tx.insert_with_id(
        "push_subscription", user_id=user.id, endpoint=endpoint, created_at=tx.now, **columns
    )


def get_subscription(tx: Tx, user: User, endpoint: str) -> PushSubscription:
    found = _SUBSCRIPTIONS.where(tx, "id", user_id=user.id, endpoint=endpoint)
    if not found:
        raise BadRequest("No such subscription", problem="not-found")
    return found[0]


def delete_subscription(tx: Tx, user: User, endpoint: str) -> None:
    tx.delete("push_subscription", id=get_subscription(tx, user, endpoint).id)


def receivers_of(tx: Tx, user_id: int) -> Receivers:
    allowed = storage.organization.realms.current(tx).setting("push_servers_allowed")
    return Receivers(
        [each for each in of_user(tx, user_id) if allowed or each.kind == "web"],
        [each for each in devices.of_user(tx, user_id) if each.can_receive],
        devices.tokens_of(tx, user_id),
    )


class Claimed(msgspec.Struct, frozen=True):
    message: Message
    channel: Channel | None
    receivers: Receivers
    badge: int
    is_call: bool  # a direct message or a mention


def claim(tx: Tx, item: OutboxItem) -> Claimed | None:
    """Claim a notification: its message and receivers.

    None if it was read, is no longer visible, is muted for now, has no receiver, or another server
    sends it.
    """
    if not actions.outbox.claim(tx, [item]):
        return None
    user_id, message_id = item.subjects
    message = storage.messages.table.find(tx, message_id)
    receivers = receivers_of(tx, user_id)
    if message is None or not receivers or not _is_unread(tx, user_id, message):
        storage.outbox.delete(tx, item)
        return None
    muted_until = _muted_until(tx, user_id, message)
    if muted_until:
        reschedule(tx, item, muted_until)
        return None
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    is_call = item.kind not in ("followed_topic", "stream")
    return Claimed(message, channel, receivers, badge(tx, user_id) + is_call, is_call)


def mute(tx: Tx, user: User, message_id: int, seconds: int) -> None:
    """Send no notifications of a message's conversation for a while. What is unread afterwards is
    sent then."""
    actions.messages.access.visible_to(tx, user, message_id)
    _record_shown(tx, user.id, message_id)
    tx.execute(
        "UPDATE push_notice SET muted_until = :until"
        " WHERE user_id = :user AND message_id = :message",
        until=tx.now + seconds,
        user=user.id,
        message=message_id,
    )


def _muted_until(tx: Tx, user_id: int, message: Message) -> float:
    """Until when the user has muted the conversation of a message; 0 if they have not."""
    until = tx.value(
        "SELECT max(n.muted_until) AS value FROM push_notice n"
        " JOIN message m ON m.id = n.message_id JOIN message new ON new.id = :message"
        " WHERE n.user_id = :user AND n.muted_until > :now"
        " AND (m.topic_id = new.topic_id OR m.conversation_id = new.conversation_id)",
        message=message.id,
        user=user_id,
        now=tx.now,
    )
    return float(until or 0)


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
    """The user sees the message or is not to be disturbed: notify them later if it stays unread."""
    user_id, message_id = item.subjects
    unread = storage.messages.unread.among(tx, user_id, [message_id])
    if not unread or item.next_try(tx.now) is None:
        storage.outbox.delete(tx, item)
    else:
        storage.outbox.reschedule(tx, item, until, item.tries, item.notified)


class Correction(msgspec.Struct, frozen=True):
    """What devices show no longer as it is."""

    gone: list[int]  # read elsewhere, or deleted
    edited: list[Message]
    badge: int

    def __bool__(self) -> bool:
        return bool(self.gone or self.edited)


def find_correction(tx: Tx, user_id: int, message_ids: list[int]) -> Correction:
    """Which notifications of these messages devices must remove or replace."""
    found = storage.messages.table.find_many(tx, tx.realm_id, message_ids)
    unread = storage.messages.unread.among(tx, user_id, message_ids) & found.keys()
    edited = tx.column(
        "SELECT m.id FROM push_notice n JOIN message m ON m.id = n.message_id"
        " WHERE n.user_id = :user AND n.message_id IN :ids AND m.edited_at > n.due_at"
        " ORDER BY m.id",
        user=user_id,
        ids=message_ids,
    )
    return Correction(
        [each for each in message_ids if each not in unread],
        [found[each] for each in edited if each in unread],
        badge(tx, user_id),
    )


def record_correction(tx: Tx, user_id: int, message_ids: list[int]) -> tuple[Correction, Receivers]:
    """Find the correction, and record it as sent to the devices."""
    correction = find_correction(tx, user_id, message_ids)
    if correction.gone:
        tx.delete("push_notice", user_id=user_id, message_id=correction.gone)
    if correction.edited:
        tx.execute(
            "UPDATE push_notice SET due_at = :now WHERE user_id = :user AND message_id IN :ids",
            now=tx.now,
            user=user_id,
            ids=[each.id for each in correction.edited],
        )
    return correction, receivers_of(tx, user_id)


def badge(tx: Tx, user_id: int) -> int:
    """How many of the direct messages and mentions that devices were notified of are unread."""
    mentioned = storage.messages.flags.of_user(
        "message_id = m.id AND flag IN ('mentioned', 'topic_wildcard_mentioned')"
    )
    calls = tx.column(
        "SELECT m.id FROM push_notice n JOIN message m ON m.id = n.message_id"
        " WHERE n.user_id = :user AND (m.conversation_id IS NOT NULL OR m.channel_wildcard"
        f" OR EXISTS ({mentioned}))"
        " ORDER BY n.message_id DESC LIMIT :limit",
        user=user_id,
        limit=MAX_BADGE,
    )
    return len(storage.messages.unread.among(tx, user_id, calls))
