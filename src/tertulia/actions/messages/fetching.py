"""Fetching messages: one by id, or a stretch of history around an anchor."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia import actions, storage
from tertulia.actions.channels.sight import SightInDirectory
from tertulia.actions.messages.narrowing import Asker, Narrowed
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.narrow import Term
from tertulia.domain.people.user import User
from tertulia.domain.search.highlight import Highlighter
from tertulia.domain.search.query import Query
from tertulia.errors.authentication import NotLoggedIn
from tertulia.events.fragments import Fragment, Reading
from tertulia.storage.database.tx import Tx
from tertulia.storage.messages.unread import Flags

NEWEST = 10_000_000_000_000_000  # an anchor beyond every message; clients know the number


@dataclass(frozen=True, slots=True)
class Window:
    """Which stretch of history: so many before and after an anchor."""

    anchor: int | str  # an id, or newest, oldest, first_unread, date
    before: int
    after: int
    include_anchor: bool = True
    moment: float | None = None


@dataclass(frozen=True, slots=True)
class FoundMessages:
    """What a window shows: ids, oldest first, and how far it reaches."""

    ids: list[int]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """Messages as a reader sees them, as of an event; those on the shelf come without words."""

    seq: int
    messages: list[Message]
    flags: dict[int, Flags]
    on_shelf: dict[int, Fragment]
    highlighter: Highlighter | None = None  # if they were searched for


def one(tx: Tx, user: User, message_id: int) -> tuple[Message, Flags]:
    (message,) = storage.messages.details.added(
        tx, [actions.messages.visible_to(tx, user, message_id)]
    )
    return message, storage.messages.unread.flags_for(tx, user.id, [message])[message.id]


def one_for_all(tx: Tx, message_id: int) -> Message:
    """A message that may be read without logging in."""
    message = storage.messages.find(tx, message_id)
    channel_id = None if message is None else message.channel_id
    channel = None if channel_id is None else storage.channels.find(tx, channel_id)
    if message is None or channel is None or not channel.is_web_public:
        raise NotLoggedIn()
    return storage.messages.details.added(tx, [message])[0]


def some(tx: Tx, asker: Asker, terms: list[Term], message_ids: list[int]) -> Shown:
    """Those of the given messages that the asker may see and that match."""
    narrow = actions.messages.narrowing.narrowed_to_visible(tx, asker, terms)
    found = storage.messages.history.among(tx, narrow.selection, message_ids)
    return _shown(tx, asker.user, narrow, found, {}, storage.log.head(tx))


def around(
    tx: Tx, asker: Asker, terms: list[Term], window: Window, reading: Reading
) -> tuple[FoundMessages, Shown]:
    """A stretch of the history that a narrow leads to."""
    end = storage.log.end(tx)
    is_known = reading.is_up_to_date(end, tx)
    sight = SightInDirectory(reading.org, asker.user) if is_known else None
    narrow = actions.messages.narrowing.narrowed(tx, asker, terms, sight)
    found = within(tx, asker.user, narrow, window)
    # What is searched for is marked in its words, so these have to be read.
    known = reading.known(found.ids) if is_known and narrow.searched is None else {}
    return found, _shown(tx, asker.user, narrow, found.ids, known, end.seq)


def matching(
    tx: Tx, asker: Asker, terms: list[Term], message_ids: list[int]
) -> tuple[list[Message], Highlighter]:
    """Those of the given messages that have reached the asker and that match, to be marked."""
    narrow = actions.messages.narrowing.narrowed_to_received(tx, asker, terms)
    found = _in_order(tx, storage.messages.history.among(tx, narrow.selection, message_ids))
    return found, Highlighter(narrow.searched or Query())


def within(tx: Tx, user: User, narrow: Narrowed, window: Window) -> FoundMessages:
    selection = narrow.selection
    anchor = _resolve(tx, user, narrow, window)
    includes = window.include_anchor and 0 < anchor < NEWEST
    at = storage.messages.history.among(tx, selection, [anchor]) if includes else []
    earlier = storage.messages.history.before(tx, selection, anchor, window.before)
    later = storage.messages.history.after(tx, selection, anchor, window.after)
    return FoundMessages(
        ids=earlier + at + later,
        anchor=anchor,
        found_anchor=bool(at),
        found_oldest=anchor == 0 or len(earlier) < window.before,
        found_newest=anchor >= NEWEST or len(later) < window.after,
    )


def _resolve(tx: Tx, user: User, narrow: Narrowed, window: Window) -> int:
    """The anchor as a number."""
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
            tx, actions.messages.narrowing.unread_of(tx, user, narrow), 0, 1
        )
        return first[0] if first else NEWEST
    return NEWEST


def _shown(
    tx: Tx,
    user: User,
    narrow: Narrowed,
    ids: Sequence[int],
    known: dict[int, Fragment],
    seq: int,
) -> Shown:
    found: dict[int, Message] = {}
    if len(known) < len(ids):
        unknown = [each for each in ids if each not in known]
        read = storage.messages.details.added(tx, _in_order(tx, unknown))
        found = {message.id: message for message in read}
    messages = [known[each].message if each in known else found[each] for each in ids]
    flags = storage.messages.unread.flags_for(tx, user.id, messages)
    highlighter = None if narrow.searched is None else Highlighter(narrow.searched)
    return Shown(seq, messages, flags, known, highlighter)


def _in_order(tx: Tx, ids: Sequence[int]) -> list[Message]:
    found = storage.messages.find_many(tx, tx.realm_id, ids)
    return [found[each] for each in ids]
