"""The latency guard finds work that blocks the event loop or the writer, and nothing else."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.latency_guard import GUARD, MAX_COUNTS, SAMPLE_SECONDS, count
from tests.support.waiting import eventually


def much_work(*given: Any) -> None:
    for _ in range(3 * MAX_COUNTS):  # on a busy machine one run may take twice as long as another
        count()


much_work.__module__ = "tertulia.actions"


def found_out(work: Callable[[], object]) -> str:
    """Repeated: while the host runs other work, its time may look like ours."""

    def is_found_out() -> bool:
        work()
        time.sleep(SAMPLE_SECONDS)
        return bool(GUARD.problems())

    eventually(is_found_out)
    (problem,) = GUARD.problems()
    GUARD.begin()
    return problem


def test_work_on_the_event_loop_is_found(chat):
    problem = found_out(lambda: chat.server.call(much_work))

    assert problem.startswith("loop was blocked for ")


# PostgreSQL would end this transaction on a busy machine: it is idle for too long.
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_work_in_a_transaction_is_found(chat):
    problem = found_out(lambda: chat.write(much_work))

    assert problem.startswith("writer was blocked for ")
    assert not GUARD.problems()


def test_work_on_other_threads_is_ignored(chat):
    chat.server.do(chat.server.database.of(chat.realm.id).in_thread.read(much_work))

    assert not GUARD.problems()
