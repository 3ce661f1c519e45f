"""The writer: batches the writes of many callers into one commit (group commit).

A thread takes queued jobs, person by person in turn (`write_queue.py`), runs each action in its own
savepoint, commits once, and then answers the callers. After a while a batch is committed as it is;
the jobs that it did not reach are the first of the next one. A batch shares a commit, never a
failure: an action that fails is rolled back alone, and if the commit fails, each action is tried by
itself. Only an outage, such as a full disk, fails all of them, and the next batch tries again.

On PostgreSQL writes that prepare have a thread of their own. It locks the organization after the
preparation, so the other writers work meanwhile. Each has a commit of its own.

Fast sends (`database/fast_send.py`) come first, all at once. On SQLite the event loop may have
inserted them already, and the thread only commits (`fast_insert_sqlite.py`). On PostgreSQL they
arrive here as actions if `fast_insert_postgres.py` could not insert them.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

import msgspec
from msgspec import field

from tertulia.database.dialect import Dialect
from tertulia.database.fast_send import FastInsert
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.database.write_queue import MAX_BATCH, Batch, PendingWrite, WriteQueue
from tertulia.database.writer_connection import WriterConnection
from tertulia.errors import ClientError
from tertulia.errors.http import OutcomeUnknown, ServiceUnavailable
from tertulia.log import log

MAX_BATCH_SECONDS = 0.04  # then it is committed; a write that runs is finished first

# Reads the new events of these organizations; of all if none is named.
FetchUpdates = Callable[[Tx, Collection[int]], Any]
# Builds the new events from fast sends, without reading the log.
ComposeUpdates = Callable[[list[tuple[LogPosition, Any]]], Any]
# Publishes to other servers how far logs go, and fast sends.
Publish = Callable[[dict[int, int], list[tuple[LogPosition, Any]]], None]


class WriteHealth:
    """Why writes fail; `/health`, the metrics and the operator's page report it."""

    __slots__ = ("_refusal", "damage")

    def __init__(self) -> None:
        self.damage: str | None = None  # of the data; it does not go away
        self._refusal: str | None = None  # of the disk, until a commit succeeds

    @property
    def failure(self) -> str | None:
        return self.damage or self._refusal

    def damaged(self, name: str | None) -> None:
        """`name` is None if an error does not mean that the data is damaged."""
        if name is not None and self.damage is None:
            self.damage = f"{name}: the data is damaged; run `tertulia check`"
            log.error("database.damaged", reason=name)

    def succeeded(self) -> None:
        self._refusal = None

    def failed(self, reason: str | None) -> None:
        """`reason` is None if the disk is not the cause, for example a lock timeout."""
        if reason is not None:
            self._refusal = reason


class WriterSetup(msgspec.Struct):
    """What all writers of a server share."""

    dialect: Dialect
    clock: Callable[[], float]
    fetch_updates: FetchUpdates
    compose_updates: ComposeUpdates
    fast_insert: FastInsert
    publish: Publish = lambda ends, appended: None
    health: WriteHealth = field(default_factory=WriteHealth)
    max_batch_seconds: float = MAX_BATCH_SECONDS


