"""Sending: every rule between a draft and a message that is on the disk.

The checks come in the order in which clients know them. A send writes one row, whoever will
read it; who receives it follows from the subscriptions.
"""

import html
from collections.abc import Collection
from dataclasses import dataclass

from tertulia.actions import (
    acquaintance,
    alert_words,
    attachments,
    notices,
    people,
    rights,
    user_topics,
    widgets,
)
from tertulia.actions import channels as channel_actions
from tertulia.actions.messages import repeats
from tertulia.actions.messages.repeats import SendKey, Sent
from tertulia.domain import limits
from tertulia.domain.channels import Channel
from tertulia.domain.messages import Draft
from tertulia.domain.topics import ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY, EMPTY_TOPIC_NAME, INHERIT
from tertulia.domain.users import BotType, User
from tertulia.errors import (
    BadRequest,
    ChannelIdNotFound,
    ChannelNotFound,
    ClientError,
    RecipientNotAccessible,
    WildcardNotAllowedInChannel,
    WildcardNotAllowedInTopic,
)
from tertulia.events.audience import Audience, Holders, Subscribers, Users
from tertulia.events.log import announce
from tertulia.events.types.messages import Echo, MessageSent
from tertulia.storage import (
    channels,
    groups,
    messages,
    muted_users,
    realms,
    subscriptions,
    unread,
    users,
)
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class ChannelSend:
    """A send to a channel that may happen, and what its checks have found out."""

    sender: User
    channel: Channel
    starts_topic: bool
    mentioned: list[int]
    in_topic: list[int]


@dataclass(frozen=True, slots=True)
class DirectSend:
    """A direct message that may be sent."""

    sender: User
    members: dict[int, User]
    mentioned: list[int]


def to_channel(
    tx: Tx,
    sender: User,
    where: int | str,
    topic: str,
    draft: Draft,
    key: SendKey | None = None,
    echo: Echo | None = None,
) -> Sent:
    """Send to a channel, named or by id."""
    repeated = repeats.sent_before(tx, sender, key)
    if repeated is not None:
        return repeated
    checked = check_to_channel(tx, sender, where, topic, draft)
    sender, channel, mentioned = checked.sender, checked.channel, checked.mentioned
    bots = bots_called_in(tx, channel, draft.mentions.user_ids.difference(mentioned))

    message_id = messages.insert_in_channel(tx, sender.id, channel.id, topic, draft)
    if draft.path_ids:
        attachments.claim(tx, sender, message_id, draft.path_ids)
    unread.add_flag(tx, "mentioned", [*mentioned, *bots], message_id)
    unread.add_flag(tx, "historical", bots, message_id)
    unread.add_flag(tx, "topic_wildcard_mentioned", checked.in_topic, message_id)
    called = alert_words.called_by(tx, draft.content)
    alerted = sorted(subscriptions.active_user_ids(tx, channel.id, called)) if called else []
    unread.add_flag(tx, "has_alert_word", alerted, message_id)
    widget_id = widgets.begin(tx, message_id, sender, draft)
    policy = user_topics.sent(tx, sender, channel, topic, checked.starts_topic)
    named = draft.mentions.user_ids - {sender.id}
    user_topics.mentioned(tx, sorted(named.intersection(mentioned)), channel, topic)
    announce(
        tx,
        MessageSent(
            message_id=message_id,
            sender_id=sender.id,
            channel_id=channel.id,
            read_by_sender=draft.read_by_sender,
            echo=echo,
            mentioned=[*mentioned, *bots],
            channel_wildcard=draft.mentions.channel_wildcard,
            topic_wildcard_for=checked.in_topic,
            alerted=alerted,
            read_by=muted_users.who_muted(tx, sender.id),
            widget_id=widget_id,
        ),
        to=_hearers(channel, bots),
    )
    notices.note_message(tx, channel, message_id)
    repeats.remember(tx, sender, key, message_id, policy)
    return Sent(message_id, policy, channel=channel, topic=topic)


