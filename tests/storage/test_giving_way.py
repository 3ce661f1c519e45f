"""Whoever thinks for long on a thread lets those go first who have just asked, and still ends."""

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
    """Nobody else's."""
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
    """Taken in no time."""
    taken: list[float] = []
    monkeypatch.setattr(time, "sleep", taken.append)
    return taken


def test_a_thought_rests_until_who_asked_should_have_been_answered(requests: RequestActivity):
    thought = YieldPoint()
    think(3 * yielding.SOON_SECONDS)
    requests.come()
    came_at = requests.came_at

    thought.give_way()

    assert thought.has_rested
    assert time.perf_counter() - came_at >= yielding.SOON_SECONDS


def test_a_thought_rests_until_who_asked_is_answered(requests: RequestActivity, monkeypatch):
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


def test_a_thought_does_not_rest_when_nobody_asks(requests: RequestActivity, naps: list[float]):
    requests.come()  # for the thought itself
    thought = YieldPoint()

    thought.give_way()

    assert (naps, thought.has_rested) == ([], False)


def test_whoever_is_waited_for_by_all_does_not_rest(requests: RequestActivity, monkeypatch):
    monkeypatch.setattr(yielding, "_HERE", threading.local())
    thought = YieldPoint()
    think(yielding.SOON_SECONDS)
    requests.come()

    thought.give_way()

    assert not thought.has_rested


def test_threads_that_read_may_rest(requests: RequestActivity):
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


def test_a_thought_goes_on_however_many_ask(requests: RequestActivity):
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


def test_every_request_is_given_way_until_it_is_answered(chat, monkeypatch):
    came: list[None] = []
    gone: list[None] = []
    monkeypatch.setattr(RequestActivity, "come", lambda self: came.append(None))
    monkeypatch.setattr(RequestActivity, "go", lambda self: gone.append(None))

    chat.person("ana").get("/users/me").succeeds()

    assert came
    eventually(lambda: len(gone) > 0)
