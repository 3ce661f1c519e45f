"""Fetching messages: around an anchor, by id, or by a narrow."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.history import MessageRange, TooMuchText, Window
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.api.call import Call
from tertulia.caches.history import Fragment
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.narrow import Term
from tertulia.domain.search.highlight import Highlighter
from tertulia.errors import BadRequest
from tertulia.errors.parameters import UnsupportedCombination
from tertulia.events.history_reader import HistoryReader, MessageFormat
from tertulia.events.types.messages.message import MatchContent, MatchSubject, MessageObject
from tertulia.fair_queue import FairQueue
from tertulia.http.dispatch import cancel_on_disconnect
from tertulia.http.parameter_rules import AtLeast, Example, Id, MaxItems
from tertulia.http.replies import Encoded, Reply
from tertulia.memo import memoized
from tertulia.storage.messages.unread import Flags
from tertulia.wire import Doc
from tertulia.wire_fields import (
    AllowEmptyTopicName,
    AlwaysFalse,
    ApplyMarkdown,
    ClientGravatar,
    MessageId,
)

T = TypeVar("T")

Narrow = Annotated[
    list[Any],
    MaxItems(100),
    Doc(
        "The filter: a list of terms that must all match.",
        example=[{"operator": "channel", "operand": "general"}],
    ),
]

# One slot: marking holds the interpreter, so a second thread would not make it faster.
HIGHLIGHTS = FairQueue("highlights", slots=1, max_waiting=100)
# An answer is in memory until its reader has taken it: each person gets one at a time.
LARGE_ANSWERS = FairQueue("large_answers", slots=2, max_waiting=100, slots_per_person=1)

_encode = msgspec.json.Encoder().encode

_READ: Flags = ("read",)  # to an anonymous caller
MAX_MESSAGES_ON_LOOP = 500  # messages; more are read on a thread
BATCH_SIZE = 500  # messages that are encoded before other requests get a turn
MAX_ENCODED_INLINE = 10  # an uncached message costs as much as this many cached ones
BYTES_PER_EFFORT = 1 << 11
MAX_BATCHES = 20  # that a search waits for the index


IncludeAnchor = Annotated[bool, Doc("Whether to include the anchor message.")]
Anchor = Annotated[
    str,
    Doc(
        "The message to start from: its id, `newest`, `oldest`, `first_unread` or `date`.",
        example="newest",
    ),
]
AnchorDate = Annotated[str, Doc("With the anchor `date`: the time to start from, as ISO 8601.")]


class Extent(Reply):
    """How far the found messages reach."""

    found_anchor: Annotated[bool, Doc("Whether the anchor message is included.")]
    found_oldest: Annotated[bool, Doc("Whether there are no older messages.")]
    found_newest: Annotated[bool, Doc("Whether there are no newer messages.")]
    anchor: Annotated[int | UnsetType, Doc("The id of the anchor message.")] = UNSET
    history_limited: AlwaysFalse = False


class Messages(Extent, kw_only=True):
    messages: Annotated[list[MessageObject], Doc("The messages.")]


class OneMessage(Reply):
    message: Annotated[MessageObject, Doc("The message.")]
    raw_content: Annotated[str, Doc("The text in Markdown.")]


class MatchedText(msgspec.Struct):
    match_content: MatchContent
    match_subject: MatchSubject


class Matches(Reply):
    messages: Annotated[
        dict[str, MatchedText], Doc("The matching messages, by id, with their highlights.")
    ]


async def fetch_messages(
    call: Call,
    *,
    anchor: Annotated[Anchor | None, Example("newest")] = None,
    anchor_date: AnchorDate | None = None,
    num_before: Annotated[
        int, AtLeast(0), Doc("The number of messages before the anchor."), Example(20)
    ] = 0,
    num_after: Annotated[
        int, AtLeast(0), Doc("The number of messages after the anchor."), Example(0)
    ] = 0,
    include_anchor: IncludeAnchor = True,
    use_first_unread_anchor: Annotated[
        bool, Doc("An older way to request the anchor `first_unread`.")
    ] = False,
    narrow: Annotated[
        Narrow | None, Example([{"operator": "channel", "operand": "general"}])
    ] = None,
    message_ids: Annotated[
        list[Id] | None,
        MaxItems(domain.limits.MAX_MESSAGES_PER_FETCH),
        Doc("Ids of the messages to fetch."),
    ] = None,
    apply_markdown: ApplyMarkdown = True,
    client_gravatar: ClientGravatar = True,
    allow_empty_topic_name: AllowEmptyTopicName = False,
) -> Encoded[Messages]:
    """Fetch messages around an anchor, or by id."""
    format = MessageFormat(apply_markdown, client_gravatar, allow_empty_topic_name)
    terms = domain.messages.narrow.terms_from(narrow or [])
    if call.caller is None:
        actions.messages.narrow_selection.check_for_all(terms)
    await prepare_search(call, terms)
    if message_ids is not None:
        if anchor is not None or num_before or num_after or use_first_unread_anchor:
            raise UnsupportedCombination(
                parameters="num_before, num_after, anchor, message_ids, include_anchor,"
                " use_first_unread_anchor"
            )
        return await _with_size_limit(
            call, len(message_ids), partial(_filter_matching, call, format, terms, message_ids)
        )
    if num_before + num_after > domain.limits.MAX_MESSAGES_PER_FETCH:
        raise BadRequest(
            f"Too many messages requested (maximum {domain.limits.MAX_MESSAGES_PER_FETCH})."
        )
    if use_first_unread_anchor:
        anchor = "first_unread"
    if anchor is None:
        raise BadRequest("Missing 'anchor' argument.")
    window = window_from(anchor, anchor_date, num_before, num_after, include_anchor)
    await _catch_up(call, terms, window)
    count = num_before + num_after
    return await _with_size_limit(call, count, partial(_around, call, format, terms, window))


async def _filter_matching(
    call: Call, format: MessageFormat, terms: list[Term], message_ids: list[int], is_little: bool
) -> Encoded[Messages]:
    reader = _history_reader(call, format)
    read = _reader_for(call, terms, is_little)
    query_args = viewer_of(call), terms, message_ids
    shown = await read(actions.messages.history.filter_matching, *query_args, is_little=is_little)
    return await _response(call, reader, shown, Extent(False, False, False))


async def _around(
    call: Call, format: MessageFormat, terms: list[Term], window: Window, is_little: bool
) -> Encoded[Messages]:
    reader = _history_reader(call, format)
    read = _reader_for(call, terms, is_little)
    query_args = viewer_of(call), terms, window, reader
    found, shown = await read(actions.messages.history.around, *query_args, is_little=is_little)
    extent = Extent(found.found_anchor, found.found_oldest, found.found_newest, found.anchor)
    return await _response(call, reader, shown, extent)


async def _with_size_limit(call: Call, count: int, respond: Callable[[bool], Awaitable[T]]) -> T:
    """Encode small results at once. Large ones go through the queue one at a time, because a
    response is in memory until its reader has taken it."""
    if count <= MAX_MESSAGES_ON_LOOP:
        with suppress(TooMuchText):
            return await respond(True)
    async with LARGE_ANSWERS.slot(call.person):
        call.request.check_connected()
        return await respond(False)


def _reader_for(call: Call, terms: list[Term], is_little: bool) -> Callable[..., Awaitable[Any]]:
    """How messages are read: on a thread if it may take long."""
    if is_little and not _searches(terms):
        return call.db.read
    return partial(_read_while_connected, call)


async def _read_while_connected(
    call: Call, query: Callable[..., T], *args: Any, **kwargs: Any
) -> T:
    """Read on a thread. The read ends when the client disconnects."""
    read = call.db.in_thread.read(query, *args, **kwargs)
    found: T = await cancel_on_disconnect(read, call.request)
    return found


async def matches_narrow(
    call: Call,
    *,
    msg_ids: Annotated[
        list[Id],
        MaxItems(domain.limits.MAX_MESSAGES_PER_FETCH),
        Doc("Ids of the messages to check.", example=[42]),
    ],
    narrow: Narrow,
) -> Matches:
    """Check which messages match a narrow."""
    terms = domain.messages.narrow.terms_from(narrow)
    await prepare_search(call, terms)
    return await _with_size_limit(call, len(msg_ids), partial(_matches, call, terms, msg_ids))


async def _matches(call: Call, terms: list[Term], msg_ids: list[int], is_little: bool) -> Matches:
    read = _reader_for(call, terms, is_little)
    query_args = viewer_of(call), terms, msg_ids
    found, highlighter = await read(
        actions.messages.history.matching, *query_args, is_little=is_little
    )
    marked = await _marked(call, highlighter, found)
    return Matches({str(message_id): text for message_id, text in marked.items()})


async def fetch_message(
    call: Call,
    message_id: MessageId,
    *,
    apply_markdown: ApplyMarkdown = True,
    client_gravatar: ClientGravatar = True,
    allow_empty_topic_name: AllowEmptyTopicName = False,
) -> Encoded[OneMessage]:
    """Fetch one message."""
    if call.caller is None:
        read = await call.db.read(actions.messages.history.get_for_all, message_id)
        message, flags = events.public_messages.shown(call.org, read), _READ
    else:
        message, flags = await call.db.read(actions.messages.history.get, call.caller, message_id)
    format = MessageFormat(apply_markdown, client_gravatar, allow_empty_topic_name)
    encoded = _text_of(call, format, message) + _personal_part(flags)[:-1]
    return Encoded(b'{"message":%s,"raw_content":%s}' % (encoded, _encode(message.content)))


async def prepare_search(call: Call, terms: list[Term]) -> None:
    """Catch up the search index if a search would otherwise read many messages itself.

    After a large import this takes longer than a request may; the job then continues.
    """
    if _searches(terms):
        for _ in range(MAX_BATCHES):
            if not await _read_while_connected(call, actions.messages.search_index.is_far_behind):
                return
            batch = await _read_while_connected(call, storage.search.batch.prepare)
            await call.db.write(storage.search.batch.write, batch)


def _searches(terms: list[Term]) -> bool:
    """Whether the narrow searches texts, which may take long."""
    return any(term.operator == "search" for term in terms)


async def _catch_up(call: Call, terms: list[Term], window: Window) -> None:
    """Store the read state, so that a query for unread messages scans only what is newer."""
    needs_unread = window.anchor == "first_unread" or any(
        (term.operator, term.operand) == ("is", "unread") for term in terms
    )
    if (
        needs_unread
        and call.caller is not None
        and await call.db.read(actions.messages.read_state.is_behind, call.caller.id)
    ):
        await call.db.write(actions.messages.read_state.catch_up, call.caller.id)


def viewer_of(call: Call) -> NarrowViewer:
    return NarrowViewer(call.reader, call.org.email_domain)


def window_from(
    anchor: str, anchor_date: str | None, num_before: int, num_after: int, include_anchor: bool
) -> Window:
    """The requested window of history around an anchor."""
    if not include_anchor and num_before and num_after:
        raise BadRequest("The anchor can only be excluded at an end of the range")
    moment = None
    parsed_anchor: int | str = anchor
    if anchor == "date":
        if anchor_date is None:
            raise BadRequest("Missing 'anchor_date' argument.")
        moment = _timestamp(anchor_date)
    elif anchor not in ("newest", "oldest", "first_unread"):
        digits = anchor.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()):
            raise BadRequest("Invalid anchor")
        parsed_anchor = (
            min(int(digits[:20]), actions.messages.history.NEWEST) if digits == anchor else 0
        )
    return Window(parsed_anchor, num_before, num_after, include_anchor, moment)


def _timestamp(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        raise BadRequest("anchor_date is not an ISO 8601 datetime string") from None


def _history_reader(call: Call, format: MessageFormat) -> HistoryReader:
    shares = call.org.may_know_all(call.caller)
    return HistoryReader.begin(call.services.caches, call.org, format, shares)


async def _response(
    call: Call, reader: HistoryReader, shown: MessageRange, extent: Extent
) -> Encoded[Messages]:
    """The response: the shared encoding of each message, then the caller's own fields."""
    texts = [each.text for each in shown.messages.values() if type(each) is Fragment]
    if len(texts) < len(shown.messages):
        texts = await _texts(call, reader, shown)
    flags = [_READ] * len(texts) if call.caller is None else shown.flags.values()
    pieces = [
        b'{"messages":[',
        *chain.from_iterable(zip(texts, map(_personal_part, flags), strict=True)),
    ]
    reader.touch(shown.flags)
    if texts:
        pieces[-1] = pieces[-1][:-1]
    return Encoded(*pieces, b"],", _encode(extent)[1:])


