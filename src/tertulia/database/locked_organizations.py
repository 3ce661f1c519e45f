"""Organizations whose row another transaction has locked: their jobs wait on spare threads.

One organization waits on one thread, and all its jobs share the next commit. There are few such
threads: if more organizations are locked, they queue for a thread.
"""

import asyncio
from collections.abc import Callable

from tertulia.database.write_queue import MAX_QUEUED, PendingWrite
from tertulia.database.writer import Writer
from tertulia.errors.http import ServiceUnavailable

MAX_THREADS = 4


class LockedOrganizations:
    """All methods run on the event loop."""

    def __init__(
        self, new_writer: Callable[[], Writer], resubmit: Callable[[list[PendingWrite]], None]
    ) -> None:
        """`resubmit` passes jobs that arrived meanwhile to the ordinary threads."""
        self._new_writer = new_writer
        self._resubmit = resubmit
        self._is_stopping = False
        self._all_done = asyncio.Event()
        self._idle: list[Writer] = []
        self._busy: dict[int, Writer] = {}  # by organization
        self._running: dict[int, int] = {}  # number of jobs that a thread has
        self._waiting: dict[int, list[PendingWrite]] = {}

    def __contains__(self, realm_id: int) -> bool:
        return realm_id in self._waiting

    @property
    def busy_seconds(self) -> float:
        return max((writer.busy_seconds for writer in self._busy.values()), default=0.0)

    def submit(self, job: PendingWrite) -> None:
        jobs = self._waiting.setdefault(job.realm_id, [])
        if len(jobs) >= MAX_QUEUED:
            raise ServiceUnavailable()
        jobs.append(job)
        self._start(job.realm_id)

    def mark_done(self, jobs: list[PendingWrite]) -> None:
        """A thread has finished some jobs of one organization."""
        realm_id = jobs[0].realm_id
        self._running[realm_id] -= len(jobs)
        if self._running[realm_id]:
            return
        del self._running[realm_id]
        self._idle.append(self._busy.pop(realm_id))
        jobs = self._waiting.pop(realm_id)
        if not self._is_stopping:
            self._resubmit(jobs)  # the lock is free now; if not, these jobs return here
        elif jobs:
            self._waiting[realm_id] = jobs
        for each in list(self._waiting):
            self._start(each)
        if self._is_stopping and not self._waiting:
            self._all_done.set()

    async def stop(self) -> None:
        """Finish the queued jobs and stop. The ordinary threads have stopped already."""
        self._is_stopping = True
        if self._waiting:
            await self._all_done.wait()
        for writer in self._idle:
            writer.stop()

    def _start(self, realm_id: int) -> None:
        if realm_id in self._busy or not self._waiting[realm_id]:
            return
        if not self._idle and len(self._busy) < MAX_THREADS:
            self._idle.append(self._new_writer())
            self._idle[-1].start()
        if self._idle:
            jobs, self._waiting[realm_id] = self._waiting[realm_id], []
            writer = self._busy[realm_id] = self._idle.pop()
            self._running[realm_id] = len(jobs)
            for job in jobs:
                writer.submit(job)
