"""Limits the memory that one user can occupy: bodies that arrive, and responses not yet read.

A user's bots count with the user, and all anonymous callers at one address count together. A caller
that exceeds the limit gets a 429; others are not affected.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from tertulia.errors.http import RateLimited

MAX_BYTES = 16 << 20
RETRY_SECONDS = 1


class MemoryQuota:
    def __init__(self) -> None:
        self._bytes_used: Counter[Hashable] = Counter()

    @contextmanager
    def reserve(self, caller: Hashable, size: int) -> Iterator[None]:
        """Raises RateLimited if it becomes too much; a single item may have any size."""
        if self._bytes_used[caller] and self._bytes_used[caller] + size > MAX_BYTES:
            raise RateLimited(retry_after=RETRY_SECONDS)
        self._bytes_used[caller] += size
        try:
            yield
        finally:
            self._bytes_used[caller] -= size
            if not self._bytes_used[caller]:
                del self._bytes_used[caller]
