"""Jobs that were submitted while an organization was held return to the ordinary writers."""

from typing import Any

import pytest

from tertulia.database.locked_organizations import LockedOrganizations
from tertulia.database.write_queue import PendingWrite

BAKERY, CELLAR = 7, 8


class SpareWriter:
    """Keeps the jobs it receives; the test says when they are done."""

    def __init__(self) -> None:
        self.jobs: list[PendingWrite] = []

    def start(self) -> None:
        """It has no thread."""

    def submit(self, job: PendingWrite) -> None:
        self.jobs.append(job)


@pytest.fixture
def spare() -> list[SpareWriter]:
    return []


@pytest.fixture
def resubmitted() -> list[PendingWrite]:
    return []


@pytest.fixture
def held(spare: list[Any], resubmitted: list[PendingWrite]) -> LockedOrganizations:
    def new_writer() -> Any:
        spare.append(SpareWriter())
        return spare[-1]

    return LockedOrganizations(new_writer, resubmitted.extend)


def job(realm_id: int) -> PendingWrite:
    return PendingWrite(print, (), realm_id, lambda done: None)


def test_jobs_submitted_while_a_spare_thread_waits_return_when_it_is_done(held, spare, resubmitted):
    first, second, third = job(BAKERY), job(BAKERY), job(BAKERY)
    for each in (first, second, third):
        held.submit(each)
    assert [writer.jobs for writer in spare] == [[first]]

    held.mark_done([first])

    assert resubmitted == [second, third]
    assert BAKERY not in held  # later jobs go to the ordinary writers as well


def test_an_organization_that_is_still_held_stays_with_its_spare_thread(held, resubmitted):
    first, other, waiting = job(BAKERY), job(CELLAR), job(CELLAR)
    for each in (first, other, waiting):
        held.submit(each)

    held.mark_done([first])

    assert not resubmitted
    assert (BAKERY in held, CELLAR in held) == (False, True)
