"""The stage: one server for each database and test run, one organization for each test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.support")

from tests.support.databases import Databases, Kind  # noqa: E402
from tests.support.people import Chat  # noqa: E402
from tests.support.server import Server  # noqa: E402

KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Empty databases; all are dropped at the end."""
    made = Databases(tmp_path_factory.mktemp("data"))
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def servers(databases: Databases) -> Iterator[Callable[[Kind], Server]]:
    """The server that all tests of one database share, started when the first one asks."""
    running: dict[Kind, Server] = {}

    def server_on(kind: Kind) -> Server:
        if kind not in running:
            server = Server(*databases.new(kind)).start()
            running[kind] = server
            Chat.found(server)  # with one organization any host would reach it
        return running[kind]

    yield server_on
    for server in running.values():
        server.stop()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Every scene is played on both databases."""
    found: Kind = request.param
    return found


@pytest.fixture
def chat(kind: Kind, servers: Callable[[Kind], Server]) -> Chat:
    """An organization of one's own on a running server, where it is the time it is."""
    server = servers(kind)
    server.clock.ahead = 0.0
    return Chat.found(server)


@pytest.fixture
def start_server(kind: Kind, databases: Databases) -> Iterator[Callable[..., Server]]:
    """Start a server on data of its own: `start_server(rate_limit=Rate(5))`."""
    started: list[Server] = []

    def start(**settings: Any) -> Server:
        started.append(Server(*databases.new(kind), settings).start())
        return started[-1]

    yield start
    for server in started:
        server.stop()
        databases.give_back(server.url)


@pytest.fixture
def own_chat(start_server: Callable[..., Server]) -> Chat:
    """The only organization of a server that no other test uses: to stop and start it."""
    return Chat.found(start_server(), "")
