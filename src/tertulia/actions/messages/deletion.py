"""Deletion of messages. The log has no copy of them.

Where the organization wants it, deleted messages are kept for some days (`deleted`).
"""

from collections.abc import Callable, Sequence

from tertulia import domain, events, storage
from tertulia.actions.channels import channel_stats, lookups
from tertulia.actions.files import attachments
from tertulia.actions.groups import permissions
from tertulia.actions.messages import access
from tertulia.actions.personal import topic_policies
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.messages.deleted import SECONDS_PER_DAY, Deletion, DeletionReason
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.audience import NoClients
from tertulia.events.types.messages.edits import MessagesDeleted, MessagesInvalidated
from tertulia.storage.messages.expired import ExpiredMessages

# What features do before messages are deleted (`features/__init__.py`).
BEFORE_DELETION: list[Callable[[Tx, Sequence[int]], None]] = []


def delete(tx: Tx, user: User, message_id: int) -> None:
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    _check_may_delete(tx, user, message, channel)
    remove(tx, channel, [message], Deletion(DeletionReason.MESSAGE, user.id))


def find_removable(tx: Tx, user: User, message_id: int) -> Message:
    """A message of which the user may remove a part: their own at any time, others to delete."""
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    if not _is_own(tx, user, message):
        _check_may_delete(tx, user, message, channel)
    return message


def delete_topic(tx: Tx, user: User, channel_id: int, topic: str) -> bool:
    """Delete the oldest messages of a topic, as many as fit in one transaction.

    Returns whether these were all; then the users' policies for the topic are deleted too.
    """
    channel, topic = _deletable_topic(tx, user, channel_id, topic)
    most = domain.limits.DELETE_BATCH + 1 if channel.history_public else None
    ids = storage.channels.topics.message_ids(tx, channel.id, topic, most)
    found = storage.messages.table.find_many(tx, tx.realm_id, ids)
    visible = access.visible(tx, user, [found[each] for each in sorted(found)])
    if visible:
        deletion = Deletion(DeletionReason.TOPIC, user.id)
        remove(tx, channel, visible[: domain.limits.DELETE_BATCH], deletion)
    if len(visible) > domain.limits.DELETE_BATCH:
        return False
    if not storage.channels.topics.exists(tx, channel.id, topic):
        for user_id in storage.personal.topic_policies.policies(tx, channel.id, topic):
            topic_policies.change(tx, user_id, channel.id, topic, TopicPolicy.NONE)
    return True


def preview_topic(tx: Tx, user: User, channel_id: int, topic: str) -> ExpiredMessages:
    """Count the messages that `delete_topic` would delete."""
    channel, topic = _deletable_topic(tx, user, channel_id, topic)
    if channel.history_public:
        return storage.messages.expired.in_topic(tx, channel.id, topic)
    ids = storage.channels.topics.message_ids(tx, channel.id, topic)
    found = storage.messages.table.find_many(tx, tx.realm_id, ids)
    sent = [message.sent_at for message in access.visible(tx, user, found.values())]
    return ExpiredMessages(len(sent), min(sent, default=None), max(sent, default=None), tx.now)


def remove(
    tx: Tx, channel: Channel | None, messages: Sequence[Message], deletion: Deletion | None
) -> None:
    """Delete messages of one topic or conversation, and announce it.

    Without a deletion nothing is kept.
    """
    ids = [message.id for message in messages]
    if deletion is not None:
        keep(tx, messages, deletion)
    for before_deletion in BEFORE_DELETION:
        before_deletion(tx, ids)
    attachments.delete_with_messages(tx, ids)
    if channel is None:
        events.log.announce(tx, MessagesDeleted(ids), to=access.holders(tx, messages[0], None))
        storage.messages.table.delete(tx, ids)
        return
    parts = access.holders_in(tx, channel, ids)
    storage.messages.table.delete(tx, ids)
    unannounced = set(ids)
    for known, audience in parts:
        events.log.announce(tx, MessagesDeleted(known, channel.id, messages[0].topic), to=audience)
        unannounced.difference_update(known)
    if unannounced:
        events.log.announce(tx, MessagesInvalidated(sorted(unannounced)), to=NoClients())
    channel_stats.find_first_message(tx, channel)


def _deletable_topic(tx: Tx, user: User, channel_id: int, topic: str) -> tuple[Channel, str]:
    permissions.require_administrator(tx, user)
    channel = lookups.readable_by(tx, user, channel_id)
    if channel.archived:
        raise ChannelNotAccessible()
    return channel, "" if topic.strip() == EMPTY_TOPIC_NAME else topic.strip()


def _check_may_delete(tx: Tx, user: User, message: Message, channel: Channel | None) -> None:
    if _has_permission(tx, user, channel, "can_delete_any_message_group"):
        return
    is_permitted = _is_stopped_answer_to(tx, user, message) or (
        _is_own(tx, user, message)
        and _has_permission(tx, user, channel, "can_delete_own_message_group")
    )
    if not is_permitted:
        raise BadRequest(
            "You don't have permission to delete this message", problem="deleting-not-allowed"
        )
    limit = storage.organization.realms.current(tx).setting("message_content_delete_limit_seconds")
    if limit is not None and tx.now - message.sent_at > limit:
        raise BadRequest(
            "The time limit for deleting this message has passed", problem="deletion-time-passed"
        )


def _is_own(tx: Tx, user: User, message: Message) -> bool:
    """Messages of a user's bots are their own."""
    if message.sender_id == user.id:
        return True
    sender = storage.people.users.find(tx, message.sender_id)
    return sender is not None and sender.bot_owner_id == user.id


def _is_stopped_answer_to(tx: Tx, user: User, message: Message) -> bool:
    """A streamed answer that was stopped may be deleted by the user who asked for it."""
    return storage.messages.stopped_answers.asked_by(tx, message.id) == user.id


def _has_permission(tx: Tx, user: User, channel: Channel | None, setting: str) -> bool:
    return permissions.has_realm_permission(tx, user, setting) or (
        channel is not None and permissions.has_permission(tx, user, channel.permissions[setting])
    )


def keep(tx: Tx, messages: Sequence[Message], deletion: Deletion) -> None:
    """Copy messages that are about to be deleted, if the organization keeps them, or else those
    that are on legal hold."""
    seconds = grace_seconds(tx)
    ids = [message.id for message in messages]
    if not seconds:
        ids = storage.organization.legal_holds.held_among(tx, ids)
    if ids:
        storage.messages.deleted.keep(tx, ids, deletion, tx.now + seconds)


def grace_seconds(tx: Tx) -> int:
    """How long the organization keeps deleted messages; 0 if it does not."""
    days: int = storage.organization.realms.current(tx).setting("deleted_message_grace_days")
    return days * SECONDS_PER_DAY


def shorten_grace(tx: Tx, days: int) -> None:
    """Apply a shorter grace period to messages that are kept already."""
    storage.messages.deleted.shorten(tx, days * SECONDS_PER_DAY)