def to_people(
    tx: Tx,
    sender: User,
    recipients: list[int] | list[str],
    draft: Draft,
    email_domain: str,
    key: SendKey | None = None,
    echo: Echo | None = None,
) -> Sent:
    """Send a direct message; the sender takes part whether or not they name themselves."""
    repeated = repeats.sent_before(tx, sender, key)
    if repeated is not None:
        return repeated
    checked = check_to_people(tx, sender, recipients, draft, email_domain)
    sender, members, mentioned = checked.sender, checked.members, checked.mentioned

    ids = sorted(members)
    with acquaintance.talking(tx, members):
        conversation_id = messages.get_or_start_conversation(tx, ids)
    message_id = messages.insert_in_conversation(tx, sender.id, conversation_id, draft)
    if draft.path_ids:
        attachments.claim(tx, sender, message_id, draft.path_ids)
    unread.add_flag(tx, "mentioned", mentioned, message_id)
    alerted = sorted(members.keys() & alert_words.called_by(tx, draft.content))
    unread.add_flag(tx, "has_alert_word", alerted, message_id)
    announce(
        tx,
        MessageSent(
            message_id=message_id,
            sender_id=sender.id,
            read_by_sender=draft.read_by_sender,
            echo=echo,
            mentioned=mentioned,
            alerted=alerted,
            read_by=muted_users.who_muted(tx, sender.id),
            widget_id=widgets.begin(tx, message_id, sender, draft),
        ),
        to=Users(ids),
    )
    repeats.remember(tx, sender, key, message_id, None)
    return Sent(message_id, member_ids=tuple(ids))


def check_to_channel(
    tx: Tx, sender: User, where: int | str, topic: str, draft: Draft
) -> ChannelSend:
    """Every rule of sending to a channel; nothing is stored."""
    sender = _present(tx, sender)
    channel = _find_channel(tx, where)
    check_may_post(tx, sender, channel)
    starts_topic = not _has_seen_topic(tx, sender, channel, topic)
    check_topic(tx, sender, channel, topic, starts_topic)
    mentioned, in_topic = check_mentions(tx, sender, channel, topic, draft)
    return ChannelSend(sender, channel, starts_topic, mentioned, in_topic)


def check_to_people(
    tx: Tx, sender: User, recipients: list[int] | list[str], draft: Draft, email_domain: str
) -> DirectSend:
    """Every rule of sending a direct message; nothing is stored."""
    sender = _present(tx, sender)
    members = _find_recipients(tx, sender, recipients, email_domain)
    _check_direct_permission(tx, sender, members, email_domain)
    called = draft.mentions.user_ids | check_group_mentions(tx, sender, draft)
    return DirectSend(sender, members, sorted(called & members.keys()))


# --- who and where ---


def _present(tx: Tx, sender: User) -> User:
    """The sender as the database knows them now."""
    found = users.find(tx, sender.id)
    if found is None or not found.is_active:
        raise BadRequest("Account is deactivated")
    return found


def _find_channel(tx: Tx, where: int | str) -> Channel:
    if isinstance(where, int):
        channel = channels.find(tx, where)
        if channel is None:
            raise ChannelIdNotFound(stream_id=where)
        return channel
    channel = channels.find_by_name(tx, where)
    if channel is None:
        raise ChannelNotFound(stream=html.escape(where))
    return channel


def _find_recipients(
    tx: Tx, sender: User, recipients: list[int] | list[str], email_domain: str
) -> dict[int, User]:
    found = {sender.id: sender}
    for recipient in recipients:
        if isinstance(recipient, int):
            user = acquaintance.find(tx, sender, recipient)
        else:
            user = people.find_by_address(tx, sender, recipient, email_domain)
        if user is None:
            raise _unknown_recipient(tx, sender, recipient)
        found[user.id] = user
    return found


def _unknown_recipient(tx: Tx, sender: User, recipient: int | str) -> ClientError:
    """Who does not see everybody is not told whether there is somebody they do not see."""
    if acquaintance.is_limited(tx, sender):
        return RecipientNotAccessible()
    if isinstance(recipient, int):
        return BadRequest(f"Invalid user ID {recipient}")
    return BadRequest(f"Invalid email '{recipient}'")


# --- rules of channels ---


def check_may_post(tx: Tx, sender: User, channel: Channel) -> None:
    if not rights.holds_with_owner(tx, sender, channel.permissions["can_send_message_group"]):
        raise BadRequest("You do not have permission to post in this channel.")
    owner = None if sender.bot_owner_id is None else users.find(tx, sender.bot_owner_id)
    allowed = channel_actions.may_read(tx, sender, channel) or (
        owner is not None and owner.is_active and channel_actions.may_read(tx, owner, channel)
    )
    is_stranger = sender.is_guest and not subscriptions.is_subscribed(tx, sender.id, channel.id)
    if channel.archived or not allowed or (is_stranger and not channel.is_web_public):
        raise BadRequest(f"Not authorized to send to channel '{channel.name}'")


def _has_seen_topic(tx: Tx, sender: User, channel: Channel, topic: str) -> bool:
    """Whether the sender can see an earlier message of the topic."""
    if channel.history_public:
        return messages.topic_exists(tx, channel.id, topic)
    spans = [s for s in subscriptions.spans_of(tx, sender.id) if s.channel_id == channel.id]
    since = min((span.start_message_id for span in spans), default=messages.newest_id(tx))
    return (messages.newest_in_topic(tx, channel.id, topic) or 0) > since


