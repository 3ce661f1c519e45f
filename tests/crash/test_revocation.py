"""Servers on one PostgreSQL: a credential that was revoked on one is refused on all of them."""

import threading
from pathlib import Path

import pytest
from tests.crash.client import Client
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.crash.tcp_proxy import TcpProxy
from tests.support.databases import Databases

pytestmark = pytest.mark.postgres

ROUNDS, QUICK_ROUNDS = 60, 12  # of `--both` and of `make test`
ME = "/users/me"


@pytest.fixture
def shared_data(databases: Databases) -> tuple[str, Path]:
    return databases.ready("postgres")


def started(new_server: NewServer, url: str, folder: Path) -> ServerProcess:
    server = new_server(url, folder)
    server.start()
    return server


def test_a_replaced_key_is_refused_by_the_other_server_at_once(
    shared_data, new_server: NewServer, thorough: bool
):
    rounds = ROUNDS if thorough else QUICK_ROUNDS
    url, folder = shared_data
    ana = create_organization(url, "ana")["ana"]
    one, other = (started(new_server, url, folder / name) for name in ("a", "b"))
    key, responses = ana.key, []

    for _ in range(rounds):
        here, there = (Client(server.port, ana.email, key) for server in (one, other))
        assert there.get(ME).status == 200
        key = here.post("/users/me/api_key/regenerate")["api_key"]
        responses.append(there.get(ME).status)

    assert responses == [401] * rounds
    assert Client(other.port, ana.email, key).get(ME).status == 200


def test_an_ended_account_is_refused_by_the_other_server_at_once(
    shared_data, new_server: NewServer, thorough: bool
):
    url, folder = shared_data
    names = [f"p{number}" for number in range(20 if thorough else 6)]
    people = create_organization(url, " ".join(["ana", *names]))
    one, other = (started(new_server, url, folder / name) for name in ("a", "b"))
    ana, responses = people["ana"].at(one.port), []

    for name in names:
        there = people[name].at(other.port)
        assert there.get(ME).status == 200
        assert ana.delete(f"/users/{people[name].id}").status == 200
        responses.append(there.get(ME).status)

    assert responses == [401] * len(names)


def test_a_server_that_was_paused_meanwhile_refuses_a_replaced_key(
    shared_data, new_server: NewServer
):
    url, folder = shared_data
    ana = create_organization(url, "ana")["ana"]
    one, other = (started(new_server, url, folder / name) for name in ("a", "b"))
    there, responses = ana.at(other.port), []
    assert there.get(ME).status == 200
    later = threading.Thread(target=lambda: responses.append(there.get(ME).status))

    other.pause()
    assert ana.at(one.port).post("/users/me/api_key/regenerate").status == 200
    later.start()
    other.resume()
    later.join()

    assert responses == [401]


def test_a_server_without_its_database_does_not_accept_a_replaced_key(
    shared_data, new_server: NewServer
):
    url, folder = shared_data
    ana = create_organization(url, "ana")["ana"]
    proxy = TcpProxy(url)
    one, other = (
        started(new_server, url, folder / "a"),
        started(new_server, proxy.url, folder / "b"),
    )
    there = ana.at(other.port)
    assert there.get(ME).status == 200

    proxy.cut()
    assert ana.at(one.port).post("/users/me/api_key/regenerate").status == 200
    response = there.get(ME)

    assert response.status in (401, 503)
    proxy.restore()
