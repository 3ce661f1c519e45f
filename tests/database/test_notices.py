"""Notices between servers: each server gets those about the organizations that it has in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest
from tests.database.test_leader import due_jobs, started
from tests.support.databases import Databases
from tests.support.event_queue import EventQueue
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import eventually

from tertulia import actions, storage
from tertulia.database import BlockingDatabase, Database, notify_bus
from tertulia.database.dialects import postgres_cluster

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def no_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learned is learned from notices."""
    monkeypatch.setattr(postgres_cluster, "POLL_SECONDS", 3600)
    monkeypatch.setattr(notify_bus, "REVIEW_SECONDS", 0.02)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    url, _ = databases.ready("postgres")
    yield url
    databases.give_back(url)


class Listener:
    """A server that needs notices about some organizations; None for all."""

    def __init__(self, database: Database, needed: set[int] | None) -> None:
        self.database = database
        self.needed = needed
        self.told: set[int] = set()  # organizations that have moved, since the last look

    async def changed(self, ends: Mapping[int, int] | None) -> None:
        self.told.update(ends or ())

    def needs(self) -> set[int] | None:
        return None if self.database.leader.is_ours else self.needed


@asynccontextmanager
async def listening(url: str, needed: set[int] | None) -> AsyncIterator[Listener]:
    listener = Listener(started(url), needed)

    def ignore(notice: str) -> None:
        """Nothing else is tested here."""

    task = asyncio.create_task(
        listener.database.watch(listener.changed, ignore, ignore, listener.needs)
    )
    await until(lambda: listener.database.connected_at is not None)
    yield listener
    task.cancel()
    await asyncio.wait([task])
    await listener.database.stop()


async def write(database: Database, *realm_ids: int) -> None:
    for realm_id in realm_ids:
        await database.of(realm_id).write(storage.log.append, "kind", "[]", "{}")


async def until(holds: Callable[[], object], repeat: Callable[[], object] | None = None) -> None:
    async with asyncio.timeout(60):
        while not holds():
            if repeat is not None:
                await repeat()  # type: ignore[misc]
            await asyncio.sleep(0.02)


def has_received(queue: EventQueue, message_id: int) -> bool:
    return message_id in [each["message"]["id"] for each in queue.all()]


def create(url: str, *names: str) -> list[int]:
    database = BlockingDatabase.at(url)
    make = actions.organization.creation.create
    return [database.of(0).write(make, name, name).id for name in names]


def test_a_server_gets_notices_about_what_it_has_in_memory(url: str) -> None:
    bakery, cellar = create(url, "bakery", "cellar")

    async def scene() -> None:
        async with listening(url, None) as sender, listening(url, {bakery}) as receiver:
            await until(
                lambda: bakery in receiver.told, lambda: write(sender.database, cellar, bakery)
            )
            assert receiver.told == {bakery}

            receiver.needed = {cellar}
            await until(
                lambda: cellar in receiver.told, lambda: write(sender.database, bakery, cellar)
            )
            receiver.told.clear()
            await until(
                lambda: cellar in receiver.told, lambda: write(sender.database, bakery, cellar)
            )
            assert receiver.told == {cellar}

    asyncio.run(scene())


def test_a_server_that_begins_to_load_an_organization_gets_its_notices_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify_bus, "REVIEW_SECONDS", 3600)
    bakery, cellar = create(url, "bakery", "cellar")

    async def scene() -> None:
        async with listening(url, None) as sender, listening(url, {cellar}) as receiver:
            receiver.needed = {cellar, bakery}
            await receiver.database.listen_to(bakery)
            await write(sender.database, bakery)
            await until(lambda: bakery in receiver.told)

    asyncio.run(scene())


def test_a_new_leader_gets_all_notices_before_its_jobs_run(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify_bus, "REVIEW_SECONDS", 3600)
    bakery, cellar = create(url, "bakery", "cellar")

    async def scene() -> None:
        async with listening(url, set()) as one, listening(url, set()) as two:
            assert await due_jobs(one.database) is not None
            assert await due_jobs(two.database) is None
            await until(
                lambda: one.told >= {bakery, cellar}, lambda: write(two.database, bakery, cellar)
            )
            assert two.told == set()

    asyncio.run(scene())


def test_an_organization_that_a_server_loads_is_followed_at_once(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify_bus, "REVIEW_SECONDS", 3600)
    url, folder = databases.ready("postgres")
    one = Server(url, folder).start()
    chats = [Chat.found(one, name) for name in ("", "bakery")]
    anas = [chat.person("ana", channels=["kitchen"]) for chat in chats]
    other = Server(url, folder, clock=one.clock).start()

    for ana in anas:
        queue = replace(ana, server=other).listens_for("message")
        soup = ana.says("Soup's on", to="kitchen > lunch")
        eventually(partial(has_received, queue, soup.id))

    other.stop()
    one.stop()
    databases.give_back(url)
