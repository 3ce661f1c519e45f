"""Yielding: long work on a thread lets newer requests run first, and still ends."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from tests.support.waiting import eventually

from tertulia.database import yielding
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.database.readers import ReadConnections
from tertulia.database.yielding import RequestActivity, YieldPoint
from tertulia.fair_queue import SERVER

ROUNDS = 200


@pytest.fixture
def requests(monkeypatch) -> RequestActivity:
    """A separate instance."""
    own = RequestActivity()
    monkeypatch.setattr(yielding, "REQUESTS", own)
    monkeypatch.setattr(yielding, "_HERE", threading.local())
    yielding.allow_yield_in_thread()
    return own


def think(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@pytest.fixture
def naps(monkeypatch) -> list[float]:
    """Time that passes without waiting."""
    taken: list[float] = []
    monkeypatch.setattr(time, "sleep", taken.append)
    return taken


def test_work_yields_until_the_request_should_have_been_answered(requests: RequestActivity):
    thought = YieldPoint()
    think(3 * yielding.SOON_SECONDS)
    requests.come()
    came_at = requests.came_at

    thought.give_way()

    assert thought.has_rested
    assert time.perf_counter() - came_at >= yielding.SOON_SECONDS


def test_work_yields_until_the_request_is_answered(requests: RequestActivity, monkeypatch):
    naps: list[float] = []

    def answered_meanwhile(seconds: float) -> None:
        naps.append(seconds)
        requests.go()

    monkeypatch.setattr(time, "sleep", answered_meanwhile)
    thought = YieldPoint()
    think(yielding.SOON_SECONDS)
    requests.come()

    thought.give_way()

    assert len(naps) == 1


def test_work_does_not_yield_without_requests(requests: RequestActivity, naps: list[float]):
    requests.come()  # for the work itself
    thought = YieldPoint()

    thought.give_way()

    assert (naps, thought.has_rested) == ([], False)


def test_work_that_others_wait_for_does_not_yield(requests: RequestActivity, monkeypatch):
    monkeypatch.setattr(yielding, "_HERE", threading.local())
    thought = YieldPoint()
    think(yielding.SOON_SECONDS)
    requests.come()

    thought.give_way()

    assert not thought.has_rested


def test_reading_threads_may_yield(requests: RequestActivity):
    readers = ReadConnections(Sqlite(Path("nowhere")))
    readers.start()

    def thinks() -> bool:
        thought = YieldPoint()
        think(yielding.SOON_SECONDS)
        requests.come()
        thought.give_way()
        return thought.has_rested

    async def scene() -> bool:
        return await readers.on_thread(SERVER, thinks)

    assert asyncio.run(scene())
    readers.stop()


def test_work_makes_progress_however_many_requests_arrive(requests: RequestActivity):
    is_over = threading.Event()

    def ask_on() -> None:
        until = time.monotonic() + 60
        while not is_over.is_set() and time.monotonic() < until:
            requests.come()
            time.sleep(0)

    asking = threading.Thread(target=ask_on)
    asking.start()
    thought = YieldPoint()
    for _ in range(ROUNDS):
        think(yielding.NAP_SECONDS)
        thought.give_way()
    went_on_beside_them = asking.is_alive()
    is_over.set()
    asking.join()

    assert went_on_beside_them


def test_every_request_counts_until_it_is_answered(chat, monkeypatch):
    came: list[None] = []
    gone: list[None] = []
    monkeypatch.setattr(RequestActivity, "come", lambda self: came.append(None))
    monkeypatch.setattr(RequestActivity, "go", lambda self: gone.append(None))

    chat.person("ana").get("/users/me").succeeds()

    assert came
    eventually(lambda: len(gone) > 0)
