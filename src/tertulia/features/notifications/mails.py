"""Mails about missed messages, one for each conversation, and the links that end a kind of mail.

The links work without a login.
"""

from collections.abc import Iterable, Mapping
from html import escape

import msgspec

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import BETWEEN, INDENT, LINE_BREAK, Email
from tertulia.domain.messages.external_pictures import Shown
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User

LEAVE_PATH = "/accounts/unsubscribe"
SETTINGS = {  # the settings to turn off, by kind of mail
    "missed_messages": (
        "enable_offline_email_notifications",
        "enable_followed_topic_email_notifications",
        "enable_stream_email_notifications",
    ),
    "digest": ("enable_digest_emails",),
}
# Compat: keys of the first kind were signed before other kinds existed.
_SIGNED = {"missed_messages": "unsubscribe"}


def leave_address(vault: Vault, site: str, kind: str, realm_id: int, user_id: int) -> str:
    return f"{site}{LEAVE_PATH}/{kind}/{leave_key(vault, kind, realm_id, user_id)}"


def leave_headers(address: str) -> dict[str, str]:
    """Headers for one-click unsubscribe (RFC 8058)."""
    return {
        "List-Unsubscribe": f"<{address}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def leave_key(vault: Vault, kind: str, realm_id: int, user_id: int) -> str:
    """A key that never expires."""
    signed_text = f"{_SIGNED.get(kind, f'unsubscribe {kind}')} {realm_id} {user_id}"
    return f"{user_id}-{vault.signature(signed_text)[:32]}"


CALLS: frozenset[str] = frozenset(
    {
        "mentioned",
        "topic_wildcard_mentioned_in_followed_topic",
        "stream_wildcard_mentioned_in_followed_topic",
        "topic_wildcard_mentioned",
        "stream_wildcard_mentioned",
    }
)
RECHECK_SECONDS = 60.0  # for users who are connected but have not read a message
MAX_MESSAGES = 20  # of one conversation in a mail
CONTEXT_MESSAGES = 3  # before a mention, that a mail shows too
NAMED_AS_NEEDED, NAMED_ALWAYS = 1, 2  # when the subject of a mail names the organization
EXCERPT = 1000  # characters of a message in the text of a mail


def in_a_line(name: str, message: Message) -> str:
    """The sender and the start of a message in one line, without the content of spoilers."""
    text = domain.messages.notification_text.mail_text(message.rendered)
    return f"{name}: {_excerpt(' '.join(text.split()))}"


def in_lines(name: str, message: Message) -> str:
    """The same with its line breaks and indents, in the characters of `domain.emails`."""
    text = _excerpt(domain.messages.notification_text.mail_text(message.rendered))
    lines = []
    for line in text.split("\n"):
        words = line.lstrip(" ")
        lines.append(INDENT * (len(line) - len(words)) + words)
    return f"{name}: {LINE_BREAK.join(lines)}"


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"


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


class MailContext(msgspec.Struct, frozen=True):
    """Facts about the server that a mail contains."""

    site: str
    as_shown: Shown
    mail_in_address: str = ""  # enables replies by mail


# --- notifying ---


def postpone(tx: Tx, user_id: int, until: float) -> None:
    """The user is present or has quiet hours: check again later whether they have read it."""
    tx.execute(
        "UPDATE missed_timer SET due_at = :until WHERE user_id = :user AND realm_id = :realm",
        until=until,
        user=user_id,
    )


def write_mails(tx: Tx, vault: Vault, user_id: int, head: MailContext) -> int:
    """Send mails about a user's unread messages, one per conversation."""
    if not _is_due(tx, user_id):
        return 0
    noted = _of_user(tx, user_id)
    _delete(tx, user_id)
    user = storage.people.users.find(tx, user_id)
    realm = storage.organization.realms.current(tx)
    if user is None or not user.is_active or realm.deactivated:
        return 0
    unread = storage.messages.unread.among(tx, user_id, list(noted))
    found = storage.messages.table.find_many(tx, tx.realm_id, sorted(unread))
    seen = actions.messages.access.visible(tx, user, found.values())  # it may have been moved since
    conversations: dict[object, list[Message]] = {}
    for message in sorted(seen, key=lambda each: each.id):
        conversations.setdefault(_conversation(message), []).append(message)
    for messages in sorted(conversations.values(), key=lambda each: each[-1].id):
        context = _context(tx, user, messages[0], noted)
        actions.outbox.enqueue_mail(tx, vault, _mail(tx, vault, user, context, messages, head))
    return len(conversations)


def _conversation(message: Message) -> object:
    if message.channel_id is None:
        return message.member_ids
    return message.channel_id, domain.channels.topics.fold(message.topic)


def _context(tx: Tx, user: User, first: Message, reasons: Mapping[int, str]) -> list[Message]:
    """The messages before a mention in a topic, as far as the user may see them."""
    if first.channel_id is None or reasons[first.id] not in CALLS:
        return []
    topic_key = domain.channels.topics.fold(first.topic)
    ids = _before_in_topic(tx, first.channel_id, topic_key, first.id, CONTEXT_MESSAGES)
    found = storage.messages.table.find_many(tx, tx.realm_id, ids)
    seen = actions.messages.access.visible(tx, user, found.values())
    return sorted(seen, key=lambda each: each.id)


def _mail(
    tx: Tx,
    vault: Vault,
    user: User,
    context: list[Message],
    messages: list[Message],
    head: MailContext,
) -> Email:
    realm = storage.organization.realms.current(tx)
    shows_content = realm.setting(
        "message_content_allowed_in_email_notifications"
    ) and user.prefers("message_content_in_email_notifications")
    first, site = messages[0], head.site
    conversation_name, link = _conversation_name(tx, first, user)
    leave = leave_address(vault, site, "missed_messages", realm.id, user.id)
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
        lines = [in_lines(names[each.sender_id], each) for each in shown]
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
            **leave_headers(leave),
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
    theirs = storage.organization.realms.with_address(tx, user.email)
    return len([each for each in theirs if not each.deactivated]) > 1


def _conversation_name(tx: Tx, message: Message, user: User) -> tuple[str, str]:
    if message.channel_id is None:
        return "", domain.messages.links.conversation_link(message.member_ids)
    channel = storage.channels.table.find(tx, message.channel_id)
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
    user = storage.people.users.find(tx, user_id)
    if user is not None and user.is_active:
        wanted = dict.fromkeys(SETTINGS[kind], False)
        actions.personal.settings.change(
            tx, user, actions.personal.settings.SettingsChanges(settings=wanted)
        )
    if kind == "missed_messages":
        _delete(tx, user_id)
