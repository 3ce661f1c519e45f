"""Which logs have gone on, for those who read them behind everybody.

Whoever writes or hears of it notes it here, on any thread. What nobody told is found by looking at
all logs now and then.
"""

import time
from collections.abc import Iterable

LOOK_EVERYWHERE_SECONDS = 60.0


class DirtyLogs:
    """The organizations in which something has happened since one reader asked."""

    def __init__(self) -> None:
        self._realms: set[int] = set()
        self._looked_at = -LOOK_EVERYWHERE_SECONDS

    def note(self, realms: Iterable[int]) -> None:
        self._realms.update(realms)

    def taken(self) -> list[int] | None:
        """None if all have to be looked at, because it is long ago that they were."""
        found, self._realms = self._realms, set()
        now = time.monotonic()
        if now - self._looked_at >= LOOK_EVERYWHERE_SECONDS:
            self._looked_at = now
            return None
        return sorted(found)


class LogActivity:
    def __init__(self) -> None:
        self._readers: list[DirtyLogs] = []

    def reader(self) -> DirtyLogs:
        reader = DirtyLogs()
        self._readers.append(reader)
        return reader

    def note(self, realms: Iterable[int]) -> None:
        stirred = list(realms)
        for reader in self._readers:
            reader.note(stirred)
