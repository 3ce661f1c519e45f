"""Two installations in two schemas of one PostgreSQL database do not affect each other."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from tests.database.test_leader import due_jobs, started
from tests.support.databases import Databases
from tests.support.event_queue import EventQueue
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.database import BlockingDatabase

pytestmark = pytest.mark.postgres

MESSAGES = 30


@pytest.fixture
def urls(databases: Databases) -> list[str]:
    """Two empty schemas of one database."""
    url, _ = databases.new("postgres", untouched=True)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA one; CREATE SCHEMA two")
    return [f"{url}?options=-csearch_path%3D{schema}" for schema in ("one", "two")]


@pytest.fixture
def chats(urls: list[str], databases: Databases) -> Iterator[list[Chat]]:
    folders = [databases.new("sqlite")[1] for _ in urls]
    servers = [Server(url, folder).start() for url, folder in zip(urls, folders, strict=True)]
    yield [Chat.found(server, "") for server in servers]
    for server in servers:
        server.stop()


def received_by(queue: EventQueue) -> list[str]:
    """All messages until no more arrive: a notice of another server may come first."""
    received: list[str] = []
    while len(received) < MESSAGES:
        received += [each["message"]["content"] for each in queue.waits().result(TIMEOUT_SECONDS)]
    return received


def test_a_message_is_delivered_in_its_own_installation_only(chats: list[Chat], urls: list[str]):
    second = Server(urls[0], chats[0].server.folder).start()  # so that notices are sent at all
    people = [house.people("ana", "ben", channels=["kitchen"]) for house in chats]
    (ana, ben), (other_ana, other_ben) = people
    queue, other_queue = ben.listens_for("message"), other_ben.listens_for("message")
    elsewhere = replace(ana, server=second)

    for number in range(MESSAGES):
        other_ana.says(f"stew {number}", to="kitchen > lunch")
        (ana if number % 2 else elsewhere).says(f"soup {number}", to="kitchen > lunch")

    assert received_by(queue) == [f"soup {number}" for number in range(MESSAGES)]
    assert received_by(other_queue) == [f"stew {number}" for number in range(MESSAGES)]
    second.stop()


def test_each_installation_has_its_own_leader(urls: list[str]):
    async def scene() -> list[set[str] | None]:
        databases = [started(url) for url in (*urls, urls[0])]
        found = [await due_jobs(each) for each in databases]
        for each in databases:
            await each.stop()
        return found

    for url in urls:
        BlockingDatabase.at(url).migrate()

    assert asyncio.run(scene()) == [set(), set(), None]


def test_an_installation_does_not_wait_for_the_locks_of_another(urls: list[str]):
    one, two = (BlockingDatabase.at(url) for url in urls)
    one.migrate()
    two.migrate()
    holder = one.dialect.connect()
    holder.execute("BEGIN")
    one.dialect.lock_schema(holder)
    one.dialect.lock_organization(holder, 0)

    waiting = two.dialect.connect()
    waiting.execute("SET lock_timeout = '1s'")
    waiting.execute("BEGIN")
    two.dialect.lock_schema(waiting)  # raises if it has to wait
    two.dialect.lock_organization(waiting, 0)

    assert not two.dialect.cluster.has_peers(waiting)
    same = BlockingDatabase.at(urls[0]).dialect.connect()
    same.execute("SET lock_timeout = '1ms'")
    same.execute("BEGIN")
    with pytest.raises(psycopg.errors.LockNotAvailable):
        one.dialect.lock_organization(same, 0)
    for connection in (holder, waiting, same):
        connection.close()


def test_a_copied_schema_has_its_own_channels(urls: list[str]):
    one, two = (BlockingDatabase.at(url) for url in urls)
    one.migrate()
    two.migrate()
    with psycopg.connect(urls[0], autocommit=True) as connection:
        connection.execute("UPDATE two.installation SET id = (SELECT id FROM one.installation)")

    for each in (one, two):
        each.dialect.connect().close()

    assert one.dialect.cluster.channel("log") != two.dialect.cluster.channel("log")
