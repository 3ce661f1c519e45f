"""Deleting messages for good: what is gone here is gone from the log, too."""

from collections.abc import Sequence

from tertulia.actions import attachments, reminders, rights, traffic, user_topics
from tertulia.actions import channels as channel_actions
from tertulia.actions.messages import access
from tertulia.domain import limits
from tertulia.domain.channels import Channel
from tertulia.domain.messages import Message
from tertulia.domain.topics import EMPTY_TOPIC_NAME
from tertulia.domain.users import User
from tertulia.domain.visibility import Visibility
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.log import announce
from tertulia.events.types.edits import MessagesDeleted
from tertulia.storage import channels, messages, realms, users
from tertulia.storage import user_topics as stored_topics
from tertulia.storage.tx import Tx


def delete(tx: Tx, user: User, message_id: int) -> None:
    user = rights.acting(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    _check_may_delete(tx, user, message, channel)
    remove(tx, channel, [message])


def delete_topic(tx: Tx, user: User, channel_id: int, topic: str) -> bool:
    """Delete the oldest messages of a topic, as many as one transaction can bear.

    Gives whether that were all; then what people said about the topic is forgotten as well.
    """
    rights.require_administrator(tx, user)
    channel = channels.find(tx, channel_id)
    if channel is None or channel.archived or not channel_actions.may_read(tx, user, channel):
        raise ChannelNotAccessible()
    topic = "" if topic.strip() == EMPTY_TOPIC_NAME else topic.strip()
    ids = messages.ids_in_topic(tx, channel.id, topic)
    if channel.history_public:
        ids = ids[: limits.DELETE_BATCH + 1]
    found = messages.find_many(tx, tx.realm_id, ids)
    visible = access.visible(tx, user, [found[each] for each in sorted(found)])
    if visible:
        remove(tx, channel, visible[: limits.DELETE_BATCH])
    if len(visible) > limits.DELETE_BATCH:
        return False
    if not messages.topic_exists(tx, channel.id, topic):
        for user_id in stored_topics.policies(tx, channel.id, topic):
            user_topics.change(tx, user_id, channel.id, topic, Visibility.NONE)
    return True


def remove(tx: Tx, channel: Channel | None, doomed: Sequence[Message]) -> None:
    """Delete messages of one topic or conversation, and tell everybody who has them."""
    ids = [message.id for message in doomed]
    reminders.forget_about(tx, ids)
    attachments.leave_with(tx, ids)
    if channel is None:
        announce(tx, MessagesDeleted(ids), to=access.holders(tx, doomed[0], None))
        messages.delete(tx, ids)
        return
    audience = access.holders_in(tx, channel, ids)
    messages.delete(tx, ids)
    announce(tx, MessagesDeleted(ids, channel.id, doomed[0].topic), to=audience)
    traffic.find_first_message(tx, channel)


def _check_may_delete(tx: Tx, user: User, message: Message, channel: Channel | None) -> None:
    if _holds(tx, user, channel, "can_delete_any_message_group"):
        return
    if not _is_own(tx, user, message) or not _holds(
        tx, user, channel, "can_delete_own_message_group"
    ):
        raise BadRequest("You don't have permission to delete this message")
    limit = realms.current(tx).setting("message_content_delete_limit_seconds")
    if limit is not None and tx.now - message.sent_at > limit:
        raise BadRequest("The time limit for deleting this message has passed")


def _is_own(tx: Tx, user: User, message: Message) -> bool:
    """One's bots speak for oneself."""
    if message.sender_id == user.id:
        return True
    sender = users.find(tx, message.sender_id)
    return sender is not None and sender.bot_owner_id == user.id


def _holds(tx: Tx, user: User, channel: Channel | None, setting: str) -> bool:
    return rights.holds_in_realm(tx, user, setting) or (
        channel is not None and rights.holds(tx, user, channel.permissions[setting])
    )
