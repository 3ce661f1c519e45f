"""How much one person makes the server hold: bodies that arrive, and answers not read yet.

The bots of a person count with them, and so do all strangers at one address. A caller that sends
or asks for much and does not take it away gets a 429; other callers are not affected.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from tertulia.errors.http import RateLimited

MAX_BYTES = 16 << 20
RETRY_SECONDS = 1


class Holdings:
    def __init__(self) -> None:
        self._held: Counter[Hashable] = Counter()

    @contextmanager
    def holding(self, caller: Hashable, size: int) -> Iterator[None]:
        """Raises RateLimited where it becomes too much; one thing at a time may be of any size."""
        if self._held[caller] and self._held[caller] + size > MAX_BYTES:
            raise RateLimited(retry_after=RETRY_SECONDS)
        self._held[caller] += size
        try:
            yield
        finally:
            self._held[caller] -= size
            if not self._held[caller]:
                del self._held[caller]
