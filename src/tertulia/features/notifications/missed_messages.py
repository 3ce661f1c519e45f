"""Missed messages: found in the log, and sent by mail to users who stay away.

Sending a message does none of this. A job reads the log (`log_reader.py`), records whom a message
concerns and, after each user's own delay, sends mails about what is still unread.
"""

from collections.abc import Sequence
from typing import Literal, Self

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Subscription
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.events.types.event import Event
from tertulia.events.types.messages.edits import MessageUpdated
from tertulia.events.types.messages.message import MessageSent

Medium = Literal["email", "push"]
Reason = Literal[
    "direct_message",
    "mentioned",
    "topic_wildcard_mentioned_in_followed_topic",
    "stream_wildcard_mentioned_in_followed_topic",
    "topic_wildcard_mentioned",
    "stream_wildcard_mentioned",
    "followed_topic",
    "stream",
]

_WITH_DEVICES = (
    "SELECT realm_id FROM push_subscription UNION SELECT realm_id FROM device"
    " UNION SELECT realm_id FROM device_token"
)
_REACHABLE = (
    "SELECT user_id FROM push_subscription WHERE realm_id = :realm"
    " UNION SELECT user_id FROM device WHERE realm_id = :realm AND token_id IS NOT NULL"
    " UNION SELECT user_id FROM device_token WHERE realm_id = :realm"
)


def position(tx: Tx) -> int | None:
    """The last event that was examined; None before the first time."""
    found = tx.value("SELECT seq AS value FROM missed_position WHERE realm_id = :realm")
    return None if found is None else int(found)


def start(tx: Tx) -> None:
    """Start at the end of the log if it was never examined: older messages are not news."""
    if position(tx) is None:
        set_position(tx, storage.log.head(tx))


def start_all(tx: Tx) -> None:
    """The same for all organizations."""
    tx.execute(
        "INSERT INTO missed_position (realm_id, seq) SELECT h.realm_id, h.seq FROM log_head h"
        " WHERE NOT EXISTS (SELECT 1 FROM missed_position p WHERE p.realm_id = h.realm_id)"
        " ON CONFLICT (realm_id) DO NOTHING"
    )


def realms_behind(tx: Tx, realm_ids: list[int] | None, everybody: bool) -> list[int]:
    """Organizations whose log was not examined to its end, of some or of all; without `everybody`,
    only those with a device to notify."""
    among = "" if realm_ids is None else " AND h.realm_id IN :realms"
    who = "" if everybody else f" AND h.realm_id IN ({_WITH_DEVICES})"
    return tx.column(
        "SELECT h.realm_id FROM log_head h LEFT JOIN missed_position p ON p.realm_id = h.realm_id"
        f" WHERE (p.seq IS NULL OR p.seq <> h.seq){among}{who} ORDER BY h.realm_id",
        **({} if realm_ids is None else {"realms": realm_ids}),
    )


def set_position(tx: Tx, seq: int) -> None:
    tx.upsert("missed_position", ("realm_id",), seq=seq)


def _insert(tx: Tx, message_id: int, reasons: dict[int, str]) -> None:
    """Record that these users may have missed a message."""
    tx.insert_rows(
        "missed_message",
        ({"user_id": user_id, "reason": reason} for user_id, reason in sorted(reasons.items())),
        "ON CONFLICT (user_id, message_id) DO NOTHING",
        message_id=message_id,
    )


def _start_timers(tx: Tx, due_users: dict[int, float]) -> None:
    """Set when to notify each user; a running timer continues."""
    tx.insert_rows(
        "missed_timer",
        ({"user_id": user_id, "due_at": at} for user_id, at in sorted(due_users.items())),
        "ON CONFLICT (user_id) DO NOTHING",
    )


def due_users(tx: Tx, limit: int) -> list[tuple[int, int]]:
    """Users whose timer is due, in all organizations: organization and user."""
    return tx.tuples(
        "SELECT realm_id, user_id FROM missed_timer WHERE due_at <= :now"
        " ORDER BY due_at LIMIT :limit",
        now=tx.now,
        limit=limit,
    )


