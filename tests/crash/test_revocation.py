"""Servers on one PostgreSQL: a credential that was revoked on one is refused on all of them."""

from pathlib import Path

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.crash.tcp_proxy import TcpProxy
from tests.support.databases import Databases

pytestmark = pytest.mark.postgres

ME = "/users/me"


@pytest.fixture
def shared_data(databases: Databases) -> tuple[str, Path]:
    return databases.ready("postgres")


def started(new_server: NewServer, url: str, folder: Path) -> ServerProcess:
    server = new_server(url, folder)
    server.start()
    return server


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
