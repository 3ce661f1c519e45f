"""Fixtures of the crash tests: server processes that end with their test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.server import ServerProcess
from tests.support.databases import POSTGRES, Databases

NewServer = Callable[[str, Path], ServerProcess]


@pytest.fixture
def databases(databases: Databases) -> Iterator[Databases]:
    """Databases of one test, dropped at its end."""
    before = len(databases.lent)
    yield databases
    for url in databases.lent[before:]:
        databases.give_back(url)


@pytest.fixture
def new_server(databases: Databases, thorough: bool) -> Iterator[NewServer]:
    """Creates servers: `new_server(*databases.new("sqlite"))`.

    No test ends the PostgreSQL that all tests share, so it loses no commit. In `make test` servers
    do not wait for its disk; in `--both` they do, as outside of tests.
    """
    made: list[ServerProcess] = []

    def make(url: str, folder: Path) -> ServerProcess:
        made.append(ServerProcess(url, folder))
        made[-1].is_durable = thorough or not url.startswith(POSTGRES)
        return made[-1]

    yield make
    for server in made:
        server.close()
