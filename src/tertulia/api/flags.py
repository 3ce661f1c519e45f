"""Flags and reading: what somebody has read or starred, and who has read a message."""

from typing import Annotated

from tertulia.actions import reading
from tertulia.api.call import Call
from tertulia.http.replies import Reply, ok
from tertulia.http.rules import Id, MaxItems, MaxLength

MOST_MESSAGES = 10_000


class FlagsUpdated(Reply):
    messages: list[int]
    ignored_because_not_subscribed_channels: list[int]


class AllRead(Reply):
    complete: bool


class Readers(Reply):
    user_ids: list[int]


async def update(
    call: Call,
    *,
    messages: Annotated[list[Id], MaxItems(MOST_MESSAGES)],
    op: Annotated[str, MaxLength(100)],
    flag: Annotated[str, MaxLength(100)],
) -> FlagsUpdated:
    """Set or clear a flag on messages."""
    update = await call.db.write(reading.update_flags, call.user, messages, op, flag)
    return FlagsUpdated(messages, update.ignored_channels)


async def mark_all_as_read(call: Call) -> AllRead:
    """Mark everything as read."""
    await call.db.write(reading.mark_all_read, call.user)
    return AllRead(complete=True)


async def mark_stream_as_read(call: Call, *, stream_id: Id) -> Reply:
    """Mark a channel as read."""
    await call.db.write(reading.read_place, call.user, stream_id)
    return ok()


async def mark_topic_as_read(
    call: Call, *, stream_id: Id, topic_name: Annotated[str, MaxLength(1000)]
) -> Reply:
    """Mark a topic as read."""
    await call.db.write(reading.read_place, call.user, stream_id, topic_name)
    return ok()


async def read_receipts(call: Call, message_id: int) -> Readers:
    """Who has read a message."""
    return Readers(await call.db.read(reading.read_receipts, call.user, message_id))
