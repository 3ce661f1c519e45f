"""Send checks: every rule that a draft must pass before it is sent.

Clients rely on the order of the checks. Nothing is stored.
"""

import html
import math
from collections.abc import Collection

import msgspec

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.actions.groups import permissions
from tertulia.actions.people import visible_users
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import (
    ALLOW_EMPTY,
    DISABLE_EMPTY,
    EMPTY_ONLY,
    EMPTY_TOPIC_NAME,
    INHERIT,
)
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.channels import ChannelIdNotFound, ChannelNotFound, SlowMode
from tertulia.errors.messages import (
    WildcardNotAllowedInChannel,
    WildcardNotAllowedInTopic,
)
from tertulia.errors.people import ReadOnlyGrant


class ChannelSend(msgspec.Struct, frozen=True):
    """A permitted send to a channel, with the results of its checks."""

    sender: User
    channel: Channel
    starts_topic: bool
    mentioned: list[int]
    in_topic: list[int]


class DirectSend(msgspec.Struct, frozen=True):
    """A permitted direct message."""

    sender: User
    members: dict[int, User]
    mentioned: list[int]


def check_to_channel(
    tx: Tx, sender: User, where: int | str, topic: str, draft: Draft
) -> ChannelSend:
    """Check all rules of sending to a channel."""
    sender = _present(tx, sender)
    channel = _find_channel(tx, sender, where)
    check_may_post(tx, sender, channel)
    starts_topic = not _has_seen_topic(tx, sender, channel, topic)
    check_topic(tx, sender, channel, topic, starts_topic)
    mentioned, in_topic = check_mentions(tx, sender, channel, topic, draft)
    return ChannelSend(sender, channel, starts_topic, mentioned, in_topic)


def check_to_people(
    tx: Tx, sender: User, recipients: list[int] | list[str], draft: Draft, email_domain: str
) -> DirectSend:
    """Check all rules of sending a direct message."""
    sender = _present(tx, sender)
    if sender.grant is not None:
        raise ReadOnlyGrant()
    members = _find_recipients(tx, sender, recipients, email_domain)
    _check_direct_permission(tx, sender, members)
    mentioned = draft.mentions.user_ids | check_group_mentions(tx, sender, draft)
    return DirectSend(sender, members, sorted(mentioned & members.keys()))


# --- sender and destination ---


def _present(tx: Tx, sender: User) -> User:
    """The sender as stored now."""
    found = storage.people.users.find(tx, sender.id)
    if found is None or not found.is_active:
        raise BadRequest("Account is deactivated", problem="account-deactivated")
    return domain.people.agents.acting_for(found, sender.grant)


def _find_channel(tx: Tx, sender: User, where: int | str) -> Channel:
    """A channel that the sender may see; a bot also sees what its owner sees."""
    # Users write `#general` as it is displayed; a channel with that exact name takes precedence.
    names = [where, where[1:]] if isinstance(where, str) and where.startswith("#") else [where]
    for name in names:
        for each in (sender, _active_owner(tx, sender)):
            channel = None if each is None else lookups.named(tx, each, name)
            if channel is not None:
                return channel
    if isinstance(where, int):
        raise ChannelIdNotFound(stream_id=where)
    raise ChannelNotFound(stream=html.escape(where), **_hint_about_brackets(where))


def _active_owner(tx: Tx, bot: User) -> User | None:
    owner = None if bot.bot_owner_id is None else storage.people.users.find(tx, bot.bot_owner_id)
    return owner if owner is not None and owner.is_active else None


def _find_recipients(
    tx: Tx, sender: User, recipients: list[int] | list[str], email_domain: str
) -> dict[int, User]:
    ids = [each for each in recipients if isinstance(each, int)]
    known = {each.id: each for each in visible_users.find_many(tx, sender, ids)}
    found = {sender.id: sender}
    for recipient in recipients:
        if isinstance(recipient, int):
            user = known.get(recipient)
        else:
            user = visible_users.find_by_address(tx, sender, recipient, email_domain)
        if user is None:
            raise _unknown_recipient(tx, sender, recipient)
        found[user.id] = user
    return found


