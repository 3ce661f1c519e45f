"""Several workers of one server: a worker that ends is replaced, and all end with their parent."""

import os
import signal
from pathlib import Path

import pytest
from tests.crash.client import Unreachable, request
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.support.databases import Databases
from tests.support.waiting import TIMEOUT_SECONDS, eventually

pytestmark = pytest.mark.postgres


@pytest.fixture
def server(databases: Databases, new_server: NewServer) -> ServerProcess:
    url, folder = databases.ready("postgres")
    create_organization(url, "ana")
    server = new_server(url, folder)
    server.flags += ["--workers", "2"]
    server.start()
    eventually(lambda: all(is_up(server.port + number) for number in (1, 2)))
    return server


def is_up(port: int) -> bool:
    try:
        return request(port, "GET", "/health").status == 200
    except Unreachable:
        return False


def children(server: ServerProcess) -> set[int]:
    process = server.process.pid
    return {
        int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    }


def test_a_worker_that_ends_is_replaced(server):
    before = children(server)

    os.kill(min(before), signal.SIGKILL)

    eventually(lambda: len(children(server)) == 2 and children(server) != before)
    eventually(lambda: all(is_up(server.port + number) for number in (0, 1, 2)))
    assert '"worker"' in server.last_log_lines(5) or "worker=" in server.last_log_lines(5)


def test_sigterm_stops_all_workers(server):
    workers = children(server)

    server.terminate()

    assert server.process.wait(TIMEOUT_SECONDS) == 0
    assert not [each for each in workers if Path(f"/proc/{each}").exists()]


@pytest.mark.soak
def test_workers_end_when_their_parent_is_killed(server):
    workers = children(server)

    server.kill()

    eventually(lambda: not any(is_running(each) for each in workers))


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False
