"""Fair queues: slow work is served person by person, bounded for each, and cancelled cleanly."""

import asyncio
import contextvars
import functools
import gc
import secrets
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.fair_queue import QUEUE_STATES, QUEUES, SERVER, FairQueue

ANA, BEN, CAM = 1, 2, "203.0.113.9"


@pytest.fixture
def make_queue():
    made = []

    def make(slots=1, max_waiting=100, slots_per_person=None):
        queue = FairQueue(
            secrets.token_hex(8),
            slots=slots,
            max_waiting=max_waiting,
            slots_per_person=slots_per_person,
        )
        made.append(queue)
        return queue

    yield make
    for queue in made:
        QUEUES.pop(queue.name, None)


def on_a_loop(test):
    @functools.wraps(test)
    def run(**fixtures):
        asyncio.run(test(**fixtures))

    return run


def submit(queue, person, work):
    return asyncio.create_task(queue.run(person, work))


@on_a_loop
async def test_one_item_of_another_person_is_served_before_the_rest_of_a_backlog(make_queue):
    queue, order, gate = make_queue(), [], threading.Event()
    backlog = [submit(queue, ANA, gate.wait)]
    backlog += [submit(queue, ANA, lambda: order.append(ANA)) for _ in range(20)]
    await asyncio.sleep(0)

    others = [submit(queue, each, lambda each=each: order.append(each)) for each in (BEN, CAM)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*backlog, *others)

    assert order[:3] == [ANA, BEN, CAM]
    assert order[3:] == [ANA] * 19


@on_a_loop
async def test_a_person_with_too_much_waiting_is_refused_and_others_are_not(make_queue):
    queue, gate = make_queue(max_waiting=2), threading.Event()
    waiting = [submit(queue, ANA, gate.wait) for _ in range(3)]  # one of them runs
    await asyncio.sleep(0)

    with pytest.raises(RateLimited) as refused:
        await queue.run(ANA, gate.wait)
    waiting.append(submit(queue, BEN, gate.wait))
    await asyncio.sleep(0)

    assert refused.value.reply_headers() == {"Retry-After": "1"}
    assert (queue.running, queue.waiting, queue.state.refused) == (1, 3, 1)
    gate.set()
    await asyncio.gather(*waiting)
    assert (queue.running, queue.waiting, queue.state.served) == (0, 0, 4)


@on_a_loop
async def test_one_person_leaves_a_slot_free_for_others(make_queue):
    queue, gate = make_queue(slots=3, slots_per_person=2), threading.Event()
    hanging = [submit(queue, ANA, gate.wait) for _ in range(10)]

    assert await queue.run(BEN, lambda: "served") == "served"

    assert queue.running == 2
    gate.set()
    await asyncio.gather(*hanging)


@on_a_loop
async def test_cancelled_work_that_waits_never_runs(make_queue):
    queue, gate, ran = make_queue(), threading.Event(), []
    first = submit(queue, ANA, gate.wait)
    second = submit(queue, ANA, lambda: ran.append("second"))
    await asyncio.sleep(0)

    second.cancel()
    await asyncio.wait([second])

    assert queue.waiting == 0
    gate.set()
    await first
    assert await queue.run(ANA, lambda: "next") == "next"
    assert ran == []


@on_a_loop
async def test_cancelled_work_that_runs_keeps_its_slot_until_it_ends(make_queue):
    queue, gate = make_queue(), threading.Event()
    first = submit(queue, ANA, gate.wait)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])

    second = submit(queue, BEN, lambda: "second")
    await asyncio.sleep(0)

    assert (queue.running, queue.waiting) == (1, 1)
    gate.set()
    assert await second == "second"


