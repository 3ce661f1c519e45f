"""Missed messages: found in the log, and sent by mail to users who stay away.

Sending a message does none of this. A job reads the log (`log_reader.py`), records whom a message
concerns and, after each user's own delay, sends mails about what is still unread.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Self

import msgspec

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import BETWEEN, Email
from tertulia.domain.messages.external_pictures import Shown
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.missed_messages import (
    CONTEXT_MESSAGES,
    MAX_MESSAGES,
    NAMED_ALWAYS,
    NAMED_AS_NEEDED,
    RECHECK_SECONDS,
    Medium,
    NotificationInterest,
)
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.domain.personal.unsubscribe import SETTINGS
from tertulia.events.types.event import Event
from tertulia.events.types.messages.edits import MessageUpdated
from tertulia.events.types.messages.message import MessageSent

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


def _is_due(tx: Tx, user_id: int) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM missed_timer"
        " WHERE user_id = :user AND realm_id = :realm AND due_at <= :now",
        user=user_id,
        now=tx.now,
    )


def _of_user(tx: Tx, user_id: int) -> dict[int, str]:
    """A user's missed messages, oldest first, with the reason."""
    rows = tx.all(
        "SELECT message_id, reason FROM missed_message"
        " WHERE user_id = :user AND realm_id = :realm ORDER BY message_id",
        user=user_id,
    )
    return {row["message_id"]: row["reason"] for row in rows}


def _delete(tx: Tx, user_id: int) -> None:
    for table in ("missed_message", "missed_timer"):
        tx.execute(f"DELETE FROM {table} WHERE user_id = :user AND realm_id = :realm", user=user_id)


def _before_in_topic(
    tx: Tx, channel_id: int, topic_key: str, message_id: int, limit: int
) -> list[int]:
    """The last messages of a topic before one of them, oldest first."""
    where, params = storage.channels.topics.condition(tx, channel_id, topic_key)
    return tx.column(
        f"SELECT id FROM message WHERE {where} AND id < :before ORDER BY id DESC LIMIT :limit",
        before=message_id,
        limit=limit,
        **params,
    )[::-1]


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


class MailContext(msgspec.Struct, frozen=True):
    """Facts about the server that a mail contains."""

    site: str
    as_shown: Shown
    mail_in_address: str = ""  # enables replies by mail


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
        found = (
            None if user is None else domain.personal.missed_messages.reason(user, about, medium)
        )
        if user is None or found is None or user_id in candidate.known_to:
            continue
        if not _is_welcome_message(tx, candidate.message, user):
            reasons[user_id] = found
    return reasons


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


# --- notifying ---


def postpone(tx: Tx, user_id: int) -> None:
    """The user is present: check again later whether they have read it."""
    tx.execute(
        "UPDATE missed_timer SET due_at = :until WHERE user_id = :user AND realm_id = :realm",
        until=tx.now + RECHECK_SECONDS,
        user=user_id,
    )


def write_mails(tx: Tx, vault: Vault, user_id: int, head: MailContext) -> int:
    """Send mails about a user's unread messages, one per conversation."""
    if not _is_due(tx, user_id):
        return 0
    noted = _of_user(tx, user_id)
    _delete(tx, user_id)
    user = storage.people.find(tx, user_id)
    realm = storage.organization.current(tx)
    if user is None or not user.is_active or realm.deactivated:
        return 0
    unread = storage.messages.unread.among(tx, user_id, list(noted))
    found = storage.messages.find_many(tx, tx.realm_id, sorted(unread))
    seen = actions.messages.visible(tx, user, found.values())  # it may have been moved since
    conversations: dict[object, list[Message]] = {}
    for message in sorted(seen, key=lambda each: each.id):
        conversations.setdefault(_conversation(message), []).append(message)
    for messages in sorted(conversations.values(), key=lambda each: each[-1].id):
        context = _context(tx, user, messages[0], noted)
        actions.mail_outbox.enqueue(tx, vault, _mail(tx, vault, user, context, messages, head))
    return len(conversations)


def _conversation(message: Message) -> object:
    if message.channel_id is None:
        return message.member_ids
    return message.channel_id, domain.channels.topics.fold(message.topic)


def _context(tx: Tx, user: User, first: Message, reasons: Mapping[int, str]) -> list[Message]:
    """The messages before a mention in a topic, as far as the user may see them."""
    if first.channel_id is None or reasons[first.id] not in domain.personal.missed_messages.CALLS:
        return []
    topic_key = domain.channels.topics.fold(first.topic)
    ids = _before_in_topic(tx, first.channel_id, topic_key, first.id, CONTEXT_MESSAGES)
    found = storage.messages.find_many(tx, tx.realm_id, ids)
    seen = actions.messages.visible(tx, user, found.values())
    return sorted(seen, key=lambda each: each.id)


