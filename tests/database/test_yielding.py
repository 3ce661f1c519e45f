"""Yielding: long work lets newer requests run first, and still ends."""

import asyncio
import socket
import threading
import time

import pytest
from tests.support.waiting import eventually

from tertulia.database import BlockingDatabase, Database, yielding
from tertulia.database.tx import Tx
from tertulia.database.yielding import LoopYieldPoint, RequestActivity, YieldPoint

ROUNDS = 200


@pytest.fixture
def requests() -> RequestActivity:
    return RequestActivity()


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
    yield_point = YieldPoint(requests)
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
    yield_point = YieldPoint(requests)
    think(yielding.MAX_ANSWER_SECONDS)
    requests.request_started()

    yield_point.yield_to_requests()

    assert len(naps) == 1


def test_work_does_not_yield_without_requests(requests: RequestActivity, naps: list[float]):
    requests.request_started()  # for the work itself
    yield_point = YieldPoint(requests)

    yield_point.yield_to_requests()

    assert (naps, yield_point.has_yielded) == ([], False)


def test_only_reads_on_a_thread_yield(database: BlockingDatabase):
    served = Database(database)

    def thinks(tx: Tx) -> bool:
        yield_point = YieldPoint(tx.yields_to)
        think(yielding.MAX_ANSWER_SECONDS)
        served.requests.request_started()
        yield_point.yield_to_requests()
        return yield_point.has_yielded

    async def scene() -> tuple[bool, bool]:
        found = await served.of(0).in_thread.read(thinks), await served.of(0).query(thinks)
        await served.stop()
        return found

    assert asyncio.run(scene()) == (True, False)
    assert not database.of(0).write(thinks)


def test_work_makes_progress_however_many_requests_arrive(requests: RequestActivity):
    is_over = threading.Event()

    def ask_on() -> None:
        until = time.monotonic() + 60
        while not is_over.is_set() and time.monotonic() < until:
            requests.request_started()
            time.sleep(0)

    asking = threading.Thread(target=ask_on)
    asking.start()
    yield_point = YieldPoint(requests)
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


def test_work_on_the_loop_waits_until_a_newer_request_is_answered(requests: RequestActivity):
    async def scene() -> bool:
        yield_point = LoopYieldPoint(requests, max_seconds=60)
        requests.arrived_at = time.perf_counter() + 60  # so that only its end matters
        asyncio.get_running_loop().call_later(0.01, requests.request_finished)
        await yield_point.yield_to_requests()
        return requests.arrived_at == yielding.NEVER

    assert asyncio.run(scene())


def test_work_on_the_loop_waits_until_an_earlier_request_is_answered(requests: RequestActivity):
    async def scene() -> bool:
        requests.arrived_at = time.perf_counter() + 60  # so that only its end matters
        requests.request_started()
        requests.request_queued()  # the work itself
        yield_point = LoopYieldPoint(requests, max_seconds=60)
        asyncio.get_running_loop().call_later(0.01, requests.request_finished)
        await yield_point.yield_to_requests()
        return requests.arrived_at == yielding.NEVER

    assert asyncio.run(scene())


def test_work_on_the_loop_waits_for_no_request_that_is_queued(requests: RequestActivity):
    async def scene() -> None:
        yield_point = LoopYieldPoint(requests, max_seconds=1e9)
        requests.request_started()
        requests.request_queued()
        await yield_point.yield_to_requests()
        assert requests.arrived_at == yielding.NEVER

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_the_end_of_a_request_leaves_the_others(requests: RequestActivity):
    requests.request_started()
    first = requests.arrived_at
    for _ in range(2):
        requests.request_started()
    for _ in range(2):
        requests.request_queued()
    for _ in range(2):
        requests.request_resumed()
        requests.request_finished()

    assert requests.arrived_at == first
    requests.request_finished()
    assert requests.arrived_at == yielding.NEVER


def test_work_on_the_loop_lets_a_request_go_first_that_the_loop_has_yet_to_read(
    requests: RequestActivity,
):
    """With the event loop of asyncio: it reads from sockets after it continues tasks."""

    async def scene() -> bool:
        inside, outside = socket.socketpair()
        outside.send(b"GET / HTTP/1.1")
        loop = asyncio.get_running_loop()
        read: list[bytes] = []
        loop.add_reader(inside, lambda: read.append(inside.recv(100)))
        await LoopYieldPoint(requests, max_seconds=60).yield_to_requests()
        loop.remove_reader(inside)
        inside.close()
        outside.close()
        return bool(read)

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        assert runner.run(scene())


def test_work_on_the_loop_ends_however_many_requests_arrive(requests: RequestActivity):
    async def scene() -> None:
        yield_point = LoopYieldPoint(requests, max_seconds=0.02)
        requests.arrived_at = time.perf_counter() + 1e9
        await yield_point.yield_to_requests()

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_requests_that_wait_for_their_turn_do_not_count_as_urgent():
    requests = RequestActivity()

    requests.request_started()
    requests.request_started()
    requests.request_queued()

    assert requests.urgent == 1