@on_a_loop
async def test_an_error_reaches_the_caller_and_frees_the_slot(make_queue):
    queue = make_queue()

    with pytest.raises(ZeroDivisionError):
        await queue.run(ANA, lambda: 1 // 0)

    assert await queue.run(ANA, lambda: "next") == "next"


@on_a_loop
async def test_slots_for_awaiting_work_are_given_in_turn(make_queue):
    queue, order = make_queue(), []

    async def call(person):
        async with queue.slot(person):
            order.append(person)
            await asyncio.sleep(0)

    await asyncio.gather(*(call(each) for each in [ANA, ANA, ANA, BEN]))

    assert order == [ANA, ANA, BEN, ANA]
    assert queue.running == 0


@on_a_loop
async def test_a_slot_passes_from_one_event_loop_to_another(make_queue):
    queue, order = make_queue(), []
    is_taken, may_end = threading.Event(), threading.Event()

    async def hold():
        async with queue.slot(ANA):
            is_taken.set()
            await asyncio.to_thread(may_end.wait)
            order.append(ANA)

    async def take():
        async with queue.slot(BEN):
            order.append(BEN)

    with ThreadPoolExecutor(1) as other_loop:
        held = other_loop.submit(asyncio.run, hold())
        await asyncio.to_thread(is_taken.wait)
        taken = asyncio.create_task(take())
        await asyncio.sleep(0)
        may_end.set()
        await taken
        held.result()

    assert order == [ANA, BEN]
    assert queue.running == 0


@on_a_loop
async def test_a_cancelled_wait_for_a_slot_leaves_nothing_behind(make_queue):
    queue = make_queue()

    async def call():
        async with queue.slot(BEN):
            pytest.fail("it was cancelled")

    async with queue.slot(ANA):
        waiting = asyncio.create_task(call())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])

    assert (queue.running, queue.waiting) == (0, 0)
    async with queue.slot(CAM):
        assert queue.running == 1


@on_a_loop
async def test_the_work_of_the_server_itself_is_never_refused(make_queue):
    queue, gate = make_queue(max_waiting=0), threading.Event()
    running = [submit(queue, SERVER, gate.wait) for _ in range(5)]
    await asyncio.sleep(0)

    with pytest.raises(RateLimited):
        await queue.run(ANA, gate.wait)

    gate.set()
    assert await asyncio.gather(*running) == [True] * 5


@on_a_loop
async def test_a_person_whose_slots_are_taken_waits_even_if_others_are_free(make_queue):
    queue, gate = make_queue(slots=2, slots_per_person=1, max_waiting=0), threading.Event()
    running = submit(queue, ANA, gate.wait)
    await asyncio.sleep(0)

    with pytest.raises(RateLimited):
        await queue.run(ANA, gate.wait)

    gate.set()
    await running


class Held:
    """What a work item refers to, such as the bytes of a form."""


@pytest.mark.parametrize("fails", [False, True])
def test_memory_of_a_work_item_is_freed_without_the_garbage_collector(make_queue, fails):
    queue, held = make_queue(), Held()
    gone = weakref.ref(held)

    def work(held=held):
        if fails:
            raise ValueError

    async def submit_one(work):
        try:
            await queue.run(ANA, work)
        except ValueError as error:
            error.__traceback__ = None  # as the HTTP layer does

    gc.disable()
    try:
        asyncio.run(submit_one(work))
        del held, work
        is_gone = gone() is None
    finally:
        gc.enable()

    assert is_gone


@on_a_loop
async def test_a_closed_queue_ends_running_work_and_refuses_waiting_work(make_queue):
    queue, gate = make_queue(), threading.Event()
    running = submit(queue, ANA, gate.wait)
    waiting = submit(queue, BEN, gate.wait)
    await asyncio.sleep(0)

    closing = asyncio.create_task(asyncio.to_thread(queue.close))
    with pytest.raises(ServiceUnavailable):
        await waiting
    assert not closing.done()
    gate.set()
    await closing

    assert await running is True
    assert queue.name not in QUEUES


@on_a_loop
async def test_a_slot_is_freed_when_no_thread_can_be_started(make_queue, monkeypatch):
    queue = make_queue()

    def refuse(pool, *args):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as broken:
        broken.setattr(ThreadPoolExecutor, "submit", refuse)
        failed = [submit(queue, person, lambda: "never") for person in (ANA, ANA, BEN)]
        outcomes = await asyncio.gather(*failed, return_exceptions=True)

    assert [type(each) for each in outcomes] == [ServiceUnavailable] * 3
    assert (queue.running, queue.waiting) == (0, 0)
    assert await queue.run(ANA, lambda: "served") == "served"


@on_a_loop
async def test_a_full_queue_of_one_server_delays_no_other_server_of_the_process(make_queue):
    queue, gate = make_queue(max_waiting=0), threading.Event()
    other = contextvars.copy_context()
    other.run(QUEUE_STATES.set, {})
    hanging = submit(queue, ANA, gate.wait)
    await asyncio.sleep(0)

    served = await asyncio.create_task(queue.run(BEN, lambda: "served"), context=other)

    assert (served, queue.running, other.run(lambda: queue.running)) == ("served", 1, 0)
    gate.set()
    await hanging
