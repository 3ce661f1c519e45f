"""Flags and read state: what a user has read or starred, and who has read a message."""

from typing import Annotated

from tertulia import actions, api, domain
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.api.call import Call
from tertulia.api.messages.history import Narrow
from tertulia.http.parameter_rules import AtLeast, Id, MaxItems, MaxLength
from tertulia.http.replies import Reply

MAX_MESSAGES = 10_000


class FlagsUpdated(Reply):
    messages: list[int]
    ignored_because_not_subscribed_channels: list[int]


class NarrowUpdated(Reply):
    processed_count: int
    updated_count: int
    first_processed_id: int | None
    last_processed_id: int | None
    found_oldest: bool
    found_newest: bool
    ignored_because_not_subscribed_channels: list[int]


class AllRead(Reply):
    complete: bool


class Readers(Reply):
    user_ids: list[int]


async def update(
    call: Call,
    *,
    messages: Annotated[list[Id], MaxItems(MAX_MESSAGES)],
    op: Annotated[str, MaxLength(100)],
    flag: Annotated[str, MaxLength(100)],
) -> FlagsUpdated:
    """Set or clear a flag on messages."""
    update = await call.db.write(actions.messages.flags.update, call.user, messages, op, flag)
    return FlagsUpdated(messages, update.ignored_channels)


async def update_in_narrow(
    call: Call,
    *,
    anchor: str,
    num_before: Annotated[int, AtLeast(0)],
    num_after: Annotated[int, AtLeast(0)],
    narrow: Narrow,
    op: Annotated[str, MaxLength(100)],
    flag: Annotated[str, MaxLength(100)],
    anchor_date: str | None = None,
    include_anchor: bool = True,
) -> NarrowUpdated:
    """Set or clear a flag on a range of messages in a narrow.

    The range may be shorter than requested; `found_oldest` and `found_newest` say whether more is
    left.
    """
    window = api.messages.history.window_from(
        anchor, anchor_date, *_fewer(num_before, num_after), include_anchor
    )
    who = NarrowViewer(call.user, call.org.email_domain)
    terms = domain.messages.narrow.terms_from(narrow)
    await api.messages.history.prepare_search(call, terms)
    marked = await call.db.write(
        actions.messages.flags.update_in_narrow, who, terms, window, op, flag
    )
    found = marked.found
    return NarrowUpdated(
        processed_count=len(found.ids),
        updated_count=len(marked.update.changed),
        first_processed_id=found.ids[0] if found.ids else None,
        last_processed_id=found.ids[-1] if found.ids else None,
        found_oldest=found.found_oldest,
        found_newest=found.found_newest,
        ignored_because_not_subscribed_channels=marked.update.ignored_channels,
    )


def _fewer(num_before: int, num_after: int) -> tuple[int, int]:
    """Limit both sides of the range; one side gets what the other leaves unused."""
    limit = domain.limits.MAX_MESSAGES_PER_FETCH
    before = min(num_before, max(limit // 2, limit - num_after))
    return before, min(num_after, limit - before)


async def mark_all_as_read(call: Call) -> AllRead:
    """Mark all messages as read."""
    await call.db.write(actions.messages.read_state.mark_all_read, call.user)
    return AllRead(complete=True)


async def mark_stream_as_read(call: Call, *, stream_id: Id) -> None:
    """Mark a channel as read."""
    await call.db.write(actions.messages.flags.mark_conversation_read, call.user, stream_id)


async def mark_topic_as_read(
    call: Call,
    *,
    stream_id: Id,
    topic_name: Annotated[str, MaxLength(domain.limits.MAX_TOPIC_LENGTH)],
) -> None:
    """Mark a topic as read."""
    await call.db.write(
        actions.messages.flags.mark_conversation_read, call.user, stream_id, topic_name
    )


async def read_receipts(call: Call, message_id: int) -> Readers:
    """Get the users who have read a message."""
    return Readers(await call.db.read(actions.messages.flags.read_receipts, call.user, message_id))
