"""The runner: does each job again and again, and survives whatever a job does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from tertulia.errors import ServiceUnavailable

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    every_seconds: float
    work: Callable[[], Awaitable[None]]


async def run_for_ever(job: Job) -> None:
    while True:
        await asyncio.sleep(job.every_seconds)
        try:
            await job.work()
        except ServiceUnavailable:
            log.warning("a job could not reach the data", job=job.name)
        except Exception as error:
            log.error("a job failed", job=job.name, error=type(error).__qualname__)