def _chosen_for_channel(tx: Tx, channel_id: int, way: str) -> dict[int, bool]:
    """Users who have set their notifications for a channel, and the setting."""
    assert way in ("email", "push")
    rows = tx.all(
        f"SELECT user_id, {way}_notifications AS chosen FROM subscription"
        f" WHERE channel_id = :channel AND active AND {way}_notifications IS NOT NULL",
        channel=channel_id,
    )
    return {row["user_id"]: bool(row["chosen"]) for row in rows}


OLD_AFTER_SECONDS = 86400
WELCOME_SECONDS = 60  # after joining


class NotificationInterest(msgspec.Struct, frozen=True):
    """How a message concerns one of its recipients."""

    is_direct: bool = False
    is_edit: bool = False  # only what the edit adds counts
    is_mentioned: bool = False
    in_topic_wildcard: bool = False
    in_channel_wildcard: bool = False
    policy: TopicPolicy = TopicPolicy.NONE
    subscription: Subscription | None = None

    @property
    def is_muted(self) -> bool:
        """Whether the topic is muted, or the channel is and the topic is not unmuted."""
        if self.policy == TopicPolicy.MUTED:
            return True
        in_muted_channel = self.subscription is not None and self.subscription.is_muted
        return in_muted_channel and self.policy not in (TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)


class Candidate(msgspec.Struct, frozen=True):
    """A message that may notify users: a new one, or an edit that mentions more users."""

    message: Message
    mentioned: frozenset[int]
    in_topic_wildcard: frozenset[int]
    in_channel_wildcard: bool
    known_to: frozenset[int]
    is_edit: bool = False

    @classmethod
    def of(cls, event: Event) -> Self | None:
        """The candidate in an event, if any."""
        if isinstance(event, MessageSent):
            if event.message is None or event.resolve_notice:
                return None
            return cls(
                event.message,
                frozenset(event.mentioned),
                frozenset(event.topic_wildcard_for),
                event.channel_wildcard,
                frozenset((event.sender_id, *event.read_by)),
            )
        if not isinstance(event, MessageUpdated) or event.message is None:
            return None
        calls = event.newly_mentioned or event.newly_in_topic_wildcard
        if event.message.channel_id is None or not (calls or event.newly_channel_wildcard):
            return None
        return cls(
            event.message,
            frozenset(event.newly_mentioned),
            frozenset(event.newly_in_topic_wildcard),
            event.newly_channel_wildcard,
            frozenset((event.user_id,)),
            is_edit=True,
        )


# --- finding ---


def record(
    tx: Tx, seen: Sequence[Candidate], everyone: Sequence[User], upto: int, sends_mail: bool
) -> None:
    """Record whom these messages notify, and the log position that was read."""
    seen_to = position(tx)
    if seen_to is not None and upto <= seen_to <= storage.log.head(tx):
        return  # another server has done it
    people = {user.id: user for user in everyone}
    pushed = set(tx.column(_REACHABLE)) if seen else set()
    for candidate in seen:
        # After an outage, old messages produce no notifications.
        if tx.now - candidate.message.sent_at >= OLD_AFTER_SECONDS:
            continue
        if sends_mail:
            _record_mail(tx, candidate, people)
        if pushed:
            among = {user_id: people[user_id] for user_id in pushed if user_id in people}
            reasons = _reasons(tx, candidate, among, "push")
            storage.outbox.insert_pushes(tx, candidate.message.id, reasons)
    set_position(tx, upto)


def _reasons(
    tx: Tx, candidate: Candidate, people: dict[int, User], medium: Medium
) -> dict[int, str]:
    """The users who are notified of a message, and why."""
    reasons: dict[int, str] = {}
    for user_id, about in _interests(tx, candidate, people, medium).items():
        user = people.get(user_id)
        found = None if user is None else _reason(user, about, medium)
        if user is None or found is None or user_id in candidate.known_to:
            continue
        if not _is_welcome_message(tx, candidate.message, user):
            reasons[user_id] = found
    return reasons


