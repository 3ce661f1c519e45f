"""Three servers behind haproxy or nginx, each run with the configuration that the docs give.

The servers are killed, paused, disconnected or replaced one after the other. No acknowledged
message may be lost, and none stored twice, for any request that the balancer repeats or gives up.
"""

import contextlib
import itertools
import os
import random
from pathlib import Path

import pytest
from tests.crash.client import Answer, Client, Unreachable
from tests.crash.conftest import NewServer
from tests.crash.load import LONG_PAUSE_SECONDS
from tests.crash.people import Person
from tests.crash.test_kill import Scene, data_problems
from tests.crash.test_three_servers import FAULTS, Cluster
from tests.support import balancers
from tests.support.databases import Databases

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

FAULT_COUNT = 40
BALANCER_FAILURES = (502, 503, 504)  # as HTML: the balancer has no answer of a server


class BalancedClient(Client):
    def _ask(
        self, method: str, target: str, body: str | bytes | None, headers: dict[str, str]
    ) -> Answer:
        response = super()._ask(method, target, body, headers)
        if response.status in BALANCER_FAILURES and response.content_type != "application/json":
            raise Unreachable(f"the balancer answers {response.status}")
        return response


class BalancedCluster:
    """Servers that are reached through one balancer."""

    def __init__(self, name: str, folder: Path, servers: Cluster) -> None:
        self._name, self._folder, self._servers = name, folder, servers
        self._running = contextlib.ExitStack()
        self._port = 0

    def start(self) -> None:
        self._servers.start()
        ports = [server.port for server in self._servers.servers]
        balancer = balancers.running(self._name, self._folder, ports)
        self._port = self._running.enter_context(balancer)

    def end(self) -> None:
        self._running.close()
        self._servers.end()

    def reach(self, person: Person) -> Client:
        return BalancedClient(self._port, person.email, person.key)


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_failures_behind_a_balancer_lose_and_repeat_nothing(
    databases: Databases, new_server: NewServer, tmp_path: Path, name: str
):
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    chance = random.Random(seed)
    url, folder = databases.ready("postgres")
    servers = Cluster(url, folder, new_server)
    balanced = BalancedCluster(name, tmp_path, servers)
    scene = Scene(url, balanced, balanced.reach, LONG_PAUSE_SECONDS)

    scene.begin()
    for fault, server, proxy in zip(
        itertools.islice(itertools.cycle(FAULTS), FAULT_COUNT),
        itertools.cycle(servers.servers),
        itertools.cycle(servers.proxies),
        strict=False,
    ):
        scene.wait_for_messages(chance.randrange(20, 60))
        fault(server, proxy)
    scene.end()

    problems = [*scene.problems(), *data_problems(url)]
    assert not problems, f"TERTULIA_TEST_SEED={seed}\n" + "\n".join(problems[:40])
    assert scene.repeats > 0, "no send was ever cut off, so nothing was shown"
