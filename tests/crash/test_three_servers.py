"""Three servers on one PostgreSQL, and clients that use all of them.

The servers are killed, paused, disconnected or stopped one after the other. Nothing may be lost,
repeated, reordered or refused (`checker.py`).
"""

import itertools
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.client import RoundRobinClient
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.load import LONG_PAUSE_SECONDS
from tests.crash.server import ServerProcess
from tests.crash.tcp_proxy import TcpProxy
from tests.crash.test_kill import Scene, data_problems
from tests.support.databases import Databases

from tertulia.database import BlockingDatabase

pytestmark = pytest.mark.postgres

SERVERS = 3
PAUSE_SECONDS = 1.0
MIN_RECOMMENDED_CONNECTIONS = 24  # each server would use ten


class Cluster:
    """Servers, each with its own proxy to the database."""

    def __init__(self, url: str, folder: Path, new_server: NewServer) -> None:
        self.proxies = [TcpProxy(url) for _ in range(SERVERS)]
        self.servers = [
            new_server(proxy.url, folder / f"{number}") for number, proxy in enumerate(self.proxies)
        ]

    def start(self) -> None:
        for server in self.servers:
            server.start(wait=False)
        for server in self.servers:
            server.wait_until_it_answers()

    def end(self) -> None:
        for server in self.servers:
            server.end()


def kill(server: ServerProcess, proxy: TcpProxy) -> None:
    server.kill()
    server.start()


def pause(server: ServerProcess, proxy: TcpProxy) -> None:
    """It may hold locks, and learns nothing of what happens meanwhile."""
    server.pause()
    time.sleep(PAUSE_SECONDS)
    server.resume()


def cut(server: ServerProcess, proxy: TcpProxy) -> None:
    """It runs, and cannot reach its database."""
    proxy.cut()
    time.sleep(PAUSE_SECONDS)
    proxy.restore()


def replace(server: ServerProcess, proxy: TcpProxy) -> None:
    """A rolling upgrade."""
    server.end()
    server.start()


FAULTS: list[Callable[[ServerProcess, TcpProxy], None]] = [kill, pause, cut, replace]


@pytest.mark.parametrize("faults", [4, pytest.param(60, marks=pytest.mark.soak)])
def test_failures_of_one_server_lose_and_repeat_nothing(
    databases: Databases, new_server: NewServer, faults: int
):
    url, folder = databases.ready("postgres")
    play(url, Cluster(url, folder, new_server), faults)


@pytest.mark.soak
def test_too_few_connections_lose_and_repeat_nothing(tmp_path: Path, new_server: NewServer):
    """A PostgreSQL with fewer connections than the servers would use."""
    with cluster() as database:
        database.allow(MIN_RECOMMENDED_CONNECTIONS)
        url = f"postgresql://postgres@{database.address}/postgres"
        BlockingDatabase.at(url).migrate()
        play(url, Cluster(url, tmp_path, new_server), faults=12)


def play(url: str, servers: Cluster, faults: int) -> None:
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    chance = random.Random(seed)
    ports = [server.port for server in servers.servers]
    scene = Scene(
        url,
        servers,
        lambda person: RoundRobinClient([person.at(port) for port in ports]),
        LONG_PAUSE_SECONDS,
    )

    scene.begin()
    for fault, server, proxy in zip(
        itertools.islice(itertools.cycle(FAULTS), faults),
        itertools.cycle(servers.servers),
        itertools.cycle(servers.proxies),
        strict=False,
    ):
        scene.wait_for_messages(chance.randrange(20, 60))
        fault(server, proxy)
    scene.end()

    problems = [*scene.problems(), *data_problems(url)]
    assert not problems, f"TERTULIA_TEST_SEED={seed}\n" + "\n".join(problems[:40])
