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
    monkeypatch.setattr(yielding, "_THREAD", threading.local())
    yielding.allow_yield_in_thread(own)
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
    yield_point = YieldPoint()
    think(3 * yielding.MAX_ANSWER_SECONDS)
    requests.request_started()
    came_at = requests.arrived_at

    yield_point.yield_to_requests()

    assert yield_point.has_yielded
    assert time.perf_counter() - came_at >= yielding.MAX_ANSWER_SECONDS


def test_work_yields_until_the_request_is_answered(requests: RequestActivity, monkeypatch):
    naps: list[float] = []

    def answered_meanwhile(seconds: float) -> None:
        naps.append(seconds)
        requests.request_finished()

    monkeypatch.setattr(time, "sleep", answered_meanwhile)
    yield_point = YieldPoint()
    think(yielding.MAX_ANSWER_SECONDS)
    requests.request_started()

    yield_point.yield_to_requests()

    assert len(naps) == 1


def test_work_does_not_yield_without_requests(requests: RequestActivity, naps: list[float]):
    requests.request_started()  # for the work itself
    yield_point = YieldPoint()

    yield_point.yield_to_requests()

    assert (naps, yield_point.has_yielded) == ([], False)


def test_work_that_others_wait_for_does_not_yield(requests: RequestActivity, monkeypatch):
    monkeypatch.setattr(yielding, "_THREAD", threading.local())
    yield_point = YieldPoint()
    think(yielding.MAX_ANSWER_SECONDS)
    requests.request_started()

    yield_point.yield_to_requests()

    assert not yield_point.has_yielded


def test_reading_threads_may_yield(requests: RequestActivity):
    readers = ReadConnections(Sqlite(Path("nowhere")), requests)
    readers.start()

    def thinks() -> bool:
        yield_point = YieldPoint()
        think(yielding.MAX_ANSWER_SECONDS)
        requests.request_started()
        yield_point.yield_to_requests()
        return yield_point.has_yielded

    async def scene() -> bool:
        return await readers.on_thread(SERVER, thinks)

    assert asyncio.run(scene())
    readers.stop()


def test_work_makes_progress_however_many_requests_arrive(requests: RequestActivity):
    is_over = threading.Event()

    def ask_on() -> None:
        until = time.monotonic() + 60
        while not is_over.is_set() and time.monotonic() < until:
            requests.request_started()
            time.sleep(0)

    asking = threading.Thread(target=ask_on)
    asking.start()
    yield_point = YieldPoint()
    for _ in range(ROUNDS):
        think(yielding.SLEEP_SECONDS)
        yield_point.yield_to_requests()
    went_on_beside_them = asking.is_alive()
    is_over.set()
    asking.join()

    assert went_on_beside_them


def test_every_request_counts_until_it_is_answered(chat, monkeypatch):
    came: list[None] = []
    gone: list[None] = []
    monkeypatch.setattr(RequestActivity, "request_started", lambda self: came.append(None))
    monkeypatch.setattr(RequestActivity, "request_finished", lambda self: gone.append(None))

    chat.person("ana").get("/users/me").succeeds()

    assert came
    eventually(lambda: len(gone) > 0)
