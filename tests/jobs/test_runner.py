"""The runner continues after a failing job, and reports how late each job is."""

import asyncio
import contextlib
import itertools

import pytest
import structlog.testing
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.errors.http import ServiceUnavailable
from tertulia.jobs.runner import Job, Runner, for_each


class Stopwatch:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(*jobs: Job, until: asyncio.Event) -> Runner:
    """Run the jobs until a condition holds."""

    async def play() -> Runner:
        runner = Runner(jobs)
        task = asyncio.create_task(runner.run())
        await asyncio.wait_for(until.wait(), TIMEOUT_SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return runner

    return asyncio.run(play())


@pytest.mark.parametrize(
    "trouble", [ValueError(), ServiceUnavailable(), asyncio.CancelledError(), MemoryError()]
)
def test_a_failed_job_runs_again(trouble):
    attempts = itertools.count(1)
    enough = asyncio.Event()

    async def work() -> None:
        if next(attempts) == 4:
            enough.set()
        raise trouble

    runner = run(Job("job", 0, work, run_at_start=True), until=enough)

    assert runner.failures["job"] >= 3


def test_a_failing_job_does_not_delay_another():
    done = itertools.count(1)
    enough = asyncio.Event()

    async def never_answer() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        if next(done) == 3:
            enough.set()

    run(Job("stuck", 0, never_answer, run_at_start=True), Job("fine", 0, work), until=enough)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_job_that_swallows_its_cancellation_ends_all_the_same(goes_on):
    """As `asyncio.wait_for` sometimes does before Python 3.12."""
    under_way = asyncio.Event()

    async def work() -> None:
        under_way.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        if goes_on:
            await asyncio.Event().wait()

    run(Job("job", 0, work, run_at_start=True), until=under_way)


def test_a_job_is_late_from_its_next_due_time():
    stopwatch = Stopwatch()
    fails = True

    async def work() -> None:
        if fails:
            raise ValueError

    job = Job("job", 10, work)
    runner = Runner([job], stopwatch)

    stopwatch.now = 10
    assert runner.late_seconds(job) == 0
    stopwatch.now = 25
    asyncio.run(runner._attempt(job))
    assert runner.late_seconds(job) == 15
    fails = False
    asyncio.run(runner._attempt(job))
    assert runner.late_seconds(job) == 0
    stopwatch.now = 36
    assert runner.late_seconds(job) == 1


def test_only_the_first_failure_in_a_row_and_the_recovery_are_logged():
    fails = True

    async def work() -> None:
        if fails:
            raise ServiceUnavailable

    job = Job("job", 10, work)
    runner = Runner([job])

    with structlog.testing.capture_logs() as lines:
        for fails in (True, True, True, False, False, True):  # noqa: B007
            asyncio.run(runner._attempt(job))

    assert [(line["event"], line.get("failures")) for line in lines] == [
        ("jobs.failed", None),
        ("jobs.recovered", 3),
        ("jobs.failed", None),
    ]
    assert runner.failures["job"] == 4


def test_metrics_report_how_late_each_job_is(chat):
    text = chat.server.client.raw("GET", "/metrics").body.decode()

    for name in chat.server.job_names():
        (line,) = [
            line
            for line in text.splitlines()
            if line.startswith(f'tertulia_job_late_seconds{{job="{name}"}}')
        ]
        assert float(line.split()[-1]) < 5
        assert f'tertulia_job_failures{{job="{name}"}} 0.0' in text


def test_an_error_with_one_item_does_not_stop_the_others():
    done = []

    async def work(number: int) -> int:
        if number < 2:
            raise ValueError(number)
        done.append(number)
        return number

    with pytest.raises(ValueError, match="0"):
        asyncio.run(for_each(range(4), work))
    assert done == [2, 3]
    assert asyncio.run(for_each([5, 6], work)) == [5, 6]


def test_an_unreachable_database_stops_after_the_first_item():
    tried = []

    async def work(number: int) -> None:
        tried.append(number)
        raise ServiceUnavailable

    with pytest.raises(ServiceUnavailable):
        asyncio.run(for_each(range(4), work))
    assert tried == [0]
