"""An hour of load on one core: no errors, no memory growth, no long waits.

`TERTULIA_TEST_RUN_MINUTES` and `TERTULIA_TEST_CROWD` make it shorter or smaller. In the last third
another process attacks the server while users chat.
"""

import asyncio
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median, quantiles

import pytest
from tests.crash.attacks import ATTACKS, Attack
from tests.crash.conftest import NewServer
from tests.crash.load_users import UserLoad
from tests.crash.people import Person, create_organization
from tests.crash.server import ServerProcess
from tests.crash.test_many_polls import raise_file_limit
from tests.support.databases import Databases, Kind

MINUTES = float(os.environ.get("TERTULIA_TEST_RUN_MINUTES", "60"))
PEOPLE = int(os.environ.get("TERTULIA_TEST_CROWD", "500"))
MAX_SECONDS = 0.05  # for 99 of 100 sends, on a core of its own
SAMPLE_SECONDS = 2.0
REST_SECONDS = 90.0  # at most, for memory to return after an attack
SLACK_BYTES = 24 << 20  # the cache of recent messages is two thirds of it
SLACK_SHARE = 1.15


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_an_hour_of_load_on_one_core(databases: Databases, new_server: NewServer, kind: Kind):
    raise_file_limit()
    url, folder = databases.ready(kind)
    people = create_organization(url, " ".join(f"p{number}" for number in range(PEOPLE + 1)))
    server = new_server(url, folder)
    server.flags += ["--trusted-proxies", "127.0.0.1"]
    server.start()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(server.process.pid, cores[:1])
    os.sched_setaffinity(0, cores[1:] or cores)
    *load, attacker = people.values()

    try:
        run = asyncio.run(Run(server, UserLoad(server.port, load), attacker).go())
    finally:
        os.sched_setaffinity(0, cores)

    print(run.report())
    assert not run.load.problems, f"{run.load.problems[:10]}\n{server.failures()}"
    assert run.usual_bytes < bound(run.early_bytes), run.report()
    for name, left in run.after.items():
        assert left < bound(run.usual_bytes), f"{name}: {run.report()}"
    assert run.slow_seconds < MAX_SECONDS, run.report()


def bound(usual_bytes: int) -> float:
    return SLACK_SHARE * usual_bytes + SLACK_BYTES


class Run:
    """The first two thirds are quiet; memory must return to their level."""

    def __init__(self, server: ServerProcess, load: UserLoad, attacker: Person) -> None:
        self.load = load
        self.after: dict[str, int] = {}  # bytes that were not freed, by attack
        self.early_bytes = self.usual_bytes = 0
        self.slow_seconds = self.cpu_share = 0.0
        self._server = server
        self._attack = Attack(server.port, attacker)

    async def go(self) -> "Run":
        seconds = 60 * MINUTES
        chatting = asyncio.create_task(self.load.run(seconds))
        await self._watched(seconds / 6)
        self.early_bytes = await self._watched(seconds / 6)
        began, cpu = asyncio.get_running_loop().time(), self._server.cpu_seconds()
        self.usual_bytes = await self._watched(seconds / 3)
        passed = asyncio.get_running_loop().time() - began
        self.cpu_share = (self._server.cpu_seconds() - cpu) / passed
        self.slow_seconds = quantiles(self.load.seconds, n=100)[98]
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
            for name in ATTACKS:
                await asyncio.wrap_future(elsewhere.submit(getattr(self._attack, name)))
                self.after[name] = await self._rested()
        await chatting
        return self

    async def _rested(self) -> int:
        left = await self._measure()
        until = asyncio.get_running_loop().time() + REST_SECONDS
        while left >= bound(self.usual_bytes) and asyncio.get_running_loop().time() < until:
            left = await self._measure()
        return left

    async def _watched(self, seconds: float) -> int:
        """The server's private memory, the median of many samples."""
        samples = [await self._measure() for _ in range(max(1, int(seconds / SAMPLE_SECONDS)))]
        return int(median(samples))

    async def _measure(self) -> int:
        await asyncio.sleep(SAMPLE_SECONDS)
        return self._server.own_bytes()

    def report(self) -> str:
        half = quantiles(self.load.seconds, n=100)
        sizes = {"early": self.early_bytes, "later": self.usual_bytes, **self.after}
        found = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in sizes.items())
        return (
            f"{len(self.load.seconds)} sends: median {half[49] * 1e3:.1f} ms, before the attacks"
            f" p99 {self.slow_seconds * 1e3:.1f} ms, in all {half[98] * 1e3:.1f} ms;"
            f" {self.cpu_share:.0%} of a core; {self.load.received} received;"
            f" {dict(self.load.done)};"
            f" MB: {found}"
        )