def _reason(user: User, about: NotificationInterest, medium: Medium) -> Reason | None:
    """Why a user is notified in this way; None if they are not."""
    if about.is_muted or user.is_bot or not user.is_active:
        return None
    if user.prefers(f"enable_offline_{medium}_notifications"):
        found = _mention_reason(user, about)
        if found is not None:
            return found
    if about.is_edit:
        return None
    is_followed = about.policy == TopicPolicy.FOLLOWED
    if is_followed and user.prefers(f"enable_followed_topic_{medium}_notifications"):
        return "followed_topic"
    chosen = (
        None
        if about.subscription is None
        else getattr(about.subscription, f"{medium}_notifications")
    )
    if about.subscription is not None and (
        user.prefers(f"enable_stream_{medium}_notifications") if chosen is None else chosen
    ):
        return "stream"
    return None


def _mention_reason(user: User, about: NotificationInterest) -> Reason | None:
    if about.is_direct:
        return "direct_message"
    if about.is_mentioned:
        return "mentioned"
    if about.policy == TopicPolicy.FOLLOWED and user.prefers(
        "enable_followed_topic_wildcard_mentions_notify"
    ):
        if about.in_topic_wildcard:
            return "topic_wildcard_mentioned_in_followed_topic"
        if about.in_channel_wildcard:
            return "stream_wildcard_mentioned_in_followed_topic"
    subscription = about.subscription
    chosen = None if subscription is None else subscription.wildcard_mentions_notify
    if user.prefers("wildcard_mentions_notify") if chosen is None else chosen:
        if about.in_topic_wildcard:
            return "topic_wildcard_mentioned"
        if about.in_channel_wildcard:
            return "stream_wildcard_mentioned"
    return None


def _is_welcome_message(tx: Tx, message: Message, user: User) -> bool:
    """Whether it is the welcome message of a new user."""
    is_new = message.channel_id is None and message.sent_at - user.joined_at < WELCOME_SECONDS
    return is_new and message.sender_id == actions.messages.notices.bot(tx).id


def _record_mail(tx: Tx, candidate: Candidate, people: dict[int, User]) -> None:
    reasons = _reasons(tx, candidate, people, "email")
    if not reasons:
        return
    delays = {
        user_id: people[user_id].prefers("email_notifications_batching_period_seconds")
        for user_id in reasons
    }
    _insert(tx, candidate.message.id, reasons)
    _start_timers(tx, {user_id: tx.now + seconds for user_id, seconds in delays.items()})


def _interests(
    tx: Tx, candidate: Candidate, people: dict[int, User], medium: Medium
) -> dict[int, NotificationInterest]:
    """How the message concerns users whom it might notify. Others are not considered."""
    message, channel_id = candidate.message, candidate.message.channel_id
    if channel_id is None:
        return {user_id: NotificationInterest(is_direct=True) for user_id in message.member_ids}
    policies = storage.personal.topic_policies.policies(tx, channel_id, message.topic)
    called = candidate.mentioned | candidate.in_topic_wildcard
    if not candidate.is_edit:
        called |= {each for each, policy in policies.items() if policy == TopicPolicy.FOLLOWED}
        called |= _watching(tx, channel_id, people, medium)
    wanted = None if candidate.in_channel_wildcard else sorted(called)
    inside = storage.channels.subscriptions.active_user_ids(tx, channel_id, wanted)
    rows = storage.channels.subscriptions.of_channels(tx, [channel_id], sorted(inside))
    subscriptions = {row.user_id: row for row in rows}
    return {
        user_id: NotificationInterest(
            is_edit=candidate.is_edit,
            is_mentioned=user_id in candidate.mentioned,
            in_topic_wildcard=user_id in candidate.in_topic_wildcard,
            in_channel_wildcard=candidate.in_channel_wildcard,
            policy=policies.get(user_id, TopicPolicy.NONE),
            subscription=subscriptions.get(user_id),
        )
        for user_id in inside
    }


def _watching(tx: Tx, channel_id: int, people: dict[int, User], medium: Medium) -> set[int]:
    """Users who want notifications of all messages in a channel."""
    setting = f"enable_stream_{medium}_notifications"
    usual = {each.id for each in people.values() if each.prefers(setting)}
    chosen = _chosen_for_channel(tx, channel_id, medium)
    return usual | {user_id for user_id, wants in chosen.items() if wants}
