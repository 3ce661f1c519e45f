"""What people may have missed: found behind them in the log, and told when they stay away.

Sending a message does none of this. A job walks the log (`jobs/missed.py`), notes whom a message
calls, and after each one's own delay writes the letters for what they still have not read.
"""

from collections.abc import Iterable, Sequence
from html import escape

from tertulia import actions, domain, storage
from tertulia.domain.letters import Letter
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.missed import LOOK_AGAIN_SECONDS, MOST_MESSAGES, Stake, Way
from tertulia.domain.personal.topic_policies import Visibility
from tertulia.events.types.messages.message import MessageSent
from tertulia.storage.database.tx import Tx

UNSUBSCRIBE = "/accounts/unsubscribe/missed_messages"
OLD_AFTER_SECONDS = 86400
EXCERPT = 300  # characters of a message in the text of a mail
BETWEEN = "\x1e"  # paragraphs within a value of a letter


# --- finding ---


def note(
    tx: Tx, seen: Sequence[MessageSent], everyone: Sequence[User], upto: int, *, sends_mail: bool
) -> None:
    """Note whom these messages call, and that the log was read up to an event."""
    if (storage.personal.missed.position(tx) or 0) >= upto:
        return  # another server was here
    people = {user.id: user for user in everyone}
    pushed = storage.personal.web_push.user_ids(tx) if seen else set()
    for event in seen:
        if event.message is not None and _is_news(tx, event, event.message):
            if sends_mail:
                _note_mail(tx, event, event.message, people)
            if pushed:
                among = {user_id: people[user_id] for user_id in pushed if user_id in people}
                reasons = _reasons(tx, event, event.message, among, "push")
                storage.personal.web_push.insert_notices(tx, event.message.id, reasons)
    storage.personal.missed.set_position(tx, upto)


def _is_news(tx: Tx, event: MessageSent, message: Message) -> bool:
    """After a time in which nobody could be told, nobody is told of all that was said in it."""
    return not event.resolve_notice and tx.now - message.sent_at < OLD_AFTER_SECONDS


def _reasons(
    tx: Tx, event: MessageSent, message: Message, people: dict[int, User], way: Way
) -> dict[int, str]:
    """Who of some people is told of a message, and why."""
    skipped = {message.sender_id, *event.read_by}
    reasons: dict[int, str] = {}
    for user_id, about in _stakes(tx, event, message, people, way).items():
        user = people.get(user_id)
        found = None if user is None else domain.personal.missed.reason(user, about, way)
        if found is not None and user_id not in skipped:
            reasons[user_id] = found
    return reasons


def _note_mail(tx: Tx, event: MessageSent, message: Message, people: dict[int, User]) -> None:
    reasons = _reasons(tx, event, message, people, "email")
    if not reasons:
        return
    delays = {
        user_id: people[user_id].prefers("email_notifications_batching_period_seconds")
        for user_id in reasons
    }
    storage.personal.missed.insert(tx, message.id, reasons)
    storage.personal.missed.start_timers(
        tx, {user_id: tx.now + seconds for user_id, seconds in delays.items()}
    )


def _stakes(
    tx: Tx, event: MessageSent, message: Message, people: dict[int, User], way: Way
) -> dict[int, Stake]:
    """What the message is to those whom it might call. Nobody else is looked at."""
    channel_id = message.channel_id
    if channel_id is None:
        return {user_id: Stake(is_direct=True) for user_id in message.member_ids}
    policies = storage.personal.topic_policies.policies(tx, channel_id, message.topic)
    following = {each for each, policy in policies.items() if policy == Visibility.FOLLOWED}
    chosen = storage.personal.missed.chosen_for_channel(tx, channel_id, way)
    usual = {
        each.id for each in people.values() if each.prefers(f"enable_stream_{way}_notifications")
    }
    called = {*event.mentioned, *event.topic_wildcard_for, *following, *usual}
    called |= {user_id for user_id, wants in chosen.items() if wants}
    wanted = None if event.channel_wildcard else sorted(called)
    inside = storage.channels.subscriptions.active_user_ids(tx, channel_id, wanted)
    rows = storage.channels.subscriptions.of_channel(tx, channel_id, sorted(inside))
    subscriptions = {row.user_id: row for row in rows}
    return {
        user_id: Stake(
            is_mentioned=user_id in event.mentioned,
            in_topic_wildcard=user_id in event.topic_wildcard_for,
            in_channel_wildcard=event.channel_wildcard,
            policy=policies.get(user_id, Visibility.NONE),
            subscription=subscriptions.get(user_id),
        )
        for user_id in inside
    }


# --- telling ---


def put_off(tx: Tx, user_id: int) -> None:
    """They are here: look again a little later, whether they have read it."""
    storage.personal.missed.put_off(tx, user_id, tx.now + LOOK_AGAIN_SECONDS)


