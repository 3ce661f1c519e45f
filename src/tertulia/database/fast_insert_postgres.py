"""Fast inserts on PostgreSQL: sends are batched on the event loop and written without a thread.

The writer's thread would need four round trips, each with a change of thread: a third more CPU for
one sender (decision 0020).

One statement inserts a batch. It is a transaction of its own, so a server that stalls holds no
lock. An organization has at most one running batch. The statement skips organizations whose row is
locked. Such an organization is tried again alone, and then waits for the lock. There are several
connections, so that others do not wait with it. An organization that stays locked is left to the
writers.

A send that cannot be inserted runs as an action; see `storage/messages/fast_insert.py`.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from tertulia.database.dialect import AsyncQueries, Dialect
from tertulia.database.fast_send import AssignedIds, BatchWindow
from tertulia.database.write_queue import MAX_BATCH, MAX_QUEUED, PendingWrite
from tertulia.database.writer import WriterSetup
from tertulia.errors.http import OutcomeUnknown, ServiceUnavailable
from tertulia.log import log

MAX_CONNECTIONS = 2
CHECK_IDLE_AFTER_SECONDS = 1.0  # a connection that was idle for longer may have been lost
SECOND_CONNECTION_AFTER_SECONDS = 0.01  # waiting for a running batch

JobsByOrganization = dict[int, list[PendingWrite]]


class BatchConnection:
    """A connection, and since when it is busy."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._connection: AsyncQueries | None = None
        self._used_at = 0.0
        self.busy_since: float | None = None

    async def ready(self) -> AsyncQueries:
        """Check an idle connection before use: the following statement cannot be repeated."""
        known = self._connection
        if known is not None and not known.is_lost:
            if time.monotonic() - self._used_at < CHECK_IDLE_AFTER_SECONDS:
                return known
            try:
                await known.execute("SELECT 1", {})
                return known
            except Exception:
                self.close()
        self._connection = await self._dialect.connect_to_append()
        return self._connection

    def mark_used(self) -> None:
        self._used_at = time.monotonic()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class InsertBatcher:
    def __init__(
        self,
        setup: WriterSetup,
        on_appended: Callable[[list[PendingWrite], dict[int, int]], None],
        on_refused: Callable[[PendingWrite], None],
    ) -> None:
        """`on_appended` is called with the inserted jobs and the new ends of the logs."""
        self._dialect = setup.dialect
        self._health = setup.health
        self._clock = setup.clock
        self._fast_insert = setup.fast_insert
        self._on_appended = on_appended
        self._on_refused = on_refused
        self._loop = asyncio.get_running_loop()
        self._connections = [BatchConnection(setup.dialect) for _ in range(MAX_CONNECTIONS)]
        self._waiting: JobsByOrganization = {}
        self._count = 0
        self._running: set[int] = set()  # organizations with a running batch
        self._retried_alone: set[int] = set()  # organizations that are tried alone
        self._tasks: set[asyncio.Task[None]] = set()
        self._window = BatchWindow(lambda: self._count, MAX_BATCH, self._start)
        self._timer: asyncio.TimerHandle | None = None  # when a second connection is used

    @property
    def busy_seconds(self) -> float:
        since = [each.busy_since for each in self._connections if each.busy_since is not None]
        return time.monotonic() - min(since) if since else 0.0

    def submit(self, job: PendingWrite) -> None:
        if self._count > MAX_QUEUED:
            raise ServiceUnavailable()
        self._count += 1
        self._waiting.setdefault(job.realm_id, []).append(job)
        self._start_soon()

    async def stop(self) -> None:
        """Finish the queued jobs and stop."""
        while self._tasks or self._window.is_awaited or self._timer is not None:
            await asyncio.gather(*self._tasks)
            await asyncio.sleep(0)
        for connection in self._connections:
            connection.close()

    def _start_soon(self) -> None:
        """Wait a little if a running batch will soon be finished."""
        busy = [connection.busy_since for connection in self._connections if connection.busy_since]
        if not busy:
            self._window.schedule()
        elif len(busy) < MAX_CONNECTIONS and self._timer is None:
            wait = max(0.0, SECOND_CONNECTION_AFTER_SECONDS - (time.monotonic() - max(busy)))
            self._timer = self._loop.call_later(wait, self._start_second)

    def _start_second(self) -> None:
        self._timer = None
        self._start()

    def _start(self) -> None:
        connection = next((each for each in self._connections if each.busy_since is None), None)
        batch = {} if connection is None else self._take()
        if connection is not None and batch:
            connection.busy_since = time.monotonic()
            task = self._loop.create_task(self._work(connection, batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if any(realm_id not in self._running for realm_id in self._waiting):
                # An organization that is tried alone leaves the others to the second connection.
                self._start_soon()

    async def _work(self, connection: BatchConnection, batch: JobsByOrganization) -> None:
        await self._append(connection, batch)
        self._running -= batch.keys()
        connection.mark_used()
        connection.busy_since = None
        if self._waiting:
            self._start_soon()

    def _take(self) -> JobsByOrganization:
        """The next batch: all waiting jobs, or those of one organization that was skipped."""
        free = [each for each in self._waiting if each not in self._running]
        skipped = next((each for each in free if each in self._retried_alone), None)
        if skipped is not None:
            self._retried_alone.discard(skipped)
            free = [skipped]
        batch: JobsByOrganization = {}
        room = MAX_BATCH
        for realm_id in free:
            if room:
                jobs = self._waiting.pop(realm_id)
                batch[realm_id] = jobs[:room]
                if jobs[room:]:
                    self._waiting[realm_id] = jobs[room:]
                room -= len(batch[realm_id])
        self._count -= sum(map(len, batch.values()))
        self._running |= batch.keys()
        return batch

    async def _append(self, connection: BatchConnection, batch: JobsByOrganization) -> None:
        is_sent = False
        try:
            queries = await connection.ready()
            is_sent = True
            given = await self._insert(queries, batch)
        except Exception as error:
            failures = self._dialect.failures
            if failures.is_outage(error) and not failures.is_lock_timeout(error):
                is_unknown = is_sent and failures.may_have_committed(error)
                reason = failures.disk_failure(error)
                kind = type(error).__name__
                log.error(
                    "database.failed", phase="fast_insert", error=kind, outage=True, disk=reason
                )
                self._health.failed(reason)
                connection.close()
                for job in _all(batch):
                    job.error = OutcomeUnknown() if is_unknown else ServiceUnavailable()
                    job.done(job)
                return
            log.debug("database.fast_insert_skipped", error=type(error).__name__)
            given = {}
        done = [job for realm_id in given for job in batch[realm_id]]
        if done:
            self._health.succeeded()
            self._publish(done, {each: given[each][-1].seq for each in given})
        for realm_id in batch.keys() - given.keys():
            if len(batch) == 1:
                for job in batch[realm_id]:
                    self._on_refused(job)
            else:
                self._requeue(realm_id, batch[realm_id])

    def _publish(self, done: list[PendingWrite], ends: dict[int, int]) -> None:
        """If delivery fails, followers find the messages in the log a moment later."""
        try:
            self._on_appended(done, ends)
        except Exception as error:
            log.error("events.publish_failed", error=type(error).__name__)
            for job in done:
                job.done(job)

    async def _insert(
        self, queries: AsyncQueries, batch: JobsByOrganization
    ) -> dict[int, list[AssignedIds]]:
        sends = {
            realm_id: [job.fast_send for job in jobs if job.fast_send is not None]
            for realm_id, jobs in batch.items()
        }
        now = self._clock()
        sql, params = self._fast_insert.as_one_statement(sends, now, queries.timeline)
        rows: list[Any] = await queries.execute(sql, params)
        given = self._fast_insert.numbers(rows, now)
        for realm_id, numbers in given.items():
            for job, each in zip(batch[realm_id], numbers, strict=True):
                assert job.fast_send is not None
                job.event, job.result = (
                    job.fast_send.make_event(each),
                    job.fast_send.make_result(each),
                )
        return given

    def _requeue(self, realm_id: int, jobs: list[PendingWrite]) -> None:
        """Queue the jobs of a skipped organization again, to be tried alone."""
        self._waiting[realm_id] = jobs + self._waiting.get(realm_id, [])
        self._count += len(jobs)
        self._retried_alone.add(realm_id)


def _all(batch: JobsByOrganization) -> list[PendingWrite]:
    return [job for jobs in batch.values() for job in jobs]
