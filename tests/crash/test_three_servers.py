"""Three servers on one PostgreSQL, and nobody is faithful to one of them.

One after the other they are killed, paused, or told to stop; those who talk and listen see to it
that nothing is lost, doubled, out of order or denied (`test_kill.py` says how).
"""

import itertools
import os
import random
import time
from collections.abc import Callable

import pytest
from tests.crash.client import Roaming
from tests.crash.conftest import NewServer
from tests.crash.server import ServerProcess
from tests.crash.test_kill import Scene, data_problems
from tests.support.databases import Databases

pytestmark = pytest.mark.postgres

SERVERS = 3
PAUSE_SECONDS = 1.0


class Cluster:
    def __init__(self, servers: list[ServerProcess]) -> None:
        self.servers = servers

    def start(self) -> None:
        for server in self.servers:
            server.start(wait=False)
        for server in self.servers:
            server.wait_until_it_answers()

    def end(self) -> None:
        for server in self.servers:
            server.end()


def kill(server: ServerProcess) -> None:
    server.kill()
    server.start()


def pause(server: ServerProcess) -> None:
    """It may hold something that others wait for, and knows nothing of what happens meanwhile."""
    server.pause()
    time.sleep(PAUSE_SECONDS)
    server.go_on()


def replace(server: ServerProcess) -> None:
    """As a new version would be brought in."""
    server.end()
    server.start()


FAULTS: list[Callable[[ServerProcess], None]] = [kill, pause, replace]


@pytest.mark.parametrize("faults", [3, pytest.param(60, marks=pytest.mark.soak)])
def test_whatever_befalls_one_of_them_nobody_notices(
    databases: Databases, new_server: NewServer, faults: int
):
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    chance = random.Random(seed)
    url, folder = databases.ready("postgres")
    cluster = Cluster([new_server(url, folder / f"{number}") for number in range(SERVERS)])
    ports = [server.port for server in cluster.servers]
    scene = Scene(url, cluster, lambda person: Roaming([person.at(port) for port in ports]))

    scene.begin()
    for fault, server in zip(
        itertools.islice(itertools.cycle(FAULTS), faults),
        itertools.cycle(cluster.servers),
        strict=False,
    ):
        scene.wait_until_more_is_said(chance.randrange(20, 60))
        fault(server)
    scene.end()

    problems = [*scene.problems(), *data_problems(url)]
    assert not problems, f"TERTULIA_TEST_SEED={seed}\n" + "\n".join(problems[:40])
