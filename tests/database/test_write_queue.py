"""The queue of a writer: people take turns, and slow writes wait apart from quick ones."""

import pytest

from tertulia.database.write_queue import (
    MAX_BATCH,
    MAX_QUEUED,
    SLOW_FACTOR,
    SLOW_WRITE_SECONDS,
    Batch,
    PendingWrite,
    WriteQueue,
)
from tertulia.errors.http import ServiceUnavailable
from tertulia.fair_queue import SERVER, Person

ANA, BEN, CAM = 1, 2, "203.0.113.9"
BAKERY, CELLAR = 7, 8
SLOW = 10 * SLOW_WRITE_SECONDS


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(clock: Clock) -> WriteQueue:
    return WriteQueue(clock)


def write(person: Person, realm_id: int = BAKERY) -> PendingWrite:
    return PendingWrite(print, (), realm_id, lambda done: None, person=person)


def put(queue: WriteQueue, *people: Person) -> list[PendingWrite]:
    jobs = [write(person) for person in people]
    for job in jobs:
        queue.put(job)
    return jobs


def take(queue: WriteQueue) -> list[PendingWrite]:
    taken = queue.take()
    assert isinstance(taken, list)
    return taken


def people(jobs: list[PendingWrite]) -> list[Person]:
    return [job.person for job in jobs]


def test_people_take_turns_and_each_keeps_the_order_of_their_writes(queue):
    first, second, third, bens = put(queue, ANA, ANA, ANA, BEN)

    assert take(queue) == [first, bens, second, third]


def test_the_work_of_the_server_has_a_turn_in_each_organization(queue):
    jobs = [write(SERVER, BAKERY), write(SERVER, BAKERY), write(SERVER, CELLAR)]
    for job in jobs:
        queue.put(job)

    assert take(queue) == [jobs[0], jobs[2], jobs[1]]


def test_a_batch_has_a_bound(queue):
    put(queue, *[ANA] * (MAX_BATCH + 1), BEN)

    assert people(take(queue)).count(ANA) == MAX_BATCH - 1
    assert people(take(queue)) == [ANA, ANA]


def test_slow_writes_share_no_batch_with_those_of_others(queue):
    queue.record(write(ANA), SLOW)
    put(queue, BEN, ANA, CAM, ANA)

    assert people(take(queue)) == [BEN, CAM]
    assert people(take(queue)) == [ANA, ANA]


def test_a_quick_write_waits_for_one_slow_write_however_many_people_send_slow_ones(queue):
    for slow in (10, 11, 12):
        queue.record(write(slow), SLOW)
    put(queue, 10, 11, 12)
    assert people(take(queue)) == [10]

    put(queue, 10, BEN)

    assert [people(take(queue)) for _ in range(4)] == [[BEN], [11], [12], [10]]


def test_slow_people_get_their_turn_among_many_quick_ones(queue):
    queue.record(write(ANA), SLOW)
    put(queue, ANA, BEN)

    batches = []
    for _ in range(4):
        batches.append(people(take(queue)))
        put(queue, ANA, BEN)

    assert batches == [[ANA], [BEN, BEN], [ANA, ANA], [BEN, BEN]]


def test_a_person_is_slow_only_for_a_while(queue, clock):
    queue.record(write(ANA), SLOW)
    clock.now += SLOW_FACTOR * SLOW + 1
    put(queue, BEN, ANA)

    assert people(take(queue)) == [BEN, ANA]


def test_jobs_that_a_batch_did_not_reach_come_first_in_their_order(queue):
    anas, bens, bens_second, anas_second = put(queue, ANA, BEN, BEN, ANA)
    assert take(queue) == [anas, bens, anas_second, bens_second]
    cams, bens_third = put(queue, CAM, BEN)

    queue.put_back([bens, anas_second, bens_second])

    assert take(queue) == [bens, anas_second, cams, bens_second, bens_third]
    assert len(queue) == 0


def test_a_batch_that_is_written_already_is_committed_first(queue):
    put(queue, ANA)
    written = Batch([write(BEN)])
    queue.put_inserted(written)

    assert queue.take() is written
    assert people(take(queue)) == [ANA]


def test_a_stopped_queue_is_emptied_first(queue):
    put(queue, ANA)
    queue.stop()

    assert people(take(queue)) == [ANA]
    assert queue.take() is None


def test_a_full_queue_refuses_more(queue):
    put(queue, *[ANA] * (MAX_QUEUED + 1))

    with pytest.raises(ServiceUnavailable):
        put(queue, BEN)
