"""Noticing what others write: the command line beside us, or another server.

How it is noticed is told by each database in its own way; see `Dialect.watch`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from tertulia.errors.http import ServiceUnavailable
from tertulia.log import log

# Looks at the logs that go beyond these numbers; at all, if nobody knows which.
Changed = Callable[[Mapping[int, int] | None], Awaitable[None]]
Overheard = Callable[[str], None]


class Told:
    """What other servers have told since we looked: how far the logs of organizations go."""

    def __init__(self) -> None:
        self._something = asyncio.Event()
        self._ends: dict[int, int] | None = {}

    async def wait(self) -> None:
        """Wait to be told something."""
        await self._something.wait()

    def of_everything(self) -> None:
        self._ends = None
        self._something.set()

    def of_logs(self, notice: str) -> None:
        """As `Broadcast` has written it: "organization:number", for each."""
        if self._ends is not None:
            for each in notice.split():
                realm_id, _, seq = each.partition(":")
                self._ends[int(realm_id)] = max(int(seq), self._ends.get(int(realm_id), 0))
        self._something.set()

    def taken(self) -> dict[int, int] | None:
        ends, self._ends = self._ends, {}
        self._something.clear()
        return ends


def tell(error: Exception, is_outage: bool) -> None:
    """Whatever went wrong, we go on watching: a server that does not notice is of no use."""
    if is_outage or isinstance(error, ServiceUnavailable):
        log.warning("database.unreachable", error=type(error).__name__)
    else:
        log.error("events.catch_up_failed", exc_info=error)
