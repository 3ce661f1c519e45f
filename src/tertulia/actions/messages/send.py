"""Sending: stores a draft as a message.

A send writes one row, regardless of the number of readers. Subscriptions decide who receives it.
"""

from typing import NamedTuple

from msgspec.structs import replace

from tertulia import events, storage
from tertulia.actions.channels import channel_stats
from tertulia.actions.files import attachments
from tertulia.actions.messages import idempotency, send_checks, widgets
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.actions.people import known_people, webhook_triggers
from tertulia.actions.personal import topic_policies
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import User
from tertulia.events.audience import Audience, MessageHolders, Subscribers, Users
from tertulia.events.types.messages.message import LocalEcho, MessageSent


class ChannelDestination(NamedTuple):
    where: int | str  # the channel's id or name
    topic: str


class PeopleDestination(NamedTuple):
    recipients: list[int] | list[str]  # ids or addresses
    email_domain: str


def send(
    tx: Tx,
    sender: User,
    to: ChannelDestination | PeopleDestination,
    draft: Draft,
    key: SendKey | None = None,
    echo: LocalEcho | None = None,
) -> Sent:
    """What a client asks for. The database replaces it by a fast insert if it can
    (`actions/messages/fast_path.py`)."""
    if isinstance(to, ChannelDestination):
        return to_channel(tx, sender, to.where, to.topic, draft, key, echo)
    return to_people(tx, sender, to.recipients, draft, to.email_domain, key, echo)


def to_channel(
    tx: Tx,
    sender: User,
    where: int | str,
    topic: str,
    draft: Draft,
    key: SendKey | None = None,
    echo: LocalEcho | None = None,
) -> Sent:
    """Send to a channel, given by name or id."""
    repeated = idempotency.find_sent(tx, sender, key)
    if repeated is not None:
        return repeated
    checked = send_checks.check_to_channel(tx, sender, where, topic, draft)
    sender, channel, mentioned = checked.sender, checked.channel, checked.mentioned
    send_checks.check_slow_mode(tx, sender, channel)
    bots = send_checks.bots_mentioned_in(tx, channel, draft.mentions.user_ids.difference(mentioned))

    message_id = storage.messages.table.insert_in_channel(tx, sender.id, channel.id, topic, draft)
    storage.messages.flags.add_flag(tx, "historical", bots, message_id)
    storage.messages.flags.add_flag(tx, "topic_wildcard_mentioned", checked.in_topic, message_id)
    event = _with_details(
        tx, sender, message_id, draft, [*mentioned, *bots], _alerted(tx, channel, draft), echo
    )
    policy = topic_policies.sent(tx, sender, channel, topic, checked.starts_topic)
    named = draft.mentions.user_ids - {sender.id}
    topic_policies.mentioned(tx, sorted(named.intersection(mentioned)), channel, topic)
    events.log.announce(
        tx,
        replace(
            event,
            channel_id=channel.id,
            channel_wildcard=draft.mentions.channel_wildcard,
            topic_wildcard_for=checked.in_topic,
        ),
        to=_recipients(channel, bots),
    )
    webhook_triggers.record_mentions(tx, sender, channel, message_id, draft.mentions.user_ids)
    channel_stats.record_message(tx, channel, message_id)
    idempotency.store(tx, sender, key, message_id, policy)
    return Sent(message_id, policy, channel=channel, topic=topic)


def _alerted(tx: Tx, channel: Channel, draft: Draft) -> list[int]:
    """Subscribers whose alert words occur."""
    alerted = sorted(draft.alerted)
    if not alerted:
        return []
    return sorted(storage.channels.subscriptions.active_user_ids(tx, channel.id, alerted))


def to_people(
    tx: Tx,
    sender: User,
    recipients: list[int] | list[str],
    draft: Draft,
    email_domain: str,
    key: SendKey | None = None,
    echo: LocalEcho | None = None,
) -> Sent:
    """Send a direct message. The sender is always a participant."""
    repeated = idempotency.find_sent(tx, sender, key)
    if repeated is not None:
        return repeated
    checked = send_checks.check_to_people(tx, sender, recipients, draft, email_domain)
    sender, members, mentioned = checked.sender, checked.members, checked.mentioned

    ids = sorted(members)
    with known_people.during_conversation(tx, members):
        conversation_id = storage.messages.conversations.get_or_start(tx, ids)
    message_id = storage.messages.table.insert_in_conversation(
        tx, sender.id, conversation_id, draft
    )
    alerted = sorted(draft.alerted.intersection(members))
    event = _with_details(tx, sender, message_id, draft, mentioned, alerted, echo)
    events.log.announce(tx, event, to=Users(ids))
    webhook_triggers.record_recipients(tx, sender, message_id, members.values())
    idempotency.store(tx, sender, key, message_id, None)
    return Sent(message_id, member_ids=tuple(ids))


def _with_details(
    tx: Tx,
    sender: User,
    message_id: int,
    draft: Draft,
    mentioned: list[int],
    alerted: list[int],
    echo: LocalEcho | None,
) -> MessageSent:
    """Store the files, flags and widget of a message. Returns its event."""
    if draft.path_ids:
        attachments.claim(tx, sender, message_id, draft.path_ids)
    storage.messages.flags.add_flag(tx, "mentioned", mentioned, message_id)
    storage.messages.flags.add_flag(tx, "has_alert_word", alerted, message_id)
    if draft.wants_previews:
        storage.outbox.insert(tx, "preview", sender.id, message_id=message_id)
    return MessageSent(
        message_id=message_id,
        sender_id=sender.id,
        read_by_sender=draft.read_by_sender,
        echo=echo,
        mentioned=mentioned,
        alerted=alerted,
        read_by=storage.personal.muted_users.muted_by(tx, sender.id),
        widget_id=widgets.create(tx, message_id, sender, draft),
    )


def _recipients(channel: Channel, bots: list[int]) -> Audience:
    return MessageHolders(channel.id, bots) if bots else Subscribers(channel.id)
