"""Fast inserts on PostgreSQL: sends are batched on the event loop and written without a thread.

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

from tertulia.database.batch_window import BatchWindow
from tertulia.database.fast_send import AssignedIds
from tertulia.database.tx import Dialect, LoopAnswers
from tertulia.database.writer import MAX_AT_ONCE, MAX_QUEUED, PendingWrite, WriterSetup
from tertulia.errors.http import OutcomeUnknown, ServiceUnavailable
from tertulia.log import log

LANES = 2
RESTED_SECONDS = 1.0  # a connection that was idle for longer may have been lost
PATIENCE_SECONDS = 0.01  # how long to wait for a running batch before a second connection is used

HistoryBatch = dict[int, list[PendingWrite]]  # by organization


class BatchConnection:
    """A connection, and since when it is busy."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._connection: LoopAnswers | None = None
        self._used_at = 0.0
        self.busy_since: float | None = None

    async def connection(self) -> LoopAnswers:
        """Check an idle connection before use: the following statement cannot be repeated."""
        known = self._connection
        if known is not None and not known.is_lost:
            if time.monotonic() - self._used_at < RESTED_SECONDS:
                return known
            try:
                await known.ask("SELECT 1", {})
                return known
            except Exception:
                self.close()
        self._connection = await self._dialect.connect_to_append()
        return self._connection

    def rest(self) -> None:
        self._used_at = time.monotonic()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class InsertBatcher:
    def __init__(
        self,
        setup: WriterSetup,
        appended: Callable[[list[PendingWrite], dict[int, int]], None],
        refused: Callable[[PendingWrite], None],
    ) -> None:
        """`appended` is called with the inserted jobs and the new ends of the logs."""
        self._dialect = setup.dialect
        self._health = setup.health
        self._clock = setup.clock
        self._fast_insert = setup.fast_insert
        self._appended = appended
        self._refused = refused
        self._loop = asyncio.get_running_loop()
        self._lanes = [BatchConnection(setup.dialect) for _ in range(LANES)]
        self._waiting: HistoryBatch = {}
        self._count = 0
        self._under_way: set[int] = set()  # organizations with a running batch
        self._alone: set[int] = set()  # organizations that are tried alone
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause = BatchWindow(lambda: self._count, MAX_AT_ONCE, self._start)
        self._later: asyncio.TimerHandle | None = None  # when a second connection is used

    @property
    def busy_seconds(self) -> float:
        since = [each.busy_since for each in self._lanes if each.busy_since is not None]
        return time.monotonic() - min(since) if since else 0.0

    def submit(self, job: PendingWrite) -> None:
        if self._count > MAX_QUEUED:
            raise ServiceUnavailable()
        self._count += 1
        self._waiting.setdefault(job.realm_id, []).append(job)
        self._start_soon()

    async def stop(self) -> None:
        """Finish the queued jobs and stop."""
        while self._tasks or self._pause.is_awaited or self._later is not None:
            await asyncio.gather(*self._tasks)
            await asyncio.sleep(0)
        for lane in self._lanes:
            lane.close()

    def _start_soon(self) -> None:
        """Wait a little if a running batch will soon be finished."""
        busy = [lane.busy_since for lane in self._lanes if lane.busy_since]
        if not busy:
            self._pause.schedule()
        elif len(busy) < LANES and self._later is None:
            wait = max(0.0, PATIENCE_SECONDS - (time.monotonic() - max(busy)))
            self._later = self._loop.call_later(wait, self._start_beside)

    def _start_beside(self) -> None:
        self._later = None
        self._start()

    def _start(self) -> None:
        lane = next((each for each in self._lanes if each.busy_since is None), None)
        batch = {} if lane is None else self._take()
        if lane is not None and batch:
            lane.busy_since = time.monotonic()
            task = self._loop.create_task(self._work(lane, batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if any(realm_id not in self._under_way for realm_id in self._waiting):
                # An organization that is tried alone leaves the others to the second connection.
                self._start_soon()

    async def _work(self, lane: BatchConnection, batch: HistoryBatch) -> None:
        await self._append(lane, batch)
        self._under_way -= batch.keys()
        lane.rest()
        lane.busy_since = None
        if self._waiting:
            self._start_soon()

    def _take(self) -> HistoryBatch:
        """The next batch: all waiting jobs, or those of one organization that was skipped."""
        free = [each for each in self._waiting if each not in self._under_way]
        skipped = next((each for each in free if each in self._alone), None)
        if skipped is not None:
            self._alone.discard(skipped)
            free = [skipped]
        batch: HistoryBatch = {}
        room = MAX_AT_ONCE
        for realm_id in free:
            if room:
                jobs = self._waiting.pop(realm_id)
                batch[realm_id] = jobs[:room]
                if jobs[room:]:
                    self._waiting[realm_id] = jobs[room:]
                room -= len(batch[realm_id])
        self._count -= sum(map(len, batch.values()))
        self._under_way |= batch.keys()
        return batch

    async def _append(self, lane: BatchConnection, batch: HistoryBatch) -> None:
        is_sent = False
        try:
            connection = await lane.connection()
            is_sent = True
            given = await self._ask(connection, batch)
        except Exception as error:
            if self._dialect.is_outage(error) and not self._dialect.is_lock_timeout(error):
                is_unknown = is_sent and self._dialect.may_have_committed(error)
                reason = self._dialect.disk_failure(error)
                kind = type(error).__name__
                log.error(
                    "database.failed", phase="fast_insert", error=kind, outage=True, disk=reason
                )
                self._health.failed(reason)
                lane.close()
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
                    self._refused(job)
            else:
                self._put_back(realm_id, batch[realm_id])

    def _publish(self, done: list[PendingWrite], ends: dict[int, int]) -> None:
        """If delivery fails, followers find the messages in the log a moment later."""
        try:
            self._appended(done, ends)
        except Exception as error:
            log.error("events.publish_failed", error=type(error).__name__)
            for job in done:
                job.done(job)

    async def _ask(
        self, connection: LoopAnswers, batch: HistoryBatch
    ) -> dict[int, list[AssignedIds]]:
        sends = {
            realm_id: [job.plain for job in jobs if job.plain is not None]
            for realm_id, jobs in batch.items()
        }
        now = self._clock()
        sql, params = self._fast_insert.as_one_statement(sends, now, connection.line)
        rows: list[Any] = await connection.ask(sql, params)
        given = self._fast_insert.numbers(rows, now)
        for realm_id, numbers in given.items():
            for job, each in zip(batch[realm_id], numbers, strict=True):
                assert job.plain is not None
                job.event, job.result = job.plain.make_event(each), job.plain.make_result(each)
        return given

    def _put_back(self, realm_id: int, jobs: list[PendingWrite]) -> None:
        """Queue the jobs of a skipped organization again, to be tried alone."""
        self._waiting[realm_id] = jobs + self._waiting.get(realm_id, [])
        self._count += len(jobs)
        self._alone.add(realm_id)


def _all(batch: HistoryBatch) -> list[PendingWrite]:
    return [job for jobs in batch.values() for job in jobs]
