"""Connections served by the event loop, and notices between servers."""

import asyncio

import psycopg
import pytest
from tests.support.databases import Databases
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database.dialects.postgres import Postgres
from tertulia.database.notify_bus import ALL_BUCKETS, LOG, channels_of

pytestmark = pytest.mark.postgres


@pytest.fixture
def url(databases: Databases):
    url, _ = databases.ready("postgres")
    yield url
    databases.give_back(url)


def test_statements_are_answered_one_after_the_other(url):
    async def scene() -> None:
        connection = await Postgres(url).cluster.connect_on_loop()
        large = "x" * 20_000_000  # more than a socket takes at once
        params = {"text": large, "number": 7}

        assert await connection.execute("SELECT length(:text), :number::int8 + 1", params) == [
            (b"20000000", b"8")
        ]
        with pytest.raises(psycopg.errors.DivisionByZero):
            await connection.execute("SELECT 1 / :number::int8", {"number": 0})
        with pytest.raises(psycopg.errors.SyntaxError):
            await connection.execute("SELEKT", {})
        assert await connection.execute("SELECT 1 / :number::int8", {"number": 1}) == [(b"1",)]
        connection.close()

    asyncio.run(scene())


def test_a_closed_connection_is_detected(url):
    async def scene() -> None:
        dialect = Postgres(url)
        idle, busy, left = [await dialect.cluster.connect_on_loop() for _ in range(3)]
        asking = asyncio.create_task(busy.execute("SELECT pg_sleep(60)", {}))
        leaving = asyncio.create_task(left.execute("SELECT pg_sleep(60)", {}))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.wait([leaving])
        assert left.is_lost
        with psycopg.connect(url) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname ="
                " current_database() AND application_name LIKE 'tertulia %'"
            )

        await asyncio.wait_for(idle.wait_until_lost(), TIMEOUT_SECONDS)
        with pytest.raises(psycopg.OperationalError) as raised:
            await asking
        assert dialect.failures.is_outage(raised.value)
        assert busy.is_lost

    asyncio.run(scene())


def test_a_lone_server_sends_no_notices_until_another_one_starts(databases):
    url, folder = databases.ready("postgres")
    one = Server(url, folder).start()
    ana, ben = Chat.found(one, "").people("ana", "ben", channels=["kitchen"])
    for _ in range(2):
        ana.says("First", to="kitchen > lunch")
    with psycopg.connect(url, autocommit=True) as listener:
        for channel in map(one.database.dialect.cluster.channel, [LOG, *channels_of(ALL_BUCKETS)]):
            listener.execute(f"LISTEN {channel}")
        ana.says("Anybody?", to="kitchen > lunch")
        ana.post("/typing", op="start", to=[ben.id]).succeeds()
        listener.execute(f"NOTIFY {one.database.dialect.cluster.channel(LOG)}, 'the end'")
        found = [
            notice.payload for notice in listener.notifies(timeout=TIMEOUT_SECONDS, stop_after=1)
        ]
        assert found == ["the end"]

        other = Server(url, folder, clock=one.clock).start()
        received: list[str] = []

        def is_notified() -> bool:
            ana.says("Welcome", to="kitchen > lunch")
            received.extend(each.payload for each in listener.notifies(timeout=0.1))
            return any("Welcome" in each for each in received)

        eventually(is_notified)
    other.stop()
    one.stop()
    databases.give_back(url)
