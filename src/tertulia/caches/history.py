"""History caches: messages as JSON, and windows of a channel or topic that were read recently.

A fragment is the JSON object of a message without its closing brace, encoded once and shared by all
readers; flags and search highlights of the reader follow. An event that rewrites messages drops
their fragments (`Event.rewritten`). The reader checks the rest at each use
(`events/history_reader.py`): that its transaction sees no later event, and that the users and
channels in the fragment are those of the directory.

Many users read the newest messages of the same channel, so pages of ids and fragments are cached,
too. A message that is sent to the channel drops its pages. An event that rewrites messages drops
the pages that contain them; if it can also move or delete messages, it drops all pages of the
organization. Access to the channel is checked at each use.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from tertulia.caches.cache import Applied, Cache, EntryCache
from tertulia.domain.messages.message import Message, MessageOrigin

MAX_PAGE_BYTES = 1 << 18
MAX_REWRITTEN = 1000  # messages of an organization; more rewrites drop all of its pages
OVERHEAD_BYTES = 800  # beside the text
MAX_FRAGMENT_BYTES = 1 << 17  # larger fragments would evict too many others
FORMATS = 8

Key = int  # a message id and the number of a format


class Fragment(msgspec.Struct):
    message: Message  # without its content, which is in the text
    text: bytes  # a JSON object without its closing brace
    records: tuple[object, ...]  # directory records whose data it contains
    provenance: MessageOrigin
    version: int = -1  # directory version in which these records were checked last


def key_of(message_id: int, format_number: int) -> Key:
    return message_id << 3 | format_number


class FragmentCache(Cache):
    """Evicts the least recently used fragment."""

    name = "fragments"
    unit = "bytes"
    invalidated_by = frozenset({"rewritten"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._bytes = 0
        self._fragments: OrderedDict[Key, Fragment] = OrderedDict()
        self.get = self._fragments.get  # without counting, for any thread
        # By organization: the seq of the last event that rewrote messages.
        self._rewritten_at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._fragments)

    @property
    def size(self) -> int:
        return self._bytes

    def touch(self, keys: Iterable[Key]) -> None:
        """Mark fragments as used. While half of the room is free, the order does not matter."""
        if 2 * self._bytes > self.bound:
            for key in keys:
                if key in self._fragments:
                    self._fragments.move_to_end(key)

    def put(self, key: Key, fragment: Fragment, seq: int) -> None:
        """Cache a fragment that was read as of an event, unless it is outdated."""
        is_outdated = self._rewritten_at.get(fragment.message.realm_id, 0) > seq
        if is_outdated or len(fragment.text) > MAX_FRAGMENT_BYTES:
            return
        self._remove(key)
        self._fragments[key] = fragment
        self._bytes += _size(fragment)
        while self._bytes > self.bound:
            self._remove(next(iter(self._fragments)))

    def invalidate(self, applied: Applied) -> None:
        rewritten = applied.event.rewritten()
        if rewritten:
            self._rewritten_at[applied.realm_id] = applied.seq
            for message_id in rewritten:
                for number in range(FORMATS):
                    self._remove(key_of(message_id, number))

    def drop_organization(self, realm_id: int, seq: int) -> None:
        """Existing fragments contain records of the old directory, so no reader uses them."""
        self._rewritten_at[realm_id] = seq

    def _remove(self, key: Key) -> None:
        fragment = self._fragments.pop(key, None)
        if fragment is not None:
            self._bytes -= _size(fragment)


def _size(fragment: Fragment) -> int:
    return len(fragment.text) + OVERHEAD_BYTES


class HistoryWindow(msgspec.Struct, frozen=True):
    """Message ids, oldest first, and whether the window reaches the ends of the history."""

    ids: list[int]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


class PageKey(NamedTuple):
    """A channel, perhaps one of its topics, and the requested window."""

    channel_id: int
    topic: tuple[str, ...]  # empty for the whole channel
    stretch: Hashable


class HistoryPage(msgspec.Struct):
    realm_id: int
    channel_id: int
    seq: int  # the log position when it was read
    found: HistoryWindow
    fragments: Mapping[int, Fragment]  # in order
    provenance: Mapping[int, MessageOrigin]  # of the same
    version: int = -1  # directory version in which the fragments were checked last


class HistoryPageCache(EntryCache[Hashable, HistoryPage]):
    """Any thread may find and add pages."""

    name = "history_pages"
    invalidated_by = frozenset({"sent", "rewritten"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._sent_at: dict[int, int] = {}  # by channel: the seq of the last message
        # By organization: the seq of the last event that moved or deleted messages.
        self._moved_at: dict[int, int] = {}
        # By organization and message: the seq of the last event that rewrote it in its place.
        self._rewritten_at: dict[int, dict[int, int]] = {}

    def find_at(self, key: Hashable, seq: int) -> HistoryPage | None:
        """A page that is valid at `seq`, a position that this server has applied."""
        page = self._entries.get(key)
        if page is not None and page.seq <= seq and self._is_current(page):
            self.hits += 1
            return page
        self.misses += 1
        return None

    def put(self, key: Hashable, entry: HistoryPage) -> None:
        if sum(len(each.text) for each in entry.fragments.values()) <= MAX_PAGE_BYTES:
            super().put(key, entry)

    def invalidate(self, applied: Applied) -> None:
        event, realm_id = applied.event, applied.realm_id
        sent, rewritten = event.sent(), event.rewritten()
        if sent is not None and sent.message.channel_id is not None:
            self._sent_at[sent.message.channel_id] = applied.seq
        if not rewritten:
            return
        rewritten_at = self._rewritten_at.setdefault(realm_id, {})
        if event.invalidates_permits or len(rewritten_at) + len(rewritten) > MAX_REWRITTEN:
            self.drop_organization(realm_id, applied.seq)
        else:  # a reaction moves no message
            rewritten_at.update(dict.fromkeys(rewritten, applied.seq))

    def drop_organization(self, realm_id: int, seq: int) -> None:
        self._moved_at[realm_id] = seq
        self._rewritten_at.pop(realm_id, None)

    def _is_current(self, page: HistoryPage) -> bool:
        if (
            self._sent_at.get(page.channel_id, 0) > page.seq
            or self._moved_at.get(page.realm_id, 0) > page.seq
        ):
            return False
        rewritten = self._rewritten_at.get(page.realm_id)
        return not rewritten or not any(
            rewritten[each] > page.seq for each in rewritten.keys() & page.fragments.keys()
        )
