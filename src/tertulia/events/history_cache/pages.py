"""Page cache: windows of a channel or topic that were read recently.

Many users read the newest messages of the same channel. The result is the same for all except for
flags, so ids and fragments are cached. A page is valid until a message is sent to its channel or
any message of the organization is rewritten; the follower reports both. Access to the channel is
checked at each use.
"""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping
from typing import NamedTuple

import msgspec

from tertulia.domain.messages.message import Message, MessageOrigin
from tertulia.events.directory.organization import Organization
from tertulia.events.history_cache.fragments import Fragment

MAX_PAGES = 64
MAX_BYTES = 1 << 18  # per page


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

    def is_valid_for(self, org: Organization) -> bool:
        """Whether the directory still holds the records of all fragments."""
        version = org.version
        if self.version != version:
            if not all(each.is_valid_for(org) for each in self.fragments.values()):
                return False
            self.version = version
        return True


class PageCache:
    """Any thread may find and add pages; events are applied on the event loop."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, HistoryPage] = OrderedDict()
        self._sent_at_seq: dict[int, int] = {}  # by channel: the seq of the last message
        # By organization: the seq of the last event that rewrote messages.
        self._rewritten_at: dict[int, int] = {}

    def note(
        self, realm_id: int, seq: int, sent: Message | None, rewritten: Collection[int]
    ) -> None:
        """Record that an event has sent a message or rewritten or deleted messages."""
        if sent is not None and sent.channel_id is not None:
            self._sent_at_seq[sent.channel_id] = seq
        if rewritten:
            self._rewritten_at[realm_id] = seq

    def find(self, key: Hashable, seq: int) -> HistoryPage | None:
        """A page that is valid at `seq`, a position that this server has applied."""
        page = self._pages.get(key)
        return page if page is not None and page.seq <= seq and self._is_good(page) else None

    def keep(self, key: Hashable, page: HistoryPage) -> None:
        if sum(len(each.text) for each in page.fragments.values()) <= MAX_BYTES:
            self._pages.pop(key, None)
            self._pages[key] = page
            if len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)

    def _is_good(self, page: HistoryPage) -> bool:
        return (
            self._sent_at_seq.get(page.channel_id, 0) <= page.seq
            and self._rewritten_at.get(page.realm_id, 0) <= page.seq
        )
