"""The job runner: repeats each job at its interval and survives failures of jobs.

It uses a monotonic clock, so changing the system clock neither skips nor repeats a job. Jobs that
only one server may run are run by the leader. One query finds out for all jobs that need it whether
they have anything to do.
"""

import asyncio
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from tertulia import storage
from tertulia.database import Database
from tertulia.errors.http import ServiceUnavailable
from tertulia.log import log

TICK_SECONDS = 0.5
LONG_SECONDS = 300.0  # an interval from which on the time of the last run is stored
CHECK_SECONDS = 30.0  # between two looks whether such a job is due
APPLY_SECONDS = 2.0  # how often another server asks whether it can become the leader
CANCEL_AGAIN_SECONDS = 0.5  # after this, a task that ignored its cancellation is cancelled again


class Job(msgspec.Struct, frozen=True):
    name: str
    every_seconds: float
    work: Callable[[], Awaitable[object]]
    run_at_start: bool = False  # whether it also runs at the start
    leader_only: bool = False  # whether only the leader runs it
    if_due: str | None = None  # only if this is answered with yes; see `storage/due_jobs.py`

    @property
    def is_remembered(self) -> bool:
        """Whether the time of the last run is stored, because a server may live shorter."""
        return self.leader_only and not self.run_at_start and self.every_seconds >= LONG_SECONDS


def leader_job(
    name: str, seconds: float, work: Callable[[], Awaitable[object]], *, run_at_start: bool = False
) -> Job:
    """A job that only the leader runs."""
    return Job(name, seconds, work, run_at_start=run_at_start, leader_only=True)


def due_job(name: str, seconds: float, work: Callable[[], Awaitable[object]], question: str) -> Job:
    """The same, if the database has anything to do."""
    return Job(name, seconds, work, run_at_start=True, leader_only=True, if_due=question)


# Returns which of these questions are answered with yes; None if another server is the leader.
LeaderDue = Callable[[Sequence[str]], Awaitable[set[str] | None]]


# Wraps the work of a job, so that it runs only if its interval has passed since the stored run.
Remember = Callable[[Job], Callable[[], Awaitable[object]]]


async def always_leader(due_names: Sequence[str]) -> set[str] | None:
    return set(due_names)


