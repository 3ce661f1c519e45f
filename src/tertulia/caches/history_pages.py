"""History pages: windows of a channel or topic that were read recently.

Many users read the newest messages of the same channel. The result is the same for all except for
flags, so ids and fragments are cached. A message that is sent to the channel drops its pages. An
event that rewrites messages drops the pages that contain them; if it can also move or delete
messages, it drops all pages of the organization. Access to the channel is checked at each use.
"""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

import msgspec

from tertulia.caches.cache import Applied, EntryCache
from tertulia.caches.fragments import Fragment
from tertulia.domain.messages.message import MessageOrigin

MAX_PAGE_BYTES = 1 << 18
MAX_REWRITTEN = 1000  # messages of an organization; more rewrites drop all of its pages


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
        in_place = self._rewritten_at.setdefault(realm_id, {})
        if event.invalidates_permits or len(in_place) + len(rewritten) > MAX_REWRITTEN:
            self.drop_organization(realm_id, applied.seq)
        else:  # a reaction moves no message
            in_place.update(dict.fromkeys(rewritten, applied.seq))

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
