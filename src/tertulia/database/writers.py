"""All that write: threads for actions, each with some of the organizations, and an appender.

On PostgreSQL another transaction may hold an organization for seconds. These threads do not wait
for it: its jobs go to a spare thread (`held_organizations.py`), and so does what comes meanwhile.
"""

from collections.abc import Callable
from typing import Any

from tertulia.database.fast_insert_postgres import InsertBatcher
from tertulia.database.fast_insert_sqlite import LoopInsertBatcher
from tertulia.database.held_organizations import HeldOrganizations
from tertulia.database.tx import Dialect
from tertulia.database.write_health import WriteHealth
from tertulia.database.writer import (
    Batch,
    ComposeNews,
    FetchNews,
    PendingWrite,
    TellOthers,
    Writer,
)
from tertulia.errors.http import ServiceUnavailable
from tertulia.lazy import asyncio

THREADS = 2  # that write to PostgreSQL; SQLite has one writer by nature

Deliver = Callable[[Any, Callable[[], None]], None]


class Writers:
    def __init__(
        self,
        dialect: Dialect,
        clock: Callable[[], float],
        fetch_news: FetchNews,
        deliver: Deliver,
        compose_news: ComposeNews,
        tell_others: TellOthers,
    ) -> None:
        """`deliver` and `tell_others` are called on the loop."""
        loop = asyncio.get_running_loop()

        def hand_over(gathering: Batch) -> None:
            loop.call_soon_threadsafe(is_committed, gathering)

        def is_committed(gathering: Batch) -> None:
            try:
                deliver(gathering.news, gathering.answer)
            finally:
                if self._local is not None:
                    self._local.go_on()

        def tell(ends: dict[int, int], appended: list[Any]) -> None:
            if ends and not dialect.is_embedded:
                loop.call_soon_threadsafe(tell_others, ends, appended)

        def is_appended(jobs: list[PendingWrite], ends: dict[int, int]) -> None:
            appended = [(job.plain.known, job.told) for job in jobs if job.plain is not None]
            tell_others(ends, appended)
            deliver(compose_news(appended), Batch(jobs).answer)

        def suspend_indexes(jobs: list[PendingWrite]) -> None:
            loop.call_soon_threadsafe(self._wait_for, jobs)

        def hand_over_waited(gathering: Batch) -> None:
            hand_over(gathering)
            loop.call_soon_threadsafe(self._held.note_done, gathering.jobs)

        self.health = WriteHealth()
        self._held = HeldOrganizations(
            lambda: Writer(
                dialect,
                clock,
                fetch_news,
                hand_over_waited,
                compose_news,
                tell,
                health=self.health,
            ),
            self._resubmit,
        )
        self._threads = [
            Writer(
                dialect,
                clock,
                fetch_news,
                hand_over,
                compose_news,
                tell,
                None if dialect.is_embedded else suspend_indexes,
                self.health,
            )
            for _ in range(1 if dialect.is_embedded else THREADS)
        ]
        self._local = LoopInsertBatcher(self._threads[0]) if dialect.is_embedded else None
        self._appender = (
            None
            if self._local
            else InsertBatcher(dialect, clock, is_appended, self._fall_back_to_action, self.health)
        )
        for writer in self._threads:
            writer.start()

    async def stop(self) -> None:
        """Finish what is waiting and end."""
        if self._local is not None:
            self._local.stop()
        if self._appender is not None:
            await self._appender.stop()
        for writer in self._threads:
            writer.stop()
        await asyncio.sleep(0)  # they may have set something aside
        await self._held.stop()

    @property
    def busy_seconds(self) -> float:
        """For how long the writes under way have been waiting for their commit."""
        busy = [writer.busy_seconds for writer in self._threads] + [self._held.busy_seconds]
        return max(busy) if self._appender is None else max(*busy, self._appender.busy_seconds)

    def submit(self, job: PendingWrite) -> None:
        if self._local is not None:
            self._local.submit(job)
        elif job.realm_id in self._held:
            job.plain = (
                None  # spare threads run actions; only the appender knows how to append here
            )
            self._held.submit(job)
        elif self._appender is not None and job.plain is not None:
            self._appender.submit(job)
        else:
            self._act(job)

    def _act(self, job: PendingWrite) -> None:
        """Of one organization all actions are done by the same thread."""
        self._threads[job.realm_id % len(self._threads)].submit(job)

    def _wait_for(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self._held.submit)

    def _resubmit(self, jobs: list[PendingWrite]) -> None:
        _submit_each(jobs, self.submit)

    def _fall_back_to_action(self, job: PendingWrite) -> None:
        """What could not be appended is done by all rules."""
        job.plain = None
        try:
            self._act(job)
        except ServiceUnavailable as error:
            job.error = error
            job.done(job)


def _submit_each(jobs: list[PendingWrite], submit: Callable[[PendingWrite], None]) -> None:
    for job in jobs:
        try:
            submit(job)
        except ServiceUnavailable as error:
            job.error = error
            job.done(job)