class Runner:
    def __init__(
        self,
        jobs: Sequence[Job],
        stopwatch: Callable[[], float] = time.monotonic,
        leader_due: LeaderDue = always_leader,
        remember: Remember = lambda job: job.work,
    ) -> None:
        self.jobs = jobs
        self.failures: Counter[str] = Counter()
        self._failures_in_a_row: Counter[str] = Counter()
        self._stopwatch = stopwatch
        self._leader_due = leader_due
        self._remember = remember
        self._is_leader = asyncio.Event()
        self.leader_since: float | None = None  # None if another server is the leader
        self._has_due = {job.if_due: asyncio.Event() for job in jobs if job.if_due is not None}
        self._due = {job.name: stopwatch() + job.every_seconds for job in jobs}

    async def run(self) -> None:
        """Run all jobs until cancelled."""
        leader_check = Job("looking", TICK_SECONDS, self._run_once, run_at_start=True)
        leader_checks = [leader_check] if any(job.leader_only for job in self.jobs) else []
        tasks = [asyncio.create_task(self._repeat(job)) for job in (*leader_checks, *self.jobs)]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in ended:
                task.result()
        finally:
            await cancel_all(tasks)

    def late_seconds(self, job: Job) -> float:
        """For how long the job is overdue; 0 if it is another server's."""
        if job.leader_only and not self._is_leader.is_set():
            return 0.0
        return max(0.0, self._stopwatch() - self._due[job.name])

    async def _run_once(self) -> None:
        """Find out whether this server is the leader, and which jobs have work."""
        try:
            found = await self._leader_due(list(self._has_due))
        except BaseException:
            self._resign()
            raise
        if found is None:
            self._resign()
            await asyncio.sleep(APPLY_SECONDS - TICK_SECONDS)
            return
        if not self._is_leader.is_set():
            self._start_jobs()
        for due_name, is_any in self._has_due.items():
            if due_name in found:
                is_any.set()
            else:
                is_any.clear()
        for job in self.jobs:
            if job.if_due is not None and job.if_due not in found:
                self._record_success(job)

    def _resign(self) -> None:
        self._is_leader.clear()
        self.leader_since = None

    def _start_jobs(self) -> None:
        self._is_leader.set()
        self.leader_since = time.time()
        now = self._stopwatch()
        self._due |= {job.name: now + job.every_seconds for job in self.jobs if job.leader_only}

    async def _repeat(self, job: Job) -> None:
        pause = job.every_seconds
        if job.is_remembered:
            job, pause = msgspec.structs.replace(job, work=self._remember(job)), CHECK_SECONDS
        if not job.run_at_start:
            await asyncio.sleep(pause)
        while True:
            if job.leader_only:
                await self._is_leader.wait()
            if job.if_due is not None:
                await self._has_due[job.if_due].wait()
                self._has_due[job.if_due].clear()  # until the next query
            await self._attempt(job)
            if _is_cancelled():
                raise asyncio.CancelledError  # the job swallowed the cancellation
            await asyncio.sleep(pause)

    async def _attempt(self, job: Job) -> None:
        try:
            await job.work()
        except ServiceUnavailable:
            self._record_failure(job, error="ServiceUnavailable")
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            self._record_failure(job, **described(error))  # not this task
        except Exception as error:
            self._record_failure(job, **described(error))
        else:
            self._record_success(job)

    def _record_success(self, job: Job) -> None:
        self._due[job.name] = self._stopwatch() + job.every_seconds
        if failures := self._failures_in_a_row.pop(job.name, 0):
            log.info("jobs.recovered", job=job.name, failures=failures)

    def _record_failure(self, job: Job, **facts: Any) -> None:
        """Count a failure. Only the first of several in a row is logged."""
        self.failures[job.name] += 1
        self._failures_in_a_row[job.name] += 1
        if self._failures_in_a_row[job.name] == 1:
            log.error("jobs.failed", job=job.name, retry_s=job.every_seconds, **facts)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they are done.

    Once is not enough: before Python 3.12, `asyncio.wait_for` (which libraries use) loses a
    cancellation that arrives together with the result, and the task continues.
    """
    running, is_cancelled = set(tasks), False
    while running:
        for task in running:
            task.cancel()
        try:
            ended, running = await asyncio.wait(running, timeout=CANCEL_AGAIN_SECONDS)
            await asyncio.gather(*ended, return_exceptions=True)
        except asyncio.CancelledError:
            is_cancelled = True  # this task is cancelled, too; it still waits for the others
    if is_cancelled:
        raise asyncio.CancelledError


def described(error: BaseException) -> dict[str, Any]:
    """The fields of an exception for the log: its type and its trace. Its text may quote a user."""
    frames = traceback.extract_tb(error.__traceback__, limit=-10)
    return {
        "error": type(error).__qualname__,
        "trace": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


T = TypeVar("T")
R = TypeVar("R")


async def for_each(things: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Run the work for one item after the other.

    Raises the first exception after all items had their turn, but ServiceUnavailable at once:
    without the database the work would fail for every item.
    """
    results: list[R] = []
    first_trouble: Exception | None = None
    for thing in list(things):
        try:
            results.append(await work(thing))
        except ServiceUnavailable:
            raise
        except Exception as trouble:
            first_trouble = first_trouble or trouble
    if first_trouble is not None:
        raise first_trouble
    return results


class LongInterval:
    def __init__(self, database: Database, job: Job) -> None:
        self._database = database
        self._name = f"{storage.server_values.LAST_RUN}{job.name}"
        self._every_seconds = job.every_seconds
        self._work = job.work
        self._due_at = 0.0  # as far as this server knows

    async def __call__(self) -> None:
        """Run the job if it is due. One that failed is tried again after the interval."""
        now = self._database.clock()
        if now < self._due_at:
            return
        last = await self._database.of(0).query(storage.server_values.find, self._name)
        if last is None:
            await self._record(now)  # the first interval begins
            return
        # A clock that was set back must not postpone the job.
        self._due_at = min(float(last), now) + self._every_seconds
        if now >= self._due_at:
            self._due_at = now + self._every_seconds
            await self._work()
            await self._record(now)

    async def _record(self, now: float) -> None:
        await self._database.of(0).write(storage.server_values.store, self._name, str(now))
        self._due_at = now + self._every_seconds