def _mail(
    tx: Tx,
    vault: Vault,
    user: User,
    context: list[Message],
    messages: list[Message],
    head: MailContext,
) -> Email:
    realm = storage.organization.current(tx)
    shows_content = realm.setting(
        "message_content_allowed_in_email_notifications"
    ) and user.prefers("message_content_in_email_notifications")
    first, site = messages[0], head.site
    conversation_name, link = _conversation_name(tx, first, user)
    leave = domain.personal.unsubscribe.address(vault, site, "missed_messages", realm.id, user.id)
    host = site.partition("://")[2].partition(":")[0]
    root = f"<{_root(first)}@{host}>"
    values = {
        "organization": realm.name,
        "named": "yes" if _names_organization(tx, user) else "",
        "link": f"{site}/{link}/near/{first.id}",
        "leave": leave,
    }
    reply_to, html = "", ""
    if shows_content:
        shown = [*context, *messages[-MAX_MESSAGES:]]
        senders = [each.sender_id for each in (*shown, *messages)]
        names = actions.people.visible_users.names_for(tx, user, senders)
        writers = dict.fromkeys(names[each.sender_id] for each in messages)
        lines = [
            domain.personal.missed_messages.in_lines(names[each.sender_id], each) for each in shown
        ]
        values |= {
            "place": conversation_name,
            "names": ", ".join(list(writers)[:3]),
            "said": BETWEEN.join(lines),
            "answerable": "yes" if head.mail_in_address else "",
        }
        html = _html(names, shown, values, head)
        if head.mail_in_address:
            last = messages[-1]
            reply_to = actions.mail_addresses.for_reply(tx, head.mail_in_address, user, last)
    return Email(
        "missed-messages" if shows_content else "missed-messages-untold",
        user.email,
        domain.emails.language_of(user),
        values,
        headers={
            "In-Reply-To": root,
            "References": root,
            "List-Id": f"{realm.name} <{host}>",
            **domain.personal.unsubscribe.headers(leave),
        },
        reply_to=reply_to,
        html=html,
        timezone=user.timezone,
    )


def _names_organization(tx: Tx, user: User) -> bool:
    """Whether the subject names the organization: as the user chose, or if they have several."""
    policy = user.prefers("realm_name_in_email_notifications_policy")
    if policy != NAMED_AS_NEEDED:
        return bool(policy == NAMED_ALWAYS)
    theirs = storage.organization.with_address(tx, user.email)
    return len([each for each in theirs if not each.deactivated]) > 1


def _conversation_name(tx: Tx, message: Message, user: User) -> tuple[str, str]:
    if message.channel_id is None:
        return "", domain.messages.links.conversation_link(message.member_ids)
    channel = storage.channels.find(tx, message.channel_id)
    assert channel is not None
    topic = domain.channels.topics.shown(message.topic, allow_empty=False)
    link = domain.messages.links.topic_link(channel.id, channel.name, message.topic)
    return f"#{channel.name} > {topic}", link


def _root(message: Message) -> str:
    """The same for all mails of a conversation, so that mail programs thread them."""
    if message.channel_id is None:
        return f"dm-{'-'.join(map(str, message.member_ids[:20]))}"
    topic = domain.channels.topics.fold(message.topic).encode().hex()[:100]
    return f"channel-{message.channel_id}-{topic}"


def _html(
    names: Mapping[int, str],
    messages: Iterable[Message],
    values: Mapping[str, str],
    head: MailContext,
) -> str:
    """The messages as HTML."""
    parts = [f"<p><strong>{escape(values['place'])}</strong></p>"] if values["place"] else []
    for message in messages:
        shown = domain.messages.notification_text.in_mail(
            head.as_shown(message.rendered), head.site
        )
        parts.append(f"<p><strong>{escape(names[message.sender_id])}</strong></p>\n{shown}")
    return "\n".join(parts)


def unsubscribe(tx: Tx, kind: str, user_id: int) -> None:
    """Turn off mails of this kind."""
    user = storage.people.find(tx, user_id)
    if user is not None and user.is_active:
        wanted = dict.fromkeys(SETTINGS[kind], False)
        actions.personal.settings.change(
            tx, user, actions.personal.settings.SettingsChanges(settings=wanted)
        )
    if kind == "missed_messages":
        _delete(tx, user_id)
