"""Flags and read state: what a user has read or starred, and who has read a message."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.actions.messages.flags import FlagUpdate
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.api.call import Call
from tertulia.api.messages import history
from tertulia.api.messages.history import Anchor, AnchorDate, IncludeAnchor, Narrow
from tertulia.http.parameter_rules import AtLeast, Id, MaxItems, MaxLength
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId, Complete, MessageId

MAX_MESSAGES = 10_000


IgnoredBecauseNotSubscribedChannels = Annotated[
    list[int],
    Doc("Ids of channels whose messages were not changed, because the user is not subscribed."),
]
Flag = Annotated[str, MaxLength(100), Doc("The flag, such as `read` or `starred`.", example="read")]
Op = Annotated[
    str, MaxLength(100), Doc("The operation: `add` or `remove`, `start` or `stop`.", example="add")
]


class FlagsUpdated(Reply):
    messages: Annotated[list[int], Doc("Ids of the changed messages.")]
    ignored_because_not_subscribed_channels: IgnoredBecauseNotSubscribedChannels


class NarrowUpdated(Reply):
    processed_count: Annotated[int, Doc("The number of processed messages.")]
    updated_count: Annotated[int, Doc("The number of changed messages.")]
    first_processed_id: Annotated[
        int | None, Doc("The first message that was processed; null if there is none.")
    ]
    last_processed_id: Annotated[
        int | None, Doc("The last message that was processed; null if there is none.")
    ]
    found_oldest: Annotated[bool, Doc("Whether there are no older messages.")]
    found_newest: Annotated[bool, Doc("Whether there are no newer messages.")]
    ignored_because_not_subscribed_channels: IgnoredBecauseNotSubscribedChannels


class AllRead(Reply):
    complete: Complete


class Readers(Reply):
    user_ids: Annotated[list[int], Doc("Ids of the users who have read the message.")]


async def update(
    call: Call,
    *,
    messages: Annotated[
        list[Id], MaxItems(MAX_MESSAGES), Doc("Ids of the messages.", example=[42])
    ],
    op: Op,
    flag: Flag,
) -> FlagsUpdated:
    """Set or clear a flag on messages."""
    first, *others = domain.portions.split(messages, actions.messages.flags.MAX_PER_WRITE) or [[]]
    if others:
        await call.db.in_thread.read(actions.messages.flags.check, call.user, messages, op, flag)
    update = await call.db.write(actions.messages.flags.update, call.user, first, op, flag)
    update = await _with_remaining(call, update, others, op, flag)
    return FlagsUpdated(messages, update.ignored_channels)


async def _with_remaining(
    call: Call, first: FlagUpdate, others: list[list[int]], op: str, flag: str
) -> FlagUpdate:
    """Update the messages that the first write left, with other writes in between."""
    action = actions.messages.flags.update_remaining
    updates = [await call.db.write(action, call.user, some, op, flag) for some in others]
    return actions.messages.flags.joined([first, *updates])


async def update_in_narrow(
    call: Call,
    *,
    anchor: Anchor,
    num_before: Annotated[
        int, AtLeast(0), Doc("The number of messages before the anchor.", example=20)
    ],
    num_after: Annotated[
        int, AtLeast(0), Doc("The number of messages after the anchor.", example=0)
    ],
    narrow: Annotated[
        Narrow,
        Doc(
            "The filter: a list of terms that must all match.",
            example=[{"operator": "channel", "operand": "general"}],
        ),
    ],
    op: Op,
    flag: Flag,
    anchor_date: AnchorDate | None = None,
    include_anchor: IncludeAnchor = True,
) -> NarrowUpdated:
    """Set or clear a flag on a range of messages in a narrow.

    The range may be shorter than requested; `found_oldest` and `found_newest` say whether more is
    left.
    """
    window = history.window_from(
        anchor, anchor_date, *_fewer(num_before, num_after), include_anchor
    )
    who = NarrowViewer(call.user, call.org.email_domain)
    terms = domain.messages.narrow.terms_from(narrow)
    await history.prepare_search(call, terms)
    marked = await call.db.write(
        actions.messages.flags.update_in_narrow, who, terms, window, op, flag
    )
    found = marked.found
    size = actions.messages.flags.MAX_PER_WRITE
    others = domain.portions.split(found.ids[size:], size)
    update = await _with_remaining(call, marked.update, others, op, flag)
    return NarrowUpdated(
        processed_count=len(found.ids),
        updated_count=len(update.changed),
        first_processed_id=found.ids[0] if found.ids else None,
        last_processed_id=found.ids[-1] if found.ids else None,
        found_oldest=found.found_oldest,
        found_newest=found.found_newest,
        ignored_because_not_subscribed_channels=update.ignored_channels,
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


async def mark_stream_as_read(call: Call, *, stream_id: ChannelId) -> None:
    """Mark a channel as read."""
    await call.db.write(actions.messages.flags.mark_conversation_read, call.user, stream_id)


async def mark_topic_as_read(
    call: Call,
    *,
    stream_id: ChannelId,
    topic_name: Annotated[
        str, MaxLength(domain.limits.MAX_TOPIC_LENGTH), Doc("The topic.", example="lunch")
    ],
) -> None:
    """Mark a topic as read."""
    await call.db.write(
        actions.messages.flags.mark_conversation_read, call.user, stream_id, topic_name
    )


async def read_receipts(call: Call, message_id: MessageId) -> Readers:
    """Get the users who have read a message."""
    return Readers(await call.db.read(actions.messages.flags.read_receipts, call.user, message_id))
