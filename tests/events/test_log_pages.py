"""Refilling a queue from the log while other requests read and write.

The tests run on the server's own event loop, so that the order is known.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions, storage
from tertulia.database import Database, OrgDatabase
from tertulia.domain.channels.channel import NewChannel
from tertulia.events.delivery import log_pages


class SlowReaders:
    """Reads of log pages wait before they start."""

    def __init__(self, database: Database) -> None:
        self._reads = database.run_read
        self.waiting: list[asyncio.Event] = []
        self._in_haste = False

    async def have_come(self) -> bool:
        return bool(self.waiting)

    def hurry(self) -> None:
        """Release all waiting reads."""
        self._in_haste = True
        for each in self.waiting:
            each.set()

    async def run_read(self, db: OrgDatabase, read: Callable[..., Any], *args: Any) -> Any:
        if read is log_pages.read_page and not self._in_haste:
            may_read = asyncio.Event()
            self.waiting.append(may_read)
            await may_read.wait()
        return await self._reads(db, read, *args)


@pytest.fixture
def slow(chat, monkeypatch) -> SlowReaders:
    readers = SlowReaders(chat.server.database)
    monkeypatch.setattr(chat.server.database, "run_read", readers.run_read)
    return readers


async def soon(happens: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await happens():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def polls(chat, user, queue) -> "asyncio.Task[Any]":
    return asyncio.get_running_loop().create_task(chat.server.poll(user, queue.queue_id))


def received(poll: "asyncio.Task[Any]") -> list[Any]:
    return [msgspec.json.decode(body) for body in poll.result()[0]]


def test_two_simultaneous_polls_lose_nothing(chat, in_kitchen, ana, ben, slow):
    """The second one would take new events for acknowledged ones."""
    queue = ben.listens_for("message", "update_message_flags")
    soup = ana.says("Soup's on", to="kitchen > lunch")
    user = ben.record
    chat.server.becomes_cold()

    async def scene() -> list[list[str]]:
        here = chat.server.database.of(chat.realm.id)
        first, second = polls(chat, user, queue), polls(chat, user, queue)
        await soon(slow.have_come)
        await asyncio.sleep(0.05)
        slow.waiting[0].set()
        await first
        await here.write(actions.messages.flags.update, user, [soup.id], "add", "starred")
        slow.hurry()
        await second
        third = polls(chat, user, queue)
        await third
        return [[event["type"] for event in received(each)] for each in (first, third)]

    assert chat.server.do(scene()) == [["message"], ["message", "update_message_flags"]]


def test_events_beyond_the_directory_are_delivered_once_it_has_them(chat):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    queue = ana.listens_for("stream")
    ana.joins("cellar")
    user = ana.record
    chat.server.becomes_cold()

    async def scene() -> list[list[str]]:
        here = chat.server.database.of(chat.realm.id)
        before = await here.read(storage.log.head)

        async def is_written() -> bool:
            return bool(await here.read(storage.log.head) > before)

        async with chat.server.frozen(chat.realm.id):
            new = (actions.channels.creation.create, user, NewChannel("attic"), "", False)
            making = asyncio.get_running_loop().create_task(here.write(*new))
            await soon(is_written)
            early = polls(chat, user, queue)
            await early
        await making
        late = polls(chat, user, queue)
        await late
        return [[event["op"] for event in received(each)] for each in (early, late)]

    assert chat.server.do(scene()) == [["create"], ["create", "create"]]
