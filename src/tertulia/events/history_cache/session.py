"""One read of history: the caches it may use, checked against its own transaction."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache

import msgspec

from tertulia import events, storage
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.events.directory.organization import Organization
from tertulia.events.history_cache.fragments import Fragment, FragmentCache, MessageFormat
from tertulia.events.history_cache.pages import HistoryPage, HistoryWindow, PageCache, PageKey


class Reading(msgspec.Struct, frozen=True):
    """The format of the reader, and the log position that was applied before the read."""

    fragments: FragmentCache
    pages: PageCache
    org: Organization
    manner: MessageFormat
    position: LogPosition
    shares: bool  # whether the reader sees senders as everyone does

    @classmethod
    def begun(
        cls,
        fragments: FragmentCache,
        pages: PageCache,
        org: Organization,
        manner: MessageFormat,
        shares: bool,
    ) -> "Reading":
        return cls(fragments, pages, org, manner, org.position, shares and fragments.is_in_use)

    def is_up_to_date(self, end: LogPosition, tx: Tx) -> bool:
        """Whether events after the applied position leave history and access unchanged.

        Then caches and directory are valid in this transaction. Without a fragment cache everything
        is read from the database.
        """
        known = self.position
        if not self.fragments.is_in_use:
            return False
        if end == known:
            return True
        return end.epoch == known.epoch and end.seq - known.seq == storage.log.count_after(
            tx, known.seq, harmless_kinds()
        )

    def known(self, message_ids: Sequence[int]) -> dict[int, Fragment]:
        """Those of the messages that have valid fragments."""
        if not self.shares:
            return {}
        number, org, find = self.manner.number, self.org, self.fragments.find
        version = org.version
        return {
            message_id: fragment
            for message_id in message_ids
            if (fragment := find(message_id << 3 | number)) is not None
            and (fragment.version == version or fragment.is_valid_for(org))
        }

    def made(self, message: Message, seq: int) -> bytes:
        """The text of a message that was read as of an event; adds it to the cache."""
        key, records = (
            self.manner.key(message.id),
            events.history_cache.fragments.dependencies_of(self.org, message),
        )
        text = events.history_cache.fragments.text_of(self.org, message, self.manner)
        if self.shares:
            fragment = Fragment(
                events.history_cache.fragments.without_content(message),
                text,
                records,
                message.provenance,
            )
            self.fragments.put(key, fragment, seq)
        return text

    def touch(self, message_ids: Iterable[int]) -> None:
        self.fragments.touch(map(self.manner.key, message_ids))

    def page(self, place: PageKey, end: LogPosition) -> HistoryPage | None:
        """The cached page, if it is valid at the end of the log."""
        if not self.shares or end != self.position:
            return None
        page = self.pages.find(self._key(place), end.seq)
        return page if page is not None and page.is_valid_for(self.org) else None

    def keep_page(
        self,
        place: PageKey,
        end: LogPosition,
        found: HistoryWindow,
        fragments: Mapping[int, Fragment],
    ) -> None:
        """Cache a page that was read at the end of the log."""
        if end == self.position:
            provenance = {number: each.provenance for number, each in fragments.items()}
            page = HistoryPage(
                self.org.realm.id, place.channel_id, end.seq, found, fragments, provenance
            )
            self.pages.keep(self._key(place), page)

    def _key(self, place: PageKey) -> Hashable:
        return self.org.life, place, self.manner.number


@cache
def harmless_kinds() -> list[str]:
    """Event kinds that neither rewrite a message nor change anyone's access to messages."""
    return [word for word, kind in events.types.event.kinds().items() if kind.keeps_history]
