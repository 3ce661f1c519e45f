"""Pages: stretches of a channel, or of one of its topics, that somebody has just read.

Many read the same: the newest of a lively place. What they are told is the same but for their
flags, so the ids and the fragments need not be found again. A page is good while nothing was said
in its channel, and no message of the organization was rewritten, since it was read; the follower
notes both. Who may read the channel at all is asked each time.
"""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping
from typing import NamedTuple

import msgspec

from tertulia.domain.messages.message import Message, MessageOrigin
from tertulia.events.directory.organization import Organization
from tertulia.events.history_cache.fragments import Fragment

MOST = 64
MAX_BYTES = 1 << 18  # of one page


class HistoryWindow(msgspec.Struct, frozen=True):
    """What a window shows: ids, oldest first, and how far it reaches."""

    ids: list[int]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


class PageKey(NamedTuple):
    """Where a page stands: a channel, perhaps a topic of it, and the stretch that is shown."""

    channel_id: int
    topic: tuple[str, ...]  # or none
    stretch: Hashable


class HistoryPage(msgspec.Struct):
    realm_id: int
    channel_id: int
    seq: int  # the last event when it was read
    found: HistoryWindow
    fragments: Mapping[int, Fragment]  # in order
    provenance: Mapping[int, MessageOrigin]  # of the same
    version: int = -1  # of the directory, in which the fragments were seen to be true

    def is_valid_for(self, org: Organization) -> bool:
        """Whether all of it tells of the very records that the directory holds now."""
        version = org.version
        if self.version != version:
            if not all(each.is_valid_for(org) for each in self.fragments.values()):
                return False
            self.version = version
        return True


class PageCache:
    """The pages of a server that were read last, found and kept by any thread; what has happened to
    them is noted on the loop."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, HistoryPage] = OrderedDict()
        self._said_at: dict[int, int] = {}  # by channel, the last event that said something there
        self._rewritten_at: dict[int, int] = {}  # by organization, the last event that did so

    def note(
        self, realm_id: int, seq: int, sent: Message | None, rewritten: Collection[int]
    ) -> None:
        """An event has said something, or has rewritten messages or taken them away."""
        if sent is not None and sent.channel_id is not None:
            self._said_at[sent.channel_id] = seq
        if rewritten:
            self._rewritten_at[realm_id] = seq

    def find(self, key: Hashable, seq: int) -> HistoryPage | None:
        """A page as it is at an event up to which the log was followed."""
        page = self._pages.get(key)
        return page if page is not None and page.seq <= seq and self._is_good(page) else None

    def keep(self, key: Hashable, page: HistoryPage) -> None:
        if sum(len(each.text) for each in page.fragments.values()) <= MAX_BYTES:
            self._pages.pop(key, None)
            self._pages[key] = page
            if len(self._pages) > MOST:
                self._pages.popitem(last=False)

    def _is_good(self, page: HistoryPage) -> bool:
        return (
            self._said_at.get(page.channel_id, 0) <= page.seq
            and self._rewritten_at.get(page.realm_id, 0) <= page.seq
        )
