"""A read on a thread ends when its caller is gone."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import BlockingDatabase, Database
from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint

STEPS = 30_000_000


def one_long_statement(tx: Tx, started: threading.Event) -> None:
    started.set()
    tx.number(
        "WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < :steps)"
        " SELECT count(*) AS value FROM step",
        steps=STEPS,
    )


def many_short_steps(tx: Tx, started: threading.Event) -> None:
    started.set()
    yield_point = YieldPoint(tx.yields_to, tx.interruption)
    for _ in range(STEPS):
        yield_point.yield_to_requests()


@pytest.mark.parametrize("work", [one_long_statement, many_short_steps])
def test_a_read_ends_when_its_caller_is_cancelled(
    database: BlockingDatabase, work: Callable[[Tx, threading.Event], None]
) -> None:
    ends: list[str] = []

    def query(tx: Tx, started: threading.Event) -> None:
        try:
            work(tx, started)
            ends.append("finished")
        except Exception:
            ends.append("interrupted")
            raise

    async def scene() -> int:
        served, started = Database(database), threading.Event()
        read = asyncio.create_task(served.of(0).in_thread.read(query, started))
        await asyncio.to_thread(started.wait, TIMEOUT_SECONDS)
        read.cancel()
        await asyncio.wait([read])
        await asyncio.to_thread(eventually, lambda: ends)
        again = await served.of(0).in_thread.read(lambda tx: tx.number("SELECT 1 AS value"))
        await served.stop()
        return again

    assert asyncio.run(scene()) == 1
    assert ends == ["interrupted"]


def test_a_search_ends_when_its_client_disconnects(chat: Any, ana: Any) -> None:
    """All threads for reads are busy, so the search waits for its turn."""
    ana.get("/users/me").succeeds()  # the organization is in memory
    turn = threading.Event()
    finish = chat.server.occupy_reads(turn)
    narrow = json.dumps([{"operator": "search", "operand": "soup"}])
    query = urlencode({"anchor": "newest", "num_before": 1, "narrow": narrow})
    line = chat.server.client.connect()

    try:
        line.request("GET", f"/api/v1/messages?{query}", ana.headers)
        eventually(lambda: chat.server.has_waiting_read(ana.id))
        line.close()

        eventually(lambda: not chat.server.has_waiting_read(ana.id))
    finally:
        turn.set()
        finish()
