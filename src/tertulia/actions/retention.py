"""Retention: deleting messages that are older than their channel or organization wants.

Little by little, so that nobody has to wait for it, and for real: what is deleted is nowhere.
"""

from itertools import groupby

from tertulia.actions import reminders
from tertulia.domain.channels import FOREVER
from tertulia.domain.messages import Message
from tertulia.events.audience import Subscribers, Users, Watchers
from tertulia.events.log import announce
from tertulia.events.types.edits import FirstMessageChanged, MessagesDeleted
from tertulia.storage import channels, messages, realms
from tertulia.storage.tx import Tx

MOST_AT_ONCE = 50
SECONDS_PER_DAY = 86_400

DIRECT = None  # stands for all conversations, where a channel is named otherwise


def places_with_old(tx: Tx) -> list[int | None]:
    """The channels that hold messages which are due to go; DIRECT for conversations."""
    found: list[int | None] = [*channels.with_old_messages(tx, _default_days(tx))]
    return [*found, DIRECT] if _old(tx, DIRECT, 1) else found


def delete_some(tx: Tx, place: int | None) -> int:
    """Delete the oldest that are due to go, and tell those who had them; says how many."""
    old = _old(tx, place, MOST_AT_ONCE)
    ids = [message.id for message in old]
    if not ids:
        return 0
    reminders.forget_about(tx, ids)
    messages.delete(tx, ids)
    if place is DIRECT:
        _tell_of_direct(tx, old)
    else:
        _tell_of_channel(tx, place, old)
    return len(ids)


def _old(tx: Tx, place: int | None, most: int) -> list[Message]:
    days = _default_days(tx)
    if place is not DIRECT:
        channel = channels.find(tx, place)
        if channel is not None and channel.retention_days is not None:
            days = channel.retention_days
    if days <= 0:
        return []
    before = tx.now - days * SECONDS_PER_DAY
    oldest = messages.oldest(tx, place, most)
    return [message for message in oldest if message.sent_at < before]


def _default_days(tx: Tx) -> int:
    """How long the organization keeps messages; FOREVER is a negative number."""
    days: int | None = realms.current(tx).setting("message_retention_days")
    return FOREVER if days is None else days


def _tell_of_channel(tx: Tx, channel_id: int, gone: list[Message]) -> None:
    for topic, some in groupby(sorted(gone, key=lambda each: each.topic), lambda each: each.topic):
        ids = [message.id for message in some]
        announce(tx, MessagesDeleted(ids, channel_id, topic), to=Subscribers(channel_id))
    first = next((message.id for message in messages.oldest(tx, channel_id, 1)), None)
    channels.set_first_message(tx, channel_id, first)
    announce(tx, FirstMessageChanged(channel_id, first), to=Watchers(channel_id))


def _tell_of_direct(tx: Tx, gone: list[Message]) -> None:
    by_conversation = sorted(gone, key=lambda each: each.member_ids)
    for members, some in groupby(by_conversation, lambda each: each.member_ids):
        ids = [message.id for message in some]
        announce(tx, MessagesDeleted(ids), to=Users(list(members)))
