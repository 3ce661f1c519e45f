"""Fast-path sends of other servers, applied from their notices without reading the log."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping

import msgspec

from tertulia.errors.http import ServiceUnavailable
from tertulia.events import notify_payloads
from tertulia.events.directory.applier import ReorderBuffer, UpdateGate
from tertulia.events.directory.log_updates import LogActivity, LogUpdates
from tertulia.events.directory.registry import Organizations

GAP_SECONDS = 0.02  # how long to wait for a missing notice before reading the log


class RemoteSends:
    """Applies notices in the order of the log; an event that came too early waits in the buffer.

    If the gap before it does not close within GAP_SECONDS, the log is read.
    """

    def __init__(
        self,
        organizations: Organizations,
        activity: LogActivity,
        early: ReorderBuffer,
        gate: UpdateGate,
        read_logs: Callable[[Collection[int]], Awaitable[None]],
    ) -> None:
        self._organizations = organizations
        self._activity = activity
        self._early = early
        self._gate = gate
        self._read_logs = read_logs
        self._gap_timer: asyncio.TimerHandle | None = None
        self._gap_read: asyncio.Task[None] | None = None

    def receive(self, notice: str) -> None:
        try:
            appended = list(notify_payloads.read(notice))
        except (KeyError, msgspec.DecodeError):  # from a newer server
            return
        for position, logged in appended:
            # One update per event: another server may have written in between.
            updates = LogUpdates(is_appended=True)
            updates.logged[logged.realm_id] = [logged]
            updates.ends[logged.realm_id] = position
            self._gate.deliver(updates, _no_result)
        self._activity.mark({logged.realm_id for _, logged in appended})
        early = {
            logged.realm_id: position.seq
            for position, logged in appended
            if self._early.has_any(logged.realm_id)
        }
        if early and self._gap_timer is None:
            loop = asyncio.get_running_loop()
            self._gap_timer = loop.call_later(GAP_SECONDS, self._fill_gaps, early)

    def _fill_gaps(self, ends: Mapping[int, int]) -> None:
        self._gap_timer = None
        if self._organizations.behind(ends):
            self._gap_read = asyncio.get_running_loop().create_task(self._read_gaps(ends))

    async def _read_gaps(self, ends: Mapping[int, int]) -> None:
        with contextlib.suppress(ServiceUnavailable):  # the follower reads the log within a second
            await self._read_logs(self._organizations.behind(ends))


def _no_result() -> None:
    pass
