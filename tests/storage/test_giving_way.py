"""Whoever thinks for long on a thread lets those go first who have just asked, and still ends."""

import threading
import time

import pytest

from tertulia.storage.database import giving_way
from tertulia.storage.database.giving_way import LongThought, Requests

ROUNDS = 200


@pytest.fixture
def requests(monkeypatch) -> Requests:
    """Nobody else's."""
    own = Requests()
    monkeypatch.setattr(giving_way, "REQUESTS", own)
    return own


def think(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def test_a_thought_rests_until_who_asked_is_answered(requests: Requests):
    thought = LongThought()
    think(3 * giving_way.SOON_SECONDS)
    requests.come()

    thought.give_way()

    assert time.perf_counter() - requests.came_at >= giving_way.SOON_SECONDS


def test_a_thought_does_not_rest_when_nobody_asks(requests: Requests, monkeypatch):
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    thought = LongThought()
    think(giving_way.SOON_SECONDS)

    thought.give_way()

    assert naps == []


def test_a_thought_goes_on_however_many_ask(requests: Requests):
    is_over = threading.Event()

    def ask_on() -> None:
        until = time.monotonic() + 60
        while not is_over.is_set() and time.monotonic() < until:
            requests.come()
            time.sleep(0)

    asking = threading.Thread(target=ask_on)
    asking.start()
    thought = LongThought()
    for _ in range(ROUNDS):
        think(giving_way.NAP_SECONDS)
        thought.give_way()
    went_on_beside_them = asking.is_alive()
    is_over.set()
    asking.join()

    assert went_on_beside_them


def test_every_request_is_given_way(chat):
    ana = chat.person("ana")
    before = giving_way.REQUESTS.came_at

    ana.get("/users/me").succeeds()

    assert giving_way.REQUESTS.came_at > before