def tell(tx: Tx, vault: Vault, user_id: int, site: str) -> int:
    """Write letters for what somebody still has not read, one for each conversation."""
    if not storage.personal.missed.is_due(tx, user_id):
        return 0
    noted = storage.personal.missed.of_user(tx, user_id)
    storage.personal.missed.forget(tx, user_id)
    user = storage.people.find(tx, user_id)
    realm = storage.organization.current(tx)
    if user is None or not user.is_active or realm.deactivated:
        return 0
    unread = storage.messages.unread.among(tx, user_id, list(noted))
    found = storage.messages.find_many(tx, tx.realm_id, sorted(unread))
    conversations: dict[object, list[Message]] = {}
    for message in sorted(found.values(), key=lambda each: each.id):
        conversations.setdefault(_conversation(message), []).append(message)
    for messages in sorted(conversations.values(), key=lambda each: each[-1].id):
        actions.letters.post(tx, vault, _letter(tx, vault, user, messages, site))
    return len(conversations)


def unsubscribe(tx: Tx, user_id: int) -> None:
    """No more mail of this kind."""
    user = storage.people.find(tx, user_id)
    if user is not None and user.is_active:
        wanted = {"enable_offline_email_notifications": False}
        wanted |= {"enable_followed_topic_email_notifications": False}
        wanted |= {"enable_stream_email_notifications": False}
        actions.personal.settings.change(
            tx, user, actions.personal.settings.SettingsChanges(settings=wanted)
        )
    storage.personal.missed.forget(tx, user_id)


def unsubscribe_key(vault: Vault, realm_id: int, user_id: int) -> str:
    """What lets somebody say so without logging in; it is good for ever."""
    return f"{user_id}-{vault.signature(f'unsubscribe {realm_id} {user_id}')[:32]}"


def _conversation(message: Message) -> object:
    if message.channel_id is None:
        return message.member_ids
    return message.channel_id, domain.channels.topics.fold(message.topic)


def _letter(tx: Tx, vault: Vault, user: User, messages: list[Message], site: str) -> Letter:
    realm = storage.organization.current(tx)
    shows_words = realm.setting("message_content_allowed_in_email_notifications") and user.prefers(
        "message_content_in_email_notifications"
    )
    first = messages[0]
    place, link = _place(tx, first, user)
    leave = f"{site}{UNSUBSCRIBE}/{unsubscribe_key(vault, realm.id, user.id)}"
    host = site.partition("://")[2].partition(":")[0]
    root = f"<{_root(first)}@{host}>"
    senders = {each.id: each for each in storage.people.find_many(tx, _senders(messages))}
    names = [senders[each].full_name for each in _senders(messages)]
    shown = messages[-MOST_MESSAGES:]
    values = {
        "organization": realm.name,
        "place": place,
        "names": ", ".join(names[:3]),
        "said": BETWEEN.join(_line(senders[each.sender_id], each) for each in shown),
        "link": f"{site}/{link}/near/{first.id}",
        "leave": leave,
    }
    if not shows_words:
        values = {name: values[name] for name in ("organization", "link", "leave")}
    return Letter(
        "missed-messages" if shows_words else "missed-messages-untold",
        user.email,
        domain.letters.language_of(user),
        values,
        headers={
            "In-Reply-To": root,
            "References": root,
            "List-Id": f"<{host}>",
            "List-Unsubscribe": f"<{leave}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
        html=_html(senders, shown, values, site) if shows_words else "",
    )


def _place(tx: Tx, message: Message, user: User) -> tuple[str, str]:
    if message.channel_id is None:
        return "", domain.messages.links.conversation_link(message.member_ids)
    channel = storage.channels.find(tx, message.channel_id)
    assert channel is not None
    topic = domain.channels.topics.shown(message.topic, allow_empty=False)
    link = domain.messages.links.topic_link(channel.id, channel.name, message.topic)
    return f"#{channel.name} > {topic}", link


def _root(message: Message) -> str:
    """The same for all mails of a conversation, so that mail programs put them together."""
    if message.channel_id is None:
        return f"dm-{'-'.join(map(str, message.member_ids[:20]))}"
    topic = domain.channels.topics.fold(message.topic).encode().hex()[:100]
    return f"channel-{message.channel_id}-{topic}"


def _senders(messages: Iterable[Message]) -> list[int]:
    return list(dict.fromkeys(each.sender_id for each in messages))


def _line(sender: User, message: Message) -> str:
    text = " ".join(message.content.split())
    words = text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"
    return f"{sender.full_name}: {words}"


def _html(
    senders: dict[int, User], messages: Iterable[Message], values: dict[str, str], site: str
) -> str:
    """Messages as they look, with addresses that work in a mail."""
    parts = [f"<p><strong>{escape(values['place'])}</strong></p>"] if values["place"] else []
    for message in messages:
        shown = message.rendered.replace('href="/', f'href="{site}/')
        shown = shown.replace('src="/', f'src="{site}/')
        name = escape(senders[message.sender_id].full_name)
        parts.append(f"<p><strong>{name}</strong></p>\n{shown}")
    parts.append(
        f'<p><a href="{escape(values["link"])}">{escape(values["organization"])}</a> · '
        f'<a href="{escape(values["leave"])}">✕</a></p>'
    )
    return "\n".join(parts)
