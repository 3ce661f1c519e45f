"""What somebody has read: unread messages and the marks on messages, seen by their owner."""

from collections.abc import Sequence

from pyroaring import BitMap64

from tertulia.domain.messages import Message
from tertulia.storage import messages, subscriptions, unread
from tertulia.storage.tx import Tx

CATCH_UP_AFTER = 200  # messages; below that, adding them on each look is cheaper than a write


def catch_up(tx: Tx, user_id: int) -> None:
    """Store the bitmap as it is now, if much has come since it was stored."""
    newest = messages.newest_id(tx)
    if newest - unread.caught_up_to(tx, user_id) > CATCH_UP_AFTER:
        unread.store(tx, user_id, unread.load(tx, user_id), newest)


def flags_for(tx: Tx, user_id: int, shown: Sequence[Message]) -> dict[int, list[str]]:
    """The flags of each message for this reader, in the words of clients."""
    ids = [message.id for message in shown]
    not_read = unread.load(tx, user_id)
    marks = unread.flags_of(tx, user_id, ids)
    spans = subscriptions.spans_of(tx, user_id)
    flags: dict[int, list[str]] = {}
    for message in shown:
        found = list(marks.get(message.id, ()))
        received = message.channel_id is None or any(
            span.channel_id == message.channel_id and span.covers_message(message.id)
            for span in spans
        )
        if message.id not in not_read:
            found.insert(0, "read")
        if received and message.channel_wildcard:
            found.append("stream_wildcard_mentioned")
        if {"stream_wildcard_mentioned", "topic_wildcard_mentioned"} & set(found):
            found.append("wildcard_mentioned")
        if not received:
            found.append("historical")
        flags[message.id] = found
    return flags


def mark_place_read(tx: Tx, user_id: int, channel_id: int) -> None:
    """Nothing in this channel is unread any more."""
    waiting = unread.load(tx, user_id)
    here = {each.id for each in unread.describe(tx, list(waiting)) if each.channel_id == channel_id}
    if here:
        unread.store(tx, user_id, waiting - BitMap64(here), messages.newest_id(tx))
