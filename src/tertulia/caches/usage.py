"""Usage cache: the counts of the usage page, for ten minutes.

A count reads all messages of the last weeks; with the cache each organization does that at most
once in ten minutes. The answer says when it was counted, so nothing invalidates it earlier.
"""

from typing import Protocol

from tertulia.caches.cache import EntryCache

MAX_AGE_SECONDS = 600


class Count(Protocol):
    @property
    def as_of(self) -> int: ...


class UsageCache(EntryCache[tuple[int, int], Count]):
    """By organization and number of days."""

    name = "usage"

    def recent(self, key: tuple[int, int], now: float) -> Count | None:
        found = self.find(key)
        return found if found is not None and now - found.as_of < MAX_AGE_SECONDS else None
