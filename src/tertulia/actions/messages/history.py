"""Message history: one message by id, or a range around an anchor."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import msgspec
from msgspec.structs import replace

from tertulia import storage
from tertulia.actions.channels.access import AccessByDirectory
from tertulia.actions.messages import narrow_selection
from tertulia.actions.messages.access import visible_to
from tertulia.actions.messages.narrow_selection import Narrowed
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.caches.history import Fragment
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.narrow import Term
from tertulia.domain.people.user import User
from tertulia.domain.search.highlight import Highlighter
from tertulia.domain.search.query import Query
from tertulia.errors import BadRequest
from tertulia.errors.authentication import NotLoggedIn
from tertulia.events.history_reader import HistoryReader
from tertulia.storage.messages.unread import Flags

MAX_RESPONSE_CHARACTERS = 24_000_000  # of all messages in a response, as text and HTML
MAX_UNQUEUED_CHARACTERS = 2_000_000  # more text is read in a fair queue
BATCH_SIZE = 100  # messages per read, before the remaining room is checked
REACTION_LENGTH = 250  # approximate size in a response
NEWEST = 10_000_000_000_000_000  # an anchor after every message; clients use this number


class TooMuchText(Exception):
    """The response is larger than the caller allowed."""


class Window(msgspec.Struct, frozen=True):
    """A range of history: numbers of messages before and after an anchor."""

    anchor: int | str  # an id, or newest, oldest, first_unread, date
    before: int
    after: int
    include_anchor: bool = True
    moment: float | None = None


class HistoryWindow(msgspec.Struct, frozen=True):
    """Message ids, oldest first, and whether the window reaches the ends of the history."""

    ids: list[int]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


class MessageRange(msgspec.Struct, frozen=True):
    """Messages as a reader sees them, as of a log position."""

    seq: int
    messages: dict[int, Message | Fragment]  # in order
    flags: dict[int, Flags]  # in the same order
    highlighter: Highlighter | None = None  # for search results


def get(tx: Tx, user: User, message_id: int, *, all_texts: bool = False) -> tuple[Message, Flags]:
    found = visible_to(tx, user, message_id)
    (message,) = storage.messages.details.with_details(tx, [found], all_texts=all_texts)
    shown = {message.id: message.provenance}
    return message, storage.messages.unread.flags_for(tx, user.id, shown)[message.id]


def get_for_all(tx: Tx, message_id: int) -> Message:
    """A message that may be read without a login."""
    message = storage.messages.table.find(tx, message_id)
    channel_id = None if message is None else message.channel_id
    channel = None if channel_id is None else storage.channels.table.find(tx, channel_id)
    if message is None or channel is None or not channel.is_web_public:
        raise NotLoggedIn()
    return storage.messages.details.with_details(tx, [message])[0]


def filter_matching(
    tx: Tx, viewer: NarrowViewer, terms: list[Term], message_ids: list[int], *, is_little: bool
) -> MessageRange:
    """Those of the given messages that the user may see and that match."""
    narrow = narrow_selection.narrowed_to_visible(tx, viewer, terms)
    ids = storage.messages.history.among(tx, narrow.selection, message_ids)
    found: dict[int, Message | Fragment] = {**_all_of(tx, ids, is_little)}
    return _shown(tx, viewer.user, narrow, found, storage.log.head(tx))


def around(
    tx: Tx,
    viewer: NarrowViewer,
    terms: list[Term],
    window: Window,
    reader: HistoryReader,
    *,
    is_little: bool,
) -> tuple[HistoryWindow, MessageRange]:
    """A range of the history of a narrow, as much as fits in a response.

    Raises TooMuchText if `is_little` is set and the text is too large.
    """
    end = storage.log.end(tx)
    is_known = reader.is_up_to_date(end, tx)
    is_agent = viewer.user.grant is not None
    access = AccessByDirectory(reader.org, viewer.user) if is_known and not is_agent else None
    narrow = narrow_selection.narrowed(tx, viewer, terms, access)
    found = within(tx, viewer.user, narrow, window)
    # Search results are highlighted in the text, so the text must be read.
    known = reader.find(found.ids) if is_known and narrow.searched is None else {}
    found, messages = _fitting(tx, found, known, is_little)
    return found, _shown(tx, viewer.user, narrow, messages, end.seq)


def matching(
    tx: Tx, viewer: NarrowViewer, terms: list[Term], message_ids: list[int], *, is_little: bool
) -> tuple[list[Message], Highlighter]:
    """Those of the given messages that the user has received and that match, to be highlighted."""
    narrow = narrow_selection.narrowed_to_received(tx, viewer, terms)
    ids = storage.messages.history.among(tx, narrow.selection, message_ids)
    found = _all_of(tx, ids, is_little)
    return list(found.values()), Highlighter(narrow.searched or Query())


def within(tx: Tx, user: User, narrow: Narrowed, window: Window) -> HistoryWindow:
    selection = narrow.selection
    anchor = _resolve(tx, user, narrow, window)
    includes = window.include_anchor and 0 < anchor < NEWEST
    at = storage.messages.history.among(tx, selection, [anchor]) if includes else []
    earlier = storage.messages.history.before(tx, selection, anchor, window.before)
    later = storage.messages.history.after(tx, selection, anchor, window.after)
    return HistoryWindow(
        ids=earlier + at + later,
        anchor=anchor,
        found_anchor=bool(at),
        found_oldest=anchor == 0 or len(earlier) < window.before,
        found_newest=anchor >= NEWEST or len(later) < window.after,
    )


def _resolve(tx: Tx, user: User, narrow: Narrowed, window: Window) -> int:
    """The anchor as an id."""
    if isinstance(window.anchor, int):
        return max(0, min(window.anchor, NEWEST))
    if window.anchor == "oldest":
        return 0
    if window.anchor == "date":
        assert window.moment is not None
        found = storage.messages.history.first_since(tx, narrow.selection, window.moment)
        return (
            found
            if found is not None
            else (storage.messages.history.newest(tx, narrow.selection) or NEWEST)
        )
    if window.anchor == "first_unread":
        first = storage.messages.history.after(
            tx, narrow_selection.unread_of(tx, user, narrow), 0, 1
        )
        return first[0] if first else NEWEST
    return NEWEST


def _shown(
    tx: Tx, user: User, narrow: Narrowed, messages: dict[int, Message | Fragment], seq: int
) -> MessageRange:
    provenance = {number: each.provenance for number, each in messages.items()}
    flags = storage.messages.unread.flags_for(tx, user.id, provenance)
    highlighter = None if narrow.searched is None else Highlighter(narrow.searched)
    return MessageRange(seq, messages, flags, highlighter)


# --- response size ---


def _fitting(
    tx: Tx, found: HistoryWindow, known: Mapping[int, Fragment], is_little: bool
) -> tuple[HistoryWindow, dict[int, Message | Fragment]]:
    """As much of a range as fits, from its anchor outwards."""
    if len(known) == len(found.ids):
        texts = [each.text for each in known.values()]
        if sum(map(len, texts)) < MAX_RESPONSE_CHARACTERS:
            return found, {**known}
    read: dict[int, Message | Fragment] = {}
    room = MAX_RESPONSE_CHARACTERS
    ids = found.ids if len(found.ids) <= BATCH_SIZE else _outwards(found)
    for start in range(0, len(ids), BATCH_SIZE):
        batch = _read(tx, ids[start : start + BATCH_SIZE], known)
        room -= sum(map(_size, batch.values()))
        read |= batch
        _check_size(MAX_RESPONSE_CHARACTERS - room, is_little)
        if room < 0:
            break
    if len(read) == len(ids) and room >= 0:
        return found, {each: read[each] for each in found.ids}
    return _cut(found, read)


def _cut(
    found: HistoryWindow, read: Mapping[int, Message | Fragment]
) -> tuple[HistoryWindow, dict[int, Message | Fragment]]:
    room = MAX_RESPONSE_CHARACTERS
    kept: set[int] = set()
    for message_id in _outwards(found):
        if message_id not in read:
            break
        room -= _size(read[message_id])
        if room < 0 and kept:
            break
        kept.add(message_id)
    ids = [each for each in found.ids if each in kept]
    cut = replace(
        found,
        ids=ids,
        found_anchor=found.anchor in kept,
        found_oldest=found.found_oldest and ids[0] == found.ids[0],
        found_newest=found.found_newest and ids[-1] == found.ids[-1],
    )
    return cut, {each: read[each] for each in ids}


def _outwards(found: HistoryWindow) -> list[int]:
    """The messages of a range, alternating between both sides of the anchor."""
    earlier = [each for each in reversed(found.ids) if each < found.anchor]
    later = [each for each in found.ids if each >= found.anchor]
    pairs = zip_longest(later, earlier)
    return [each for pair in pairs for each in pair if each is not None]


def _all_of(tx: Tx, ids: Sequence[int], is_little: bool) -> dict[int, Message]:
    """Messages requested by id: all of them, or an error."""
    found: dict[int, Message] = {}
    room = MAX_RESPONSE_CHARACTERS
    for start in range(0, len(ids), BATCH_SIZE):
        batch = _read_all(tx, ids[start : start + BATCH_SIZE])
        room -= sum(map(_size, batch.values()))
        found |= batch
        _check_size(MAX_RESPONSE_CHARACTERS - room, is_little)
        if room < 0 and len(found) > 1:
            raise BadRequest("These messages are too long for one answer; ask for fewer.")
    return found


def _check_size(read: int, is_little: bool) -> None:
    if is_little and read > MAX_UNQUEUED_CHARACTERS:
        raise TooMuchText()


def _read(
    tx: Tx, ids: Sequence[int], known: Mapping[int, Fragment]
) -> dict[int, Message | Fragment]:
    read = _read_all(tx, [each for each in ids if each not in known])
    return {each: known[each] if each in known else read[each] for each in ids}


def _read_all(tx: Tx, ids: Sequence[int]) -> dict[int, Message]:
    if not ids:
        return {}
    rows = storage.messages.table.find_many(tx, tx.realm_id, ids)
    read = storage.messages.details.with_details(tx, [rows[each] for each in ids])
    return {message.id: message for message in read}


def _size(message: Message | Fragment) -> int:
    if isinstance(message, Fragment):
        return len(message.text)
    before = sum(
        len(edit.prev_content or "") + len(edit.prev_rendered or "") for edit in message.edits
    )
    attached = sum(len(part.content) for part in message.submessages)
    reactions = REACTION_LENGTH * len(message.reactions)
    return len(message.content) + len(message.rendered) + before + attached + reactions
