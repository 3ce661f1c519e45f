"""Retention: deletes messages older than their channel or organization allows.

Each transaction deletes only a few, so that other writes do not wait.
"""

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import FOREVER
from tertulia.domain.messages.deleted import Deletion, DeletionReason
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.storage.messages.expired import ExpiredMessages

IN_VIEW = 50  # oldest messages to consider
BATCH_SIZE = 5  # messages per transaction, so that other writes do not wait
SECONDS_PER_DAY = 86_400

DIRECT = None  # in place of a channel id: all direct conversations


def channels_with_old(tx: Tx) -> list[int | None]:
    """Channels with expired messages; DIRECT for conversations."""
    found: list[int | None] = [*storage.channels.with_old_messages(tx, _default_days(tx))]
    return [*found, DIRECT] if _old(tx, DIRECT, 1) else found


def delete_batch(tx: Tx, channel_id: int | None) -> int:
    """Delete a few expired messages of one topic or conversation, and announce it. Returns their
    number."""
    old = _old(tx, channel_id, IN_VIEW)
    if not old:
        return 0
    expired = [each for each in old if _conversation(each) == _conversation(old[0])][:BATCH_SIZE]
    channel = None if channel_id is DIRECT else storage.channels.find(tx, channel_id)
    actions.messages.deletion.remove(tx, channel, expired, Deletion(DeletionReason.RETENTION))
    return len(expired)


def preview(tx: Tx, user: User | None, channel_id: int | None, days: int | None) -> ExpiredMessages:
    """What a retention of so many days would delete now, in one channel or in all places that use
    the organization's setting.

    Without a user it is the server's operator. `days` is None for the organization's setting.
    """
    if user is not None:
        actions.groups.permissions.require_owner(tx, user)
        if channel_id is not None:
            actions.channels.visible_to(tx, user, channel_id)
    if days is None:
        days = _default_days(tx)
    before = 0.0 if days <= 0 else tx.now - days * SECONDS_PER_DAY
    if channel_id is not None:
        return storage.messages.expired.in_channel(tx, channel_id, before)
    return storage.messages.expired.with_default_period(tx, before)


def _conversation(message: Message) -> tuple[str, tuple[int, ...]]:
    """What one event covers: a topic, or the participants of a conversation."""
    return message.topic, message.member_ids


def deletes_before(tx: Tx, channel_id: int | None) -> float:
    """Messages of a channel, or direct ones, that were sent before this time are deleted; 0 if none
    is."""
    days = _default_days(tx)
    if channel_id is not DIRECT:
        channel = storage.channels.find(tx, channel_id)
        if channel is not None and channel.retention_days is not None:
            days = channel.retention_days
    return 0.0 if days <= 0 else tx.now - days * SECONDS_PER_DAY


def _old(tx: Tx, channel_id: int | None, limit: int) -> list[Message]:
    before = deletes_before(tx, channel_id)
    if not before:
        return []
    oldest = storage.messages.oldest(tx, channel_id, limit)
    return [message for message in oldest if message.sent_at < before]


def _default_days(tx: Tx) -> int:
    """The organization's retention; FOREVER is negative."""
    days: int | None = storage.organization.current(tx).setting("message_retention_days")
    return FOREVER if days is None else days
