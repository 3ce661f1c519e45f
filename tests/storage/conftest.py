"""Fixtures: an empty database with its schema, and no server."""

from collections.abc import Iterator

import pytest
from tests.support.databases import Databases, Kind

from tertulia import actions
from tertulia.database import Database
from tertulia.domain.organization.realm import Realm


@pytest.fixture
def database(kind: Kind, databases: Databases) -> Iterator[Database]:
    url, _ = databases.ready(kind)
    made = Database.at(url)
    made.migrate()
    yield made
    databases.give_back(url)


@pytest.fixture
def on_sqlite(databases: Databases) -> Database:
    """For questions about the schema, which is the same on both databases."""
    made = Database.at(databases.ready("sqlite")[0])
    made.migrate()
    return made


@pytest.fixture
def realm(database: Database) -> Realm:
    return database.write_now(0, actions.organization.create, "Casa", "casa")
