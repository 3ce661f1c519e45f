"""Batching of fast-path sends: senders share commits and wait for each other only briefly."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from tests.crash.people import create_organization
from tests.support.databases import Databases, Kind

from tertulia import storage
from tertulia.database import BlockingDatabase, Database
from tertulia.database.fast_insert_sqlite import MAX_BATCH_ON_LOOP
from tertulia.database.fast_send import MAX_SMALL_CHARACTERS, AssignedIds, FastSend
from tertulia.database.tx import Tx
from tertulia.database.write_queue import MAX_BATCH
from tertulia.domain.messages.message import Draft

CLIENTS = 8
SENDS = 10

Send = Callable[[], Awaitable[AssignedIds]]


def test_a_batch_waits_for_senders_that_send_again_soon(databases: Databases, kind: Kind):
    async def client(send: Send, number: int) -> None:
        for _ in range(SENDS):
            await send()
            for _ in range(number % 2):  # like a client that is farther away
                await asyncio.sleep(0)

    sizes = batch_sizes(databases, kind, client)

    assert sum(sizes) == CLIENTS * SENDS
    assert sizes.count(CLIENTS) >= SENDS // 2


def test_the_wait_of_a_batch_is_limited(databases: Databases, kind: Kind):
    """In every turn of the event loop a send arrives, so there is never a pause."""

    async def client(send: Send, number: int) -> None:
        if number == 0:
            sending = []
            for _ in range(10 * MAX_BATCH_ON_LOOP):
                sending.append(asyncio.ensure_future(send()))
                await asyncio.sleep(0)
            await asyncio.gather(*sending)

    sizes = batch_sizes(databases, kind, client)

    assert sum(sizes) == 10 * MAX_BATCH_ON_LOOP
    assert max(sizes) <= (MAX_BATCH_ON_LOOP if kind == "sqlite" else MAX_BATCH)


def test_heavy_messages_are_written_one_by_one(databases: Databases):
    """A prepared statement keeps the values of its last execution."""
    url, _ = databases.ready("sqlite")
    create_organization(url, "ana")
    database = BlockingDatabase.at(url)
    realm_id = database.of(0).read(lambda tx: tx.number("SELECT id AS value FROM realm"))

    def statements(rendered: str) -> int:
        seen: list[str] = []

        def append(tx: Tx) -> None:
            plain = _plain(tx)
            plain.row["rendered"] = rendered
            tx._connection.set_trace_callback(seen.append)
            assert storage.messages.fast_insert.append(tx, [plain] * CLIENTS)
            tx._connection.set_trace_callback(None)

        database.of(realm_id).write(append)
        return sum(each.startswith("INSERT INTO message ") for each in seen)

    assert statements("<p>hello</p>") == 1
    assert statements("<p>hello</p>" * MAX_SMALL_CHARACTERS) == CLIENTS


def batch_sizes(
    databases: Databases, kind: Kind, client: Callable[[Send, int], Awaitable[None]]
) -> list[int]:
    """How many messages each commit had."""
    url, _ = databases.ready(kind)
    create_organization(url, "ana")
    database = BlockingDatabase.at(url)
    realm_id = database.of(0).read(lambda tx: tx.number("SELECT id AS value FROM realm"))
    plain = database.of(realm_id).read(_plain)
    text: list[AssignedIds] = []
    served = Database(database)

    async def scene() -> None:
        served.start(
            lambda tx, realms: None,
            lambda news, answer: answer(),
            lambda appended: None,
            storage.messages.fast_insert,
            prepare_fast=lambda realm_id, action, args: plain,
        )

        async def send() -> AssignedIds:
            given: AssignedIds = await served.of(realm_id).write(_never)
            text.append(given)
            return given

        await send()
        text.clear()
        await asyncio.gather(*(client(send, number) for number in range(CLIENTS)))
        await served.stop()

    asyncio.run(scene())
    return list(Counter(each.at for each in sorted(text)).values())


def _plain(tx: Tx) -> FastSend:
    sender_id, channel_id = tx.tuples("SELECT user_id, channel_id FROM subscription LIMIT 1")[0]
    draft = Draft("hello", "<p>hello</p>", 0, "tests", read_by_sender=True)
    return FastSend(
        valid_as_of=storage.log.end(tx),
        row=storage.messages.table.new_row(sender_id, draft, channel_id, None),
        audience="{}",
        payload="}",
        key=None,
        make_event=lambda numbers: numbers,
        make_result=lambda numbers: numbers,
    )


def _never(tx: Tx) -> Any:
    raise AssertionError("it was not plain")
