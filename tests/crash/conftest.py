"""Fixtures of the crash tests: server processes that end with their test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.server import ServerProcess
from tests.support.databases import Databases

NewServer = Callable[[str, Path], ServerProcess]


@pytest.fixture
def databases(databases: Databases) -> Iterator[Databases]:
    """Databases of one test, dropped at its end."""
    before = len(databases.lent)
    yield databases
    for url in databases.lent[before:]:
        databases.give_back(url)


@pytest.fixture
def new_server(databases: Databases) -> Iterator[NewServer]:
    """Creates servers: `new_server(*databases.new("sqlite"))`."""
    made: list[ServerProcess] = []

    def make(url: str, folder: Path) -> ServerProcess:
        made.append(ServerProcess(url, folder))
        return made[-1]

    yield make
    for server in made:
        server.close()