def check_topic(tx: Tx, sender: User, channel: Channel, topic: str, starts_topic: bool) -> None:
    creators = channel.permissions["can_create_topic_group"]
    if (
        starts_topic
        and not messages.topic_exists(tx, channel.id, topic)
        and not rights.holds_with_owner(tx, sender, creators)
    ):
        raise BadRequest("You do not have permission to create new topics in this channel.")
    policy = channel.topics_policy
    if policy == INHERIT:
        policy = realms.current(tx).setting("topics_policy")
    if policy == DISABLE_EMPTY and not topic:
        raise BadRequest(
            f"Sending messages to the {EMPTY_TOPIC_NAME} is not allowed in this channel.",
            empty_topic_display_name=EMPTY_TOPIC_NAME,
        )
    if policy == EMPTY_ONLY and topic:
        raise BadRequest(
            f"Only the {EMPTY_TOPIC_NAME} topic is allowed in this channel.",
            empty_topic_display_name=EMPTY_TOPIC_NAME,
        )
    assert policy in (ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY)


def check_mentions(
    tx: Tx, sender: User, channel: Channel, topic: str, draft: Draft
) -> tuple[list[int], list[int]]:
    """Who of the subscribers is mentioned by name, and who as a participant of the topic."""
    mentions = draft.mentions
    called = mentions.user_ids | check_group_mentions(tx, sender, draft)
    in_topic: set[int] = set()
    if mentions.topic_wildcard:
        in_topic = messages.participants(tx, channel.id, topic, limits.RECIPIENTS_PER_MESSAGE)
        in_topic.add(sender.id)
    too_many = (
        mentions.channel_wildcard
        and subscriptions.count_active(tx, channel.id) > limits.FEW_RECIPIENTS
    )
    if too_many and not rights.holds_in_realm(tx, sender, "can_mention_many_users_group"):
        raise WildcardNotAllowedInChannel()
    if len(in_topic) > limits.FEW_RECIPIENTS and not rights.holds_in_realm(
        tx, sender, "can_mention_many_users_group"
    ):
        raise WildcardNotAllowedInTopic()
    mentioned = subscriptions.active_user_ids(tx, channel.id, among=sorted(called))
    participants = subscriptions.active_user_ids(tx, channel.id, among=sorted(in_topic))
    return sorted(mentioned), sorted(participants)


def bots_called_in(tx: Tx, channel: Channel, outsiders: Collection[int]) -> list[int]:
    """Those of some who are named and not subscribed that are generic bots and may read along.

    People expect an answer of a bot wherever they call it.
    """
    if not outsiders:
        return []
    return [
        each.id
        for each in users.find_many(tx, sorted(outsiders))
        if each.is_active
        and each.bot_type is BotType.GENERIC
        and channel_actions.may_read(tx, each, channel)
    ]


def _hearers(channel: Channel, bots: list[int]) -> Audience:
    return Holders(channel.id, bots) if bots else Subscribers(channel.id)


def check_group_mentions(tx: Tx, sender: User, draft: Draft) -> frozenset[int]:
    """Everybody in the groups that a message calls; refuses a group that one may not call."""
    called: set[int] = set()
    for group in groups.find_many(tx, sorted(draft.mentions.group_ids)):
        if not rights.holds(tx, sender, group.permissions["can_mention_group"]):
            raise BadRequest(f"You are not allowed to mention user group '{group.name}'.")
        called |= rights.everybody_in(tx, [group.id])
    return frozenset(called)


# --- rules of direct messages ---


def _check_direct_permission(
    tx: Tx, sender: User, members: dict[int, User], email_domain: str
) -> None:
    for user in members.values():
        if not user.is_active:
            raise BadRequest(f"'{user.api_email(email_domain)}' is no longer using Zulip.")
    others = [user for user in members.values() if user.id != sender.id]
    if sender.is_bot or all(user.is_bot for user in others):
        return
    people_ = [user for user in members.values() if not user.is_bot]
    if not any(
        rights.holds_in_realm(tx, user, "direct_message_permission_group") for user in people_
    ):
        if _is_nobody(tx, "direct_message_permission_group"):
            raise BadRequest("Direct messages are disabled in this organization.")
        raise BadRequest("This conversation does not include any users who can authorize it.")
    if messages.find_conversation(tx, sorted(members)) is None and not rights.holds_in_realm(
        tx, sender, "direct_message_initiator_group"
    ):
        raise BadRequest("You do not have permission to initiate direct message conversations.")


def _is_nobody(tx: Tx, setting: str) -> bool:
    value = realms.current(tx).settings.get(setting)
    return isinstance(value, int) and rights.is_nobody_group(tx, value)
