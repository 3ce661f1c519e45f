"""Read state: the stored unread messages of a user, and changes of them."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pyroaring import BitMap64

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.events.audience import Users
from tertulia.events.types.messages.flags import FlagsChanged, UnreadDetails
from tertulia.storage.messages.unread import Stored

CATCH_UP_AFTER = 200  # messages; below that, counting them at each read is cheaper than a write


def is_behind(tx: Tx, user_id: int) -> bool:
    """Whether many messages arrived since the unread state was stored."""
    return lags(storage.messages.unread.stored(tx, user_id))


def lags(known: Stored) -> bool:
    """The same for a loaded state."""
    return known.has_archivals_to_see or known.newest_id - known.caught_up_to > CATCH_UP_AFTER


def catch_up(tx: Tx, user_id: int) -> None:
    """Store the current unread state if it lags."""
    known = storage.messages.unread.stored(tx, user_id)
    if lags(known):
        now = storage.messages.unread.catch_up(tx, user_id, known)
        storage.messages.unread.change(tx, user_id, now)


def mark_all_read(tx: Tx, user: User) -> None:
    storage.messages.unread.clear(tx, user.id)
    announce_flags(tx, user.id, "add", "read", [], everything=True)


def mark_read(tx: Tx, user_id: int, message_ids: Sequence[int]) -> list[int]:
    """Mark messages as read. Returns those that were unread."""
    waiting = storage.messages.unread.load(tx, user_id)
    changed = [message_id for message_id in message_ids if message_id in waiting]
    if changed:
        storage.messages.unread.change(tx, user_id, waiting - BitMap64(changed))
    announce_flags(tx, user_id, "add", "read", changed)
    return changed


def mark_conversation_read(tx: Tx, user_id: int, channel_id: int, topic: str | None = None) -> None:
    """Mark a channel or topic as read. Sends no event if nothing was unread."""
    waiting = storage.messages.unread.load(tx, user_id)
    topic_key = None if topic is None else domain.channels.topics.fold(topic)
    changed = storage.messages.unread.in_conversation(tx, waiting, channel_id, topic_key)
    if changed:
        storage.messages.unread.change(tx, user_id, waiting - BitMap64(changed))
        announce_flags(tx, user_id, "add", "read", changed)


def mark_channels_read(tx: Tx, user_id: int, channel_ids: Sequence[int]) -> None:
    """Mark channels as read. Sends no event if nothing was unread."""
    waiting = storage.messages.unread.load(tx, user_id)
    changed = storage.messages.unread.in_channels(tx, waiting, channel_ids)
    if changed:
        storage.messages.unread.change(tx, user_id, waiting - BitMap64(changed))
        announce_flags(tx, user_id, "add", "read", changed)


def add_to_history(tx: Tx, user: User, some: Iterable[Message]) -> None:
    """Add messages that the user never received to their history, because they acted on them."""
    spans = storage.channels.subscriptions.spans_by_channel(tx, user.id)
    storage.messages.flags.add_flags(
        tx,
        user.id,
        "historical",
        [
            message.id
            for message in some
            if message.channel_id is not None
            and not any(span.received(message) for span in spans.get(message.origin_channel_id, ()))
        ],
    )


def announce_flags(
    tx: Tx,
    user_id: int,
    op: Literal["add", "remove"],
    flag: str,
    ids: list[int],
    *,
    everything: bool = False,
    details: dict[int, UnreadDetails] | None = None,
) -> None:
    event = FlagsChanged(op, flag, ids, everything, details)
    events.log.announce(tx, event, to=Users([user_id]))