def _unknown_recipient(tx: Tx, sender: User, recipient: int | str) -> ClientError:
    """A sender who may not know all users does not learn whether a hidden user exists."""
    if visible_users.is_limited(tx, sender):
        return BadRequest(
            "You do not have permission to access some of the recipients.",
            problem="recipients-not-accessible",
        )
    if isinstance(recipient, int):
        return BadRequest(f"Invalid user ID {recipient}", problem="invalid-user-id")
    return BadRequest(f"Invalid email '{recipient}'", answer=_hint_for(recipient))


def _hint_for(recipient: str) -> dict[str, str]:
    if found := _hint_about_brackets(recipient):
        return found
    if recipient.isdecimal():
        return {"hint": "Send user ids as a JSON list of numbers, like [7, 9]."}
    if "@" not in recipient.removeprefix("@"):
        return {"hint": "Name people by user id or email address; GET /users lists both."}
    return {}


def _hint_about_brackets(name: str) -> dict[str, str]:
    if name.startswith(("[", '"')) or name.endswith(("]", '"')):
        return {"hint": "`to` looks like JSON, but is not valid: compare its brackets and quotes."}
    return {}


# --- rules of channels ---


def check_may_post(tx: Tx, sender: User, channel: Channel) -> None:
    if sender.grant is not None and not sender.grant.may_write(channel.id):
        raise ReadOnlyGrant()
    if not permissions.has_permission_or_owner_has(
        tx, sender, channel.permissions["can_send_message_group"]
    ):
        raise BadRequest(
            "You do not have permission to post in this channel.", problem="posting-not-allowed"
        )
    owner = _active_owner(tx, sender)
    allowed = lookups.may_read(tx, sender, channel) or (
        owner is not None and lookups.may_read(tx, owner, channel)
    )
    is_stranger = sender.is_guest and not storage.channels.subscriptions.is_subscribed(
        tx, sender.id, channel.id
    )
    if channel.archived or not allowed or (is_stranger and not channel.is_web_public):
        raise BadRequest(
            "Not authorized to send to channel '{channel}'",
            problem="sending-not-allowed",
            channel=channel.name,
        )


def check_slow_mode(tx: Tx, sender: User, channel: Channel) -> None:
    wait = slow_mode_wait(tx, sender, channel)
    if wait > 0:
        raise SlowMode(retry_after=wait, seconds=channel.slow_mode_seconds)


def slow_mode_wait(tx: Tx, sender: User, channel: Channel) -> int:
    """The seconds until the sender may post again.

    Slow mode does not delay bots, moderators and users who administer the channel.
    """
    seconds = channel.slow_mode_seconds_at(tx.now)
    if not seconds or sender.is_bot or sender.is_moderator:
        return 0
    if permissions.has_permission(tx, sender, channel.permissions["can_administer_channel_group"]):
        return 0
    last = storage.messages.table.last_sent_at(tx, sender.id, channel.id)
    if last is None:
        return 0
    return min(seconds, max(0, math.ceil(last + seconds - tx.now)))


def _has_seen_topic(tx: Tx, sender: User, channel: Channel, topic: str) -> bool:
    """Whether the sender can see an earlier message of the topic."""
    if channel.history_public:
        return storage.channels.topics.exists(tx, channel.id, topic)
    spans = [
        s
        for s in storage.channels.subscriptions.spans_of(tx, sender.id)
        if s.channel_id == channel.id
    ]
    since = min(
        (span.start_message_id for span in spans), default=storage.messages.table.newest_id(tx)
    )
    return (storage.channels.topics.newest_message(tx, channel.id, topic) or 0) > since


def check_topic(tx: Tx, sender: User, channel: Channel, topic: str, starts_topic: bool) -> None:
    creators = channel.permissions["can_create_topic_group"]
    if (
        starts_topic
        and not storage.channels.topics.exists(tx, channel.id, topic)
        and not permissions.has_permission_or_owner_has(tx, sender, creators)
    ):
        raise BadRequest(
            "You do not have permission to create new topics in this channel.",
            problem="new-topic-not-allowed",
        )
    policy = channel.topics_policy
    if policy == INHERIT:
        policy = storage.organization.realms.current(tx).setting("topics_policy")
    if policy == DISABLE_EMPTY and not topic:
        raise BadRequest(
            f"Sending messages to the {EMPTY_TOPIC_NAME} is not allowed in this channel.",
            answer={"empty_topic_display_name": EMPTY_TOPIC_NAME},
            problem="empty-topic-not-allowed",
        )
    if policy == EMPTY_ONLY and topic:
        raise BadRequest(
            f"Only the {EMPTY_TOPIC_NAME} topic is allowed in this channel.",
            answer={"empty_topic_display_name": EMPTY_TOPIC_NAME},
            problem="topics-not-allowed",
        )
    assert policy in (ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY)


