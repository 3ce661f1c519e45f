"""Leader election: of several servers on one PostgreSQL, one at a time is the leader."""

import asyncio
from collections.abc import Iterator

import pytest
from tests.support.databases import Databases

from tertulia import storage
from tertulia.database import BlockingDatabase, Database

pytestmark = pytest.mark.postgres

QUESTIONS = [storage.due_jobs.outbox("mail"), storage.due_jobs.EXPORT]


async def due_jobs(database: Database) -> set[str] | None:
    return await database.leader.query(lambda tx: storage.due_jobs.which(tx, QUESTIONS))


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    url, _ = databases.ready("postgres")
    yield url
    databases.give_back(url)


def started(url: str) -> Database:
    database = Database(BlockingDatabase.at(url))
    database.start(
        lambda tx, realms: None,
        lambda news, answer: answer(),
        lambda appended: None,
        storage.messages.fast_insert,
    )
    return database


def test_another_server_takes_over_when_the_leader_ends_or_is_cut_off(url):
    async def scene() -> list[set[str] | None]:
        one, two, three = (started(url) for _ in range(3))
        found = [await due_jobs(each) for each in (one, two)]
        await one.stop()
        found += [await due_jobs(each) for each in (two, three)]
        with two.dialect.connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        found += [await due_jobs(each) for each in (three,)]
        await two.stop()
        await three.stop()
        return found

    assert asyncio.run(scene()) == [set(), None, set(), None, set()]
