"""The runner: does each job again and again, and survives whatever a job does.

It counts with a stopwatch and never looks at the clock, so putting the clock forward or back
neither skips a job nor repeats it.
"""

import asyncio
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from tertulia.errors.http import ServiceUnavailable

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    every_seconds: float
    work: Callable[[], Awaitable[object]]
    at_once: bool = False  # whether it is done at the start, too


class Runner:
    def __init__(
        self, jobs: Sequence[Job], stopwatch: Callable[[], float] = time.monotonic
    ) -> None:
        self.jobs = jobs
        self.failures: Counter[str] = Counter()
        self._in_trouble: set[str] = set()
        self._stopwatch = stopwatch
        self._due = {job.name: stopwatch() + job.every_seconds for job in jobs}

    async def run(self) -> None:
        """Do all jobs until cancelled."""
        await asyncio.gather(*(self._repeat(job) for job in self.jobs))

    def late_seconds(self, job: Job) -> float:
        """How long ago the job should have been done again."""
        return max(0.0, self._stopwatch() - self._due[job.name])

    async def _repeat(self, job: Job) -> None:
        if not job.at_once:
            await asyncio.sleep(job.every_seconds)
        while True:
            await self._attempt(job)
            await asyncio.sleep(job.every_seconds)

    async def _attempt(self, job: Job) -> None:
        try:
            await job.work()
        except ServiceUnavailable:
            self._note_failure(job, why="the data cannot be reached")
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self._note_failure(job, **described(error))  # what it waited for was cancelled, not we
        except Exception as error:
            self._note_failure(job, **described(error))
        else:
            self._due[job.name] = self._stopwatch() + job.every_seconds
            if job.name in self._in_trouble:
                self._in_trouble.remove(job.name)
                log.info("a job is well again", job=job.name)

    def _note_failure(self, job: Job, **why: Any) -> None:
        """Count it. The log tells of the first of many: a lost database would fill it."""
        self.failures[job.name] += 1
        if job.name not in self._in_trouble:
            self._in_trouble.add(job.name)
            log.error("a job failed", job=job.name, **why)


def described(error: BaseException) -> dict[str, Any]:
    """An error for the log: its words may quote somebody, so only its type and its way."""
    frames = traceback.extract_tb(error.__traceback__, limit=-10)
    return {
        "error": type(error).__qualname__,
        "trace": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