def check_mentions(
    tx: Tx, sender: User, channel: Channel, topic: str, draft: Draft
) -> tuple[list[int], list[int]]:
    """The subscribers who are mentioned by name, and those mentioned as participants of the
    topic."""
    mentions = draft.mentions
    candidates = mentions.user_ids | check_group_mentions(tx, sender, draft)
    in_topic: set[int] = set()
    if mentions.topic_wildcard:
        in_topic = storage.channels.topics.participants(
            tx, channel.id, topic, domain.limits.MAX_RECIPIENTS_PER_MESSAGE
        )
        in_topic.add(sender.id)
    too_many = (
        mentions.channel_wildcard
        and storage.channels.subscriptions.count_active(tx, channel.id)
        > domain.limits.MAX_UNRESTRICTED_WILDCARD_RECIPIENTS
    )
    if too_many and not permissions.has_realm_permission(
        tx, sender, "can_mention_many_users_group"
    ):
        raise WildcardNotAllowedInChannel()
    if len(
        in_topic
    ) > domain.limits.MAX_UNRESTRICTED_WILDCARD_RECIPIENTS and not permissions.has_realm_permission(
        tx, sender, "can_mention_many_users_group"
    ):
        raise WildcardNotAllowedInTopic()
    mentioned = storage.channels.subscriptions.active_user_ids(
        tx, channel.id, among=sorted(candidates)
    )
    participants = storage.channels.subscriptions.active_user_ids(
        tx, channel.id, among=sorted(in_topic)
    )
    return sorted(mentioned), sorted(participants)


def bots_mentioned_in(tx: Tx, channel: Channel, outsiders: Collection[int]) -> list[int]:
    """Mentioned generic bots without a subscription that may read the channel.

    Users expect an answer wherever they mention a bot.
    """
    if not outsiders:
        return []
    return [
        each.id
        for each in storage.people.users.find_many(tx, sorted(outsiders))
        if each.is_active
        and each.bot_type is BotType.GENERIC
        and lookups.may_read(tx, each, channel)
    ]


def check_group_mentions(tx: Tx, sender: User, draft: Draft) -> frozenset[int]:
    """The members of the mentioned groups. Raises if the sender may not mention a group."""
    members: set[int] = set()
    for group in storage.groups.find_many(tx, sorted(draft.mentions.group_ids)):
        if not permissions.has_permission(tx, sender, group.permissions["can_mention_group"]):
            raise BadRequest(
                "You are not allowed to mention user group '{name}'.",
                problem="group-mention-not-allowed",
                name=group.name,
            )
        members |= permissions.all_members_of(tx, [group.id])
    return frozenset(members)


# --- rules of direct messages ---


def _check_direct_permission(tx: Tx, sender: User, members: dict[int, User]) -> None:
    for user in members.values():
        if not user.is_active:
            raise BadRequest(
                "A recipient's account is deactivated.", problem="recipient-deactivated"
            )
    others = [user for user in members.values() if user.id != sender.id]
    if sender.is_bot or all(user.is_bot for user in others):
        return
    people_ = [user for user in members.values() if not user.is_bot]
    if not any(
        permissions.has_realm_permission(tx, user, "direct_message_permission_group")
        for user in people_
    ):
        if _is_nobody(tx, "direct_message_permission_group"):
            raise BadRequest(
                "Direct messages are disabled in this organization.",
                problem="direct-messages-disabled",
            )
        raise BadRequest(
            "This conversation does not include any users who can authorize it.",
            problem="direct-message-not-authorized",
        )
    if storage.messages.conversations.find(
        tx, sorted(members)
    ) is None and not permissions.has_realm_permission(
        tx, sender, "direct_message_initiator_group"
    ):
        raise BadRequest(
            "You do not have permission to initiate direct message conversations.",
            problem="direct-message-start-not-allowed",
        )


def _is_nobody(tx: Tx, setting: str) -> bool:
    value = storage.organization.realms.current(tx).settings.get(setting)
    return isinstance(value, int) and permissions.is_nobody_group(tx, value)