class Writer:
    def __init__(
        self,
        setup: WriterSetup,
        deliver: Callable[[Batch], None],
        hold_locked: Callable[[list[PendingWrite]], None] | None = None,
        *,
        prepares: bool = False,
    ) -> None:
        """With `hold_locked` the writer does not wait for an organization that another transaction
        has locked. It calls `hold_locked` with the jobs and continues with other organizations.
        `prepares`: the writer runs only jobs that prepare."""
        self._hold_locked = hold_locked
        # Jobs whose organization another transaction has locked.
        self._held: list[PendingWrite] = []
        self._postponed: list[PendingWrite] = []  # jobs that the batch did not reach
        self._max_batch_seconds = setup.max_batch_seconds
        self._dialect = setup.dialect
        self._clock = setup.clock
        self._fetch_updates = setup.fetch_updates
        self._compose_updates = setup.compose_updates
        self._fast_insert = setup.fast_insert
        self._publish = setup.publish
        self._announced: dict[int, int] = {}  # the last event of each log, after this batch
        self._deliver = deliver
        self._queue = WriteQueue(max_batch=1 if prepares else MAX_BATCH)
        self._connection = WriterConnection(setup.dialect, prepares=prepares)
        self._health = setup.health
        self._given = 0  # jobs, counted by the callers
        self._done = 0  # jobs, counted by the thread
        self._busy_since: float | None = None
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish the queued jobs and stop."""
        self._queue.stop()
        self._thread.join()

    @property
    def busy_seconds(self) -> float:
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def is_idle(self) -> bool:
        return self._given == self._done

    @property
    def has_actions_waiting(self) -> bool:
        """Whether jobs are queued, other than a batch that the event loop has inserted."""
        return len(self._queue) > 0

    def submit(self, job: PendingWrite) -> None:
        self._queue.put(job)
        self._given += 1

    def insert_from_loop(self, jobs: list[PendingWrite]) -> bool:
        """Insert fast sends on the caller's thread while the writer is idle; the writer only
        commits.

        Returns False if that is not possible at once; then nothing was written.
        """
        if not self._insert_now(jobs):
            return False
        batch, appended = Batch(jobs), _appended(jobs)
        self._given += len(jobs)
        self._queue.put_inserted(batch)
        batch.updates = self._compose_updates(appended)  # while the thread commits
        return True

    def _insert_now(self, jobs: list[PendingWrite]) -> bool:
        if self._connection.raw is None:
            return False
        by_organization, _ = _split(jobs)
        try:
            self._dialect.begin_write_nowait(self._connection.raw)
        except Exception:
            return False
        try:
            if all(
                self._insert_fast_sends(realm_id, some)
                for realm_id, some in by_organization.items()
            ):
                return True
        except Exception as error:
            log.debug("database.fast_insert_skipped", error=type(error).__name__)
        for job in jobs:
            job.result = job.event = None
        try:
            self._connection.command("ROLLBACK")
        except Exception:
            self._connection.close()
        return False

    def _run(self) -> None:
        while (taken := self._queue.take()) is not None:
            self._busy_since = time.monotonic()
            batch = self._finish(taken) if isinstance(taken, Batch) else self._run_batch(taken)
            self._busy_since = None
            self._done += len(batch.jobs) + len(self._held)
            self._deliver(batch)
            held, self._held = self._held, []
            if held and self._hold_locked is not None:
                self._hold_locked(held)
        self._connection.close()

    def _finish(self, written: Batch) -> Batch:
        """Commit a batch that the event loop has inserted."""
        try:
            self._send_commit()
        except BaseException as error:
            self._announced = {}
            self._recover(written.jobs, error)
            return self._with_updates(written.jobs)
        return written

    def _run_batch(self, jobs: list[PendingWrite]) -> Batch:
        self._announced = {}
        self._commit(jobs)
        if self._held or self._postponed:
            untouched = {id(job) for job in self._held + self._postponed}
            jobs = [job for job in jobs if id(job) not in untouched]
            self._queue.put_back(self._postponed)
            self._postponed = []
        return self._with_updates(jobs) if jobs else Batch(jobs)

    def _with_updates(self, jobs: list[PendingWrite]) -> Batch:
        appended = _appended(jobs)
        self._publish(self._announced, appended)
        if len(appended) == len(jobs):
            return Batch(jobs, self._compose_updates(appended))
        # The connection is lost, or nothing is new.
        if self._connection.raw is None or not self._announced:
            return Batch(jobs)
        try:
            return Batch(jobs, self._read_updates())
        except BaseException as error:
            # The commit stands; followers of the log will find the events.
            self._drop_connection("read", error)
            return Batch(jobs)

    def _commit(self, jobs: list[PendingWrite]) -> None:
        try:
            self._commit_batch(jobs)
        except BaseException as error:
            self._recover(jobs, error)

    def _recover(self, jobs: list[PendingWrite], error: BaseException) -> None:
        """Try each job by itself, unless this is an outage or the commit may have succeeded."""
        untouched = {id(job) for job in self._held + self._postponed}
        self._held, self._postponed = [], []
        self._drop_connection("write", error)
        failures, is_committing = self._dialect.failures, self._connection.is_committing
        is_outage = failures.is_outage(error)
        is_unknown = is_committing and failures.may_have_committed(error)
        self._connection.is_committing = False
        for job in jobs:
            was_refused = job.error is not None or id(job) in untouched
            job.result = job.error = job.event = None
            if is_unknown and not was_refused:
                job.error = OutcomeUnknown()
            elif len(jobs) > 1 and not is_outage and not is_unknown:
                self._commit([job])
            else:
                job.error = ServiceUnavailable() if is_outage or is_unknown else error

    def _drop_connection(self, phase: str, error: BaseException) -> None:
        failures = self._dialect.failures
        expected, reason = failures.is_outage(error), failures.disk_failure(error)
        kind = type(error).__name__
        log.error("database.failed", phase=phase, error=kind, outage=expected, disk=reason)
        self._health.failed(reason)
        self._health.damaged(failures.damage(error))
        self._connection.close()

    def _commit_batch(self, jobs: list[PendingWrite]) -> None:
        if not self._dialect.is_embedded:
            # All servers take locks in the same order, so that no two wait for each other.
            jobs = sorted(jobs, key=lambda job: job.realm_id)
        is_alone = len(jobs) == 1
        end = time.monotonic() + self._max_batch_seconds

        self._connection.begin()
        jobs = self._append(jobs)
        locked, is_ours = None, True
        for number, job in enumerate(jobs):
            if number and time.monotonic() > end:
                self._postponed = jobs[number:]
                break
            if job.prepare is None and job.realm_id != locked:
                is_ours = self._lock(job.realm_id)
                locked = job.realm_id
            if is_ours:
                self._attempt(job, is_alone=is_alone)
            else:
                self._held.append(job)
        if is_alone and jobs and jobs[0].error is not None:
            self._connection.command("ROLLBACK")
            return
        self._send_commit()

    def _send_commit(self) -> None:
        self._connection.commit()
        self._health.succeeded()

    def _lock(self, realm_id: int) -> bool:
        if self._hold_locked is None:
            self._dialect.lock_organization(self._connection.raw, realm_id)
            return True
        return self._dialect.try_lock_organization(self._connection.raw, realm_id)

    def _append(self, jobs: list[PendingWrite]) -> list[PendingWrite]:
        """Insert the fast sends among some jobs. Returns the remaining jobs."""
        by_organization, left = _split(jobs)
        is_all = len(by_organization) == 1 and not left
        for realm_id, some in by_organization.items():
            if not self._append_to(realm_id, some, is_all=is_all):
                left += some
        return left

    def _append_to(self, realm_id: int, jobs: list[PendingWrite], *, is_all: bool) -> bool:
        """Without other jobs no savepoint is needed. Returns False if nothing was inserted."""
        if not is_all:
            self._connection.command("SAVEPOINT fast_send")
        try:
            is_written = self._insert_fast_sends(realm_id, jobs)
        except Exception as error:
            if self._dialect.failures.is_outage(error):
                raise
            log.debug("database.fast_insert_skipped", error=type(error).__name__)
            is_written = False
            if is_all:
                self._connection.command("ROLLBACK")
                self._connection.begin()
            else:
                self._connection.command("ROLLBACK TO SAVEPOINT fast_send")
        if not is_all:
            self._connection.command("RELEASE SAVEPOINT fast_send")
        return is_written

    def _insert_fast_sends(self, realm_id: int, jobs: list[PendingWrite]) -> bool:
        tx = Tx(self._connection.raw, self._dialect, realm_id, self._clock())
        sends = [job.fast_send for job in jobs if job.fast_send is not None]
        given = self._fast_insert.append(tx, sends)
        if given is None:
            return False
        self._announced |= tx.announced
        for job, send, numbers in zip(jobs, sends, given, strict=True):
            job.event, job.result = send.make_event(numbers), send.make_result(numbers)
        return True

    def _attempt(self, job: PendingWrite, *, is_alone: bool) -> None:
        """Run a job; a job that fails is rolled back alone. A single job needs no savepoint."""
        tx = Tx(self._connection.raw, self._dialect, job.realm_id, self._clock())
        started_at = time.monotonic()
        if not is_alone:
            self._connection.command("SAVEPOINT job")
        try:
            if job.prepare is not None:
                job.prepare(tx)
                self._dialect.lock_organization_last(self._connection.raw, job.realm_id)
                tx = Tx(self._connection.raw, self._dialect, job.realm_id, self._clock())
            if job.check is not None:
                job.check(tx)
            job.result = job.action(tx, *job.args)
            self._announced |= tx.announced
            job.revoked = tx.revoked or None
        except BaseException as error:
            if self._dialect.failures.is_outage(error):
                raise
            if not isinstance(error, ClientError):
                log.debug("database.action_failed", action=job.action.__qualname__)
                self._health.damaged(self._dialect.failures.damage(error))
            # The traceback of a refusal is useless and would keep the request in memory.
            job.error = error.with_traceback(None) if isinstance(error, ClientError) else error
            if not is_alone:
                self._connection.command("ROLLBACK TO SAVEPOINT job")
        if not is_alone:
            self._connection.command("RELEASE SAVEPOINT job")
        self._queue.record(job, time.monotonic() - started_at)

    def _read_updates(self) -> Any:
        self._dialect.begin_read(self._connection.raw)
        tx = Tx(self._connection.raw, self._dialect, 0, self._clock())
        try:
            return self._fetch_updates(tx, list(self._announced))
        finally:
            self._dialect.end_read(self._connection.raw)


def _split(
    jobs: list[PendingWrite],
) -> tuple[dict[int, list[PendingWrite]], list[PendingWrite]]:
    """The fast sends among some jobs by organization, and the other jobs."""
    by_organization: dict[int, list[PendingWrite]] = {}
    others = []
    for job in jobs:
        if job.fast_send is None:
            others.append(job)
        else:
            by_organization.setdefault(job.realm_id, []).append(job)
    return by_organization, others


def _appended(jobs: list[PendingWrite]) -> list[tuple[LogPosition, Any]]:
    return [
        (job.fast_send.valid_as_of, job.event)
        for job in jobs
        if job.fast_send is not None and job.event
    ]


def resolve(future: "asyncio.Future[Any]", job: PendingWrite) -> None:
    """Pass a job's result or error to its caller."""
    if future.done():
        return  # the caller was cancelled
    if job.error is not None:
        future.set_exception(job.error)
    else:
        future.set_result(job.result)
