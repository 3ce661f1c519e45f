"""Retention: deleting messages that are older than their channel or organization wants.

Little by little, so that nobody has to wait for it, and for real: what is deleted is nowhere.
"""

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import FOREVER
from tertulia.domain.messages.message import Message

IN_VIEW = 50  # so many of the oldest are looked at
AT_ONCE = 5  # and so many deleted together, so that nobody waits for it
SECONDS_PER_DAY = 86_400

DIRECT = None  # stands for all conversations, where a channel is named otherwise


def places_with_old(tx: Tx) -> list[int | None]:
    """The channels that hold messages which are due to go; DIRECT for conversations."""
    found: list[int | None] = [*storage.channels.with_old_messages(tx, _default_days(tx))]
    return [*found, DIRECT] if _old(tx, DIRECT, 1) else found


def delete_some(tx: Tx, place: int | None) -> int:
    """Delete a few of the oldest that are due to go, all of one topic or conversation, and tell
    those who had them; says how many."""
    old = _old(tx, place, IN_VIEW)
    if not old:
        return 0
    doomed = [each for each in old if _conversation(each) == _conversation(old[0])][:AT_ONCE]
    channel = None if place is DIRECT else storage.channels.find(tx, place)
    actions.messages.deletion.remove(tx, channel, doomed)
    return len(doomed)


def _conversation(message: Message) -> tuple[str, tuple[int, ...]]:
    """What is told of in one event: a topic, or the people who talked."""
    return message.topic, message.member_ids


def _old(tx: Tx, place: int | None, most: int) -> list[Message]:
    days = _default_days(tx)
    if place is not DIRECT:
        channel = storage.channels.find(tx, place)
        if channel is not None and channel.retention_days is not None:
            days = channel.retention_days
    if days <= 0:
        return []
    before = tx.now - days * SECONDS_PER_DAY
    oldest = storage.messages.oldest(tx, place, most)
    return [message for message in oldest if message.sent_at < before]


def _default_days(tx: Tx) -> int:
    """How long the organization keeps messages; FOREVER is a negative number."""
    days: int | None = storage.organization.current(tx).setting("message_retention_days")
    return FOREVER if days is None else days