async def _texts(call: Call, reader: HistoryReader, shown: MessageRange) -> list[bytes]:
    """The messages without flags; some are not cached, or have to be highlighted.

    Each encoded message is dropped from the input, so that megabytes are held once.
    """
    if call.caller is None and not reader.shares:
        for message in shown.messages.values():
            if isinstance(message, Message):
                shown.messages[message.id] = events.public_messages.shown(call.org, message)
    marked = {}
    if shown.highlighter is not None:
        read = [each for each in shown.messages.values() if isinstance(each, Message)]
        marked = await _marked(call, shown.highlighter, read)
        del read
    texts = []
    effort = 0
    for message_id in shown.flags:
        message = shown.messages.pop(message_id)
        if effort > BATCH_SIZE:
            effort = 0
            await asyncio.sleep(0)
        if isinstance(message, Fragment):
            effort += 1
            texts.append(message.text)
            continue
        text = (
            reader.encode(message, shown.seq)
            if reader.shares
            else _text_of(call, reader.format, message)
        )
        effort += MAX_ENCODED_INLINE + len(text) // BYTES_PER_EFFORT
        if message.id in marked:
            text += b"," + _encode(marked[message.id])[1:-1]
        texts.append(text)
    return texts


def _text_of(call: Call, format: MessageFormat, message: Message) -> bytes:
    """A message for this caller, who may not be allowed to see the sender."""
    knows_sender = call.org.may_know(call.caller, call.org.users[message.sender_id])
    return events.history_reader.encode(call.org, message, format, knows_sender=knows_sender)


@memoized("message_flags", 256)
def _personal_part(flags: Flags) -> bytes:
    """The caller's own fields, the end of the message, and the comma before the next one."""
    return b',"flags":%b},' % _encode(flags)


async def _marked(
    call: Call, highlighter: Highlighter, found: list[Message]
) -> dict[int, MatchedText]:
    """The found messages with search highlights; for thousands of messages this takes long."""

    def mark() -> dict[int, MatchedText]:
        return {
            message.id: MatchedText(
                call.org.shown(highlighter.markup(message.rendered)),
                highlighter.text(message.topic),
            )
            for message in found
        }

    return await HIGHLIGHTS.run(call.person, mark)
