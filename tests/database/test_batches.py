"""Batches: many callers, one commit, and each action rolls back alone."""

import random
import string
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.database.write_queue import Batch, PendingWrite
from tertulia.database.writer import Writer, WriterSetup
from tertulia.domain.organization.realm import Realm
from tertulia.errors import BadRequest
from tertulia.errors.http import ServiceUnavailable


class Desk:
    """Queues work while the writer is blocked, so that it takes all of it at once."""

    def __init__(
        self, database: BlockingDatabase, max_batch_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self.gatherings: list[Batch] = []
        self._writer = Writer(
            WriterSetup(
                database.dialect,
                database.clock,
                lambda tx, realms: None,
                list,
                storage.messages.fast_insert,
                max_batch_seconds=max_batch_seconds,
            ),
            self._deliver,
        )
        self._writer.start()

    def _deliver(self, batch: Batch) -> None:
        self.gatherings.append(batch)
        batch.resolve_all()

    def do(self, realm: Realm, *actions: Callable[[Tx], Any]) -> list[PendingWrite]:
        """Run all of them in one batch."""
        hold, held, done = threading.Event(), threading.Event(), threading.Semaphore(0)

        def wait(tx: Tx) -> None:
            held.set()
            hold.wait(TIMEOUT_SECONDS)

        def answered(_: PendingWrite) -> None:
            done.release()

        self._writer.submit(PendingWrite(wait, (), realm.id, lambda job: None))
        held.wait(TIMEOUT_SECONDS)
        jobs = [PendingWrite(action, (), realm.id, answered) for action in actions]
        for job in jobs:
            self._writer.submit(job)
        hold.set()
        for _ in jobs:
            assert done.acquire(timeout=TIMEOUT_SECONDS)
        return jobs

    def close(self) -> None:
        self._writer.stop()


@pytest.fixture
def desk(database: BlockingDatabase) -> Iterator[Desk]:
    made = Desk(database)
    yield made
    made.close()


def names(tx: Tx) -> list[str]:
    return [entry.kind for entry in storage.log.after(tx, tx.realm_id, 0, 1000)]


def announcing(kind: str) -> Callable[[Tx], int]:
    return lambda tx: storage.log.append(tx, kind, "{}", "{}")


def failing(kind: str, error: Exception) -> Callable[[Tx], None]:
    def action(tx: Tx) -> None:
        storage.log.append(tx, kind, "{}", "{}")
        storage.organization.realms.rename(tx, kind)
        raise error

    return action


def test_queued_writes_share_one_commit(database, realm, desk):
    jobs = desk.do(realm, *(announcing(f"{number}") for number in range(50)))

    assert [len(each.jobs) for each in desk.gatherings] == [1, 50]
    first = jobs[0].result
    assert [job.result for job in jobs] == list(range(first, first + 50))
    assert database.of(realm.id).read(names)[-50:] == [f"{number}" for number in range(50)]


def test_a_batch_that_takes_too_long_is_committed_and_the_rest_follows(database, realm):
    desk = Desk(database, max_batch_seconds=0)

    jobs = desk.do(realm, *(announcing(f"{number}") for number in range(5)))
    desk.close()

    assert [len(each.jobs) for each in desk.gatherings] == [1] * 6
    assert [job.error for job in jobs] == [None] * 5
    assert database.of(realm.id).read(names)[-5:] == [f"{number}" for number in range(5)]


def test_a_failed_action_rolls_back_alone(database, realm, desk):
    refusal, mistake = BadRequest("no"), ZeroDivisionError()

    jobs = desk.do(
        realm,
        announcing("one"),
        failing("refused", refusal),
        announcing("two"),
        failing("broken", mistake),
        announcing("three"),
    )

    assert [job.error for job in jobs] == [None, refusal, None, mistake, None]
    assert database.of(realm.id).read(names)[-3:] == ["one", "two", "three"]
    assert database.of(realm.id).read(storage.organization.realms.current).name == "Casa"


def test_ids_of_a_rolled_back_action_are_used_again(database, realm, desk):
    before = database.of(realm.id).read(storage.log.head)

    first, _, second = desk.do(
        realm, announcing("one"), failing("undone", BadRequest("no")), announcing("two")
    )

    assert (first.result, second.result) == (before + 1, before + 2)
    assert database.of(realm.id).read(storage.log.gaps) == []


def test_each_action_sees_the_changes_of_earlier_ones(database, realm, desk):
    *_, last = desk.do(
        realm,
        lambda tx: storage.organization.realms.rename(tx, "Second"),
        failing("Third", BadRequest("no")),
        lambda tx: storage.organization.realms.current(tx).name,
    )

    assert last.result == "Second"


def test_a_refused_statement_fails_only_its_action(database, realm, desk):
    jobs = desk.do(
        realm,
        announcing("one"),
        lambda tx: tx.execute("INSERT INTO no_such_table VALUES (1)"),
        lambda tx: tx.execute(
            "INSERT INTO realm (subdomain, name, uuid, created_at) VALUES ('casa', '', '', 0)"
        ),
        announcing("two"),
    )

    assert [job.error is None for job in jobs] == [True, False, False, True]
    assert database.of(realm.id).read(names)[-2:] == ["one", "two"]


@pytest.mark.parametrize("kind", ["sqlite"])  # whose disk can be made to seem full
def test_a_full_disk_fails_the_whole_batch_and_the_next_one_succeeds(realm, desk):
    def fill(tx: Tx) -> None:
        tx.execute("PRAGMA max_page_count = 1")  # the file may not grow any more
        for _ in range(2000):
            storage.log.append(tx, "x" * 1000, "{}", "{}")

    jobs = desk.do(realm, announcing("one"), fill, announcing("two"))
    after = desk.do(realm, announcing("three"))

    assert [type(job.error) for job in jobs] == [ServiceUnavailable] * 3
    assert after[0].error is None


def test_an_action_that_fails_at_the_commit_fails_alone(database, realm, desk):
    def spoil(tx: Tx) -> None:
        tx.execute("RELEASE SAVEPOINT job")

    jobs = desk.do(realm, announcing("one"), spoil, announcing("two"))

    assert [job.error is None for job in jobs] == [True, False, True]
    assert not isinstance(jobs[1].error, ServiceUnavailable)
    assert database.of(realm.id).read(names)[-2:] == ["one", "two"]


def test_a_value_too_long_for_an_index_fails_only_its_action(database, realm, desk):
    # Random letters, because PostgreSQL would compress others until they fit.
    long = "".join(random.Random(1).choices(string.ascii_letters, k=10_000))

    jobs = desk.do(
        realm,
        announcing("one"),
        lambda tx: tx.execute("INSERT INTO queue (id) VALUES (:id)", id=long),
        announcing("two"),
    )

    assert [job.error is None for job in jobs] == [True, False, True]
    assert not isinstance(jobs[1].error, ServiceUnavailable)
