"""All writers: threads that run actions, each for some organizations, and the fast insert.

On PostgreSQL another transaction may lock an organization for seconds. The threads do not wait for
it: its jobs go to a spare thread (`locked_organizations.py`), and so do jobs that arrive meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from tertulia.database.fast_insert_postgres import InsertBatcher
from tertulia.database.fast_insert_sqlite import LoopInsertBatcher
from tertulia.database.locked_organizations import LockedOrganizations
from tertulia.database.write_queue import Batch, PendingWrite
from tertulia.database.writer import (
    Writer,
    WriterSetup,
)
from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.fair_queue import RETRY_AFTER_SECONDS, SERVER, Person

THREADS = 2  # that write to PostgreSQL; SQLite has one writer
MAX_PENDING_PER_PERSON = 500

Deliver = Callable[[Any, Callable[[], None]], None]


class Writers:
    def __init__(self, setup: WriterSetup, deliver: Deliver) -> None:
        """`deliver` and the setup's `publish` are called on the event loop."""
        dialect = setup.dialect
        self._loop = asyncio.get_running_loop()
        self._deliver = deliver
        self._compose_updates = setup.compose_updates
        self._publish = setup.publish
        self._pending: Counter[Person] = Counter()
        setup = replace(
            setup,
            publish=_publish_nothing if dialect.is_embedded else self._publish_from_thread,
        )
        self._held = LockedOrganizations(
            lambda: Writer(setup, self._post_committed_held), self._resubmit
        )
        self._sqlite_batcher: LoopInsertBatcher | None = None
        self._postgres_batcher: InsertBatcher | None = None
        self._preparing: Writer | None = None
        if dialect.is_embedded:
            self._threads = [Writer(setup, self._post_committed)]
            self._sqlite_batcher = LoopInsertBatcher(self._threads[0])
        else:
            self._threads = [
                Writer(setup, self._post_committed, self._hold_locked) for _ in range(THREADS)
            ]
            self._preparing = Writer(setup, self._post_committed, prepares=True)
            self._postgres_batcher = InsertBatcher(
                setup, self._on_appended, self._fall_back_to_action
            )
        for writer in self._all:
            writer.start()

    @property
    def _all(self) -> list[Writer]:
        return self._threads if self._preparing is None else [*self._threads, self._preparing]

    async def stop(self) -> None:
        """Finish the queued jobs and stop."""
        if self._sqlite_batcher is not None:
            self._sqlite_batcher.stop()
        if self._postgres_batcher is not None:
            await self._postgres_batcher.stop()
        for writer in self._all:
            writer.stop()
        await asyncio.sleep(0)  # the threads may have set jobs aside
        await self._held.stop()

    @property
    def busy_seconds(self) -> float:
        """How long the oldest running write has waited for its commit."""
        busy = [writer.busy_seconds for writer in self._all] + [self._held.busy_seconds]
        return (
            max(busy)
            if self._postgres_batcher is None
            else max(*busy, self._postgres_batcher.busy_seconds)
        )

    def submit(self, job: PendingWrite) -> None:
        """Queue a job. Raises RateLimited if its person has too many pending ones."""
        if job.person != SERVER:
            if self._pending[job.person] >= MAX_PENDING_PER_PERSON:
                raise RateLimited(retry_after=RETRY_AFTER_SECONDS)
            self._pending[job.person] += 1
            job.done = partial(self._finish, job.done)
        try:
            self._route(job)
        except ServiceUnavailable:
            self._release(job.person)
            raise

    def _finish(self, done: Callable[[PendingWrite], None], job: PendingWrite) -> None:
        self._release(job.person)
        done(job)

    def _release(self, person: Person) -> None:
        if person != SERVER:
            self._pending[person] -= 1
            if not self._pending[person]:
                del self._pending[person]

    def _route(self, job: PendingWrite) -> None:
        if self._sqlite_batcher is not None:
            self._sqlite_batcher.submit(job)
        elif self._preparing is not None and job.prepare is not None:
            self._preparing.submit(job)
        elif job.realm_id in self._held:
            job.fast_send = None  # spare threads run actions only
            self._held.submit(job)
        elif self._postgres_batcher is not None and job.fast_send is not None:
            self._postgres_batcher.submit(job)
        else:
            self._run_action(job)

    # --- called on the threads of writers ---

    def _post_committed(self, batch: Batch) -> None:
        self._loop.call_soon_threadsafe(self._on_committed, batch)

    def _post_committed_held(self, batch: Batch) -> None:
        self._post_committed(batch)
        self._loop.call_soon_threadsafe(self._held.mark_done, batch.jobs)

    def _publish_from_thread(self, ends: dict[int, int], appended: list[Any]) -> None:
        if ends:
            self._loop.call_soon_threadsafe(self._publish, ends, appended)

    def _hold_locked(self, jobs: list[PendingWrite]) -> None:
        self._loop.call_soon_threadsafe(self._hold, jobs)

    # --- called on the loop ---

    def _on_committed(self, batch: Batch) -> None:
        try:
            self._deliver(batch.updates, batch.resolve_all)
        finally:
            if self._sqlite_batcher is not None:
                self._sqlite_batcher.start_next()

    def _on_appended(self, jobs: list[PendingWrite], ends: dict[int, int]) -> None:
        appended = [
            (job.fast_send.valid_as_of, job.event) for job in jobs if job.fast_send is not None
        ]
        self._publish(ends, appended)
        self._deliver(self._compose_updates(appended), Batch(jobs).resolve_all)

    def _run_action(self, job: PendingWrite) -> None:
        """One thread runs all actions of an organization."""
        self._threads[job.realm_id % len(self._threads)].submit(job)

    def _hold(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self._held.submit)

    def _resubmit(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self._route)

    def _fall_back_to_action(self, job: PendingWrite) -> None:
        """A send that could not be inserted runs as an action, with all checks."""
        job.fast_send = None
        try:
            self._run_action(job)
        except ServiceUnavailable as error:
            job.error = error
            job.done(job)


def _publish_nothing(ends: dict[int, int], appended: list[Any]) -> None:
    """For SQLite: a file has one server."""


def _submit_each(jobs: list[PendingWrite], submit: Callable[[PendingWrite], None]) -> None:
    for job in jobs:
        try:
            submit(job)
        except ServiceUnavailable as error:
            job.error = error
            job.done(job)
