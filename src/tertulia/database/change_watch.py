"""Change watch: notices writes of other processes, such as commands and other servers.

Each database does it in its own way; see `Cluster.watch`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from tertulia.errors.http import ServiceUnavailable
from tertulia.log import log

# Reads the logs that go beyond these positions; all logs if it is unknown which.
Changed = Callable[[Mapping[int, int] | None], Awaitable[None]]
OnNotice = Callable[[str], None]


class PendingChanges:
    """How far logs go, as other servers have reported since the last read."""

    def __init__(self) -> None:
        self._something = asyncio.Event()
        self._ends: dict[int, int] | None = {}

    async def wait(self) -> None:
        """Wait until something is reported."""
        await self._something.wait()

    def mark_all(self) -> None:
        self._ends = None
        self._something.set()

    def mark_logs(self, notice: str) -> None:
        """Parse "organization:seq" pairs, as `Broadcast` encodes them."""
        if self._ends is not None:
            for each in notice.split():
                realm_id, _, seq = each.partition(":")
                self._ends[int(realm_id)] = max(int(seq), self._ends.get(int(realm_id), 0))
        self._something.set()

    def take_all(self) -> dict[int, int] | None:
        ends, self._ends = self._ends, {}
        self._something.clear()
        return ends


def log_failure(error: Exception, is_outage: bool) -> None:
    """Log an error and continue: a server that stops watching would serve stale data."""
    if is_outage or isinstance(error, ServiceUnavailable):
        log.warning("database.unreachable", error=type(error).__name__)
    else:
        log.error("events.catch_up_failed", exc_info=error)
