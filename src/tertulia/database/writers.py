"""All writers: threads that run actions, each for some organizations, and the fast insert.

On PostgreSQL another transaction may lock an organization for seconds. The threads do not wait for
it: its jobs go to a spare thread (`locked_organizations.py`), and so do jobs that arrive meanwhile.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from tertulia.database.fast_insert_postgres import InsertBatcher
from tertulia.database.fast_insert_sqlite import LoopInsertBatcher
from tertulia.database.fast_send import FastInsert
from tertulia.database.locked_organizations import LockedOrganizations
from tertulia.database.tx import Dialect
from tertulia.database.writer import (
    Batch,
    ComposeNews,
    FetchNews,
    PendingWrite,
    Publish,
    WriteHealth,
    Writer,
    WriterSetup,
)
from tertulia.errors.http import ServiceUnavailable

THREADS = 2  # that write to PostgreSQL; SQLite has one writer

Deliver = Callable[[Any, Callable[[], None]], None]


class Writers:
    def __init__(
        self,
        dialect: Dialect,
        clock: Callable[[], float],
        fetch_news: FetchNews,
        deliver: Deliver,
        compose_news: ComposeNews,
        fast_insert: FastInsert,
        publish: Publish,
    ) -> None:
        """`deliver` and `publish` are called on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._deliver = deliver
        self._compose_news = compose_news
        self._publish = publish
        self.health = WriteHealth()
        setup = WriterSetup(
            dialect,
            clock,
            fetch_news,
            compose_news,
            fast_insert,
            _publish_nothing if dialect.is_embedded else self._publish_from_thread,
            self.health,
        )
        self._held = LockedOrganizations(
            lambda: Writer(setup, self._hand_over_waited), self._resubmit
        )
        self._local: LoopInsertBatcher | None = None
        self._appender: InsertBatcher | None = None
        if dialect.is_embedded:
            self._threads = [Writer(setup, self._hand_over)]
            self._local = LoopInsertBatcher(self._threads[0])
        else:
            self._threads = [
                Writer(setup, self._hand_over, self._set_aside) for _ in range(THREADS)
            ]
            self._appender = InsertBatcher(setup, self._is_appended, self._fall_back_to_action)
        for writer in self._threads:
            writer.start()

    async def stop(self) -> None:
        """Finish the queued jobs and stop."""
        if self._local is not None:
            self._local.stop()
        if self._appender is not None:
            await self._appender.stop()
        for writer in self._threads:
            writer.stop()
        await asyncio.sleep(0)  # the threads may have set jobs aside
        await self._held.stop()

    @property
    def busy_seconds(self) -> float:
        """How long the oldest running write has waited for its commit."""
        busy = [writer.busy_seconds for writer in self._threads] + [self._held.busy_seconds]
        return max(busy) if self._appender is None else max(*busy, self._appender.busy_seconds)

    def submit(self, job: PendingWrite) -> None:
        if self._local is not None:
            self._local.submit(job)
        elif job.realm_id in self._held:
            job.plain = None  # spare threads run actions only
            self._held.submit(job)
        elif self._appender is not None and job.plain is not None:
            self._appender.submit(job)
        else:
            self._act(job)

    # --- called on the threads of writers ---

    def _hand_over(self, batch: Batch) -> None:
        self._loop.call_soon_threadsafe(self._is_committed, batch)

    def _hand_over_waited(self, batch: Batch) -> None:
        self._hand_over(batch)
        self._loop.call_soon_threadsafe(self._held.mark_done, batch.jobs)

    def _publish_from_thread(self, ends: dict[int, int], appended: list[Any]) -> None:
        if ends:
            self._loop.call_soon_threadsafe(self._publish, ends, appended)

    def _set_aside(self, jobs: list[PendingWrite]) -> None:
        self._loop.call_soon_threadsafe(self._wait_for, jobs)

    # --- called on the loop ---

    def _is_committed(self, batch: Batch) -> None:
        try:
            self._deliver(batch.news, batch.answer)
        finally:
            if self._local is not None:
                self._local.go_on()

    def _is_appended(self, jobs: list[PendingWrite], ends: dict[int, int]) -> None:
        appended = [(job.plain.valid_as_of, job.event) for job in jobs if job.plain is not None]
        self._publish(ends, appended)
        self._deliver(self._compose_news(appended), Batch(jobs).answer)

    def _act(self, job: PendingWrite) -> None:
        """One thread runs all actions of an organization."""
        self._threads[job.realm_id % len(self._threads)].submit(job)

    def _wait_for(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self._held.submit)

    def _resubmit(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self.submit)

    def _fall_back_to_action(self, job: PendingWrite) -> None:
        """A send that could not be inserted runs as an action, with all checks."""
        job.plain = None
        try:
            self._act(job)
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
