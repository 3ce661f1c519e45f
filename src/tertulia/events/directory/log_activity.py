"""Log activity: which organizations have new events, for jobs that read the logs later.

The writer and the notifications of other servers report here, on any thread. A lost notification is
found by a look at all logs every FULL_SCAN_SECONDS.
"""

import time
from collections.abc import Iterable

FULL_SCAN_SECONDS = 60.0


class DirtyLogs:
    """The organizations with new events since one reader last asked."""

    def __init__(self) -> None:
        self._realms: set[int] = set()
        self._checked_at = -FULL_SCAN_SECONDS

    def mark(self, realms: Iterable[int]) -> None:
        self._realms.update(realms)

    def take_all(self) -> list[int] | None:
        """Return and clear them. None if the reader must look at all logs, because it has not
        for long."""
        found, self._realms = self._realms, set()
        now = time.monotonic()
        if now - self._checked_at >= FULL_SCAN_SECONDS:
            self._checked_at = now
            return None
        return sorted(found)


class LogActivity:
    def __init__(self) -> None:
        self._readers: list[DirtyLogs] = []

    def reader(self) -> DirtyLogs:
        reader = DirtyLogs()
        self._readers.append(reader)
        return reader

    def mark(self, realms: Iterable[int]) -> None:
        dirty = list(realms)
        for reader in self._readers:
            reader.mark(dirty)
