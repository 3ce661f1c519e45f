"""Public page cache: public pages as they were sent last.

A page of a hundred messages that is asked for again takes 0.2 ms of CPU instead of 1.2 ms, and is
compressed once. An entry is used only while its ETag, the position in the log of the last event
that may have changed the page, is the current one.
"""

from typing import NamedTuple

import msgspec

from tertulia.caches.cache import EntryCache

MAX_PAGE_BYTES = 1 << 17


class PublicPageKey(NamedTuple):
    realm_id: int
    site: str  # the addresses in a page begin with it
    address: tuple[str | None, ...]  # the path and the parameters of a page
    is_compressed: bool


class PublicPage(msgspec.Struct, frozen=True):
    etag: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]


class PublicPageCache(EntryCache[PublicPageKey, PublicPage]):
    name = "public_pages"

    def find_current(self, key: PublicPageKey, etag: str) -> PublicPage | None:
        page = self._entries.get(key)
        if page is not None and page.etag == etag:
            self.hits += 1
            return page
        self.misses += self.is_on
        return None

    def put(self, key: PublicPageKey, entry: PublicPage) -> None:
        if len(entry.body) <= MAX_PAGE_BYTES:
            super().put(key, entry)
