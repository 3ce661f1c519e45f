"""The writer: many callers, one commit.

A thread takes whatever has piled up, runs each action in its own savepoint, commits once, and
only then are the callers answered. Those who are gathered share a commit, never a fate: an action
that fails undoes itself alone, and if the whole cannot be committed, each is tried by itself. Only
a disk that is full or a database that is gone fails them all, and the next gathering tries again.

Plain sends (`storage/messages/fast_insert.py`) come first and all at once. They come here where the
appenders have left them: on PostgreSQL as actions (`appender.py`), on SQLite written already, but
for the commit (`local_appender.py`). They are done as actions after all where that is not possible.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

import msgspec
from msgspec import field

from tertulia.database.fast_send import FastInsert, FastSend
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Dialect, Tx
from tertulia.database.write_health import WriteHealth
from tertulia.errors import ClientError
from tertulia.errors.http import OutcomeUnknown, ServiceUnavailable
from tertulia.log import log

MAX_AT_ONCE = 256
MAX_QUEUED = 10_000

# Reads what is new in these organizations; in all of them, if none is named.
FetchNews = Callable[[Tx, Collection[int]], Any]
# Puts together what plain sends have left in the log, without reading it there.
ComposeNews = Callable[[list[tuple[LogPosition, Any]]], Any]
# Tells other servers how far logs go, and of plain sends.
TellOthers = Callable[[dict[int, int], list[tuple[LogPosition, Any]]], None]


class PendingWrite(msgspec.Struct):
    """An action waiting to be done, and later what became of it."""

    action: Callable[..., Any]
    args: tuple[Any, ...]
    realm_id: int
    done: Callable[["PendingWrite"], None]
    plain: FastSend | None = None  # the same as a mere append, if that is still possible
    told: Any = None  # what it left in the log, if it was
    result: Any = None
    error: BaseException | None = None
    revoked: dict[int, int] | None = None  # the last event of each log that revoked a credential


class Batch(msgspec.Struct):
    """Jobs that share a commit, and the news that the commit made."""

    jobs: list[PendingWrite]
    news: Any = None

    def answer(self) -> None:
        for job in self.jobs:
            job.done(job)


class WriterSetup(msgspec.Struct):
    """What all writers of a server share."""

    dialect: Dialect
    clock: Callable[[], float]
    fetch_news: FetchNews
    compose_news: ComposeNews
    fast_insert: FastInsert
    tell_others: TellOthers = lambda ends, appended: None
    health: WriteHealth = field(default_factory=WriteHealth)


class Writer:
    def __init__(
        self,
        setup: WriterSetup,
        deliver: Callable[[Batch], None],
        set_aside: Callable[[list[PendingWrite]], None] | None = None,
    ) -> None:
        """With `set_aside` the writer does not wait for an organization that another transaction
        has locked. It calls `set_aside` with the jobs and continues with other organizations."""
        self._set_aside = set_aside
        self._held: list[PendingWrite] = []  # jobs whose organization another transaction holds
        self._dialect = setup.dialect
        self._clock = setup.clock
        self._fetch_news = setup.fetch_news
        self._compose_news = setup.compose_news
        self._fast_insert = setup.fast_insert
        self._tell_others = setup.tell_others
        self._announced: dict[int, int] = {}  # how far which logs go after this gathering
        self._deliver = deliver
        self._waiting: queue.SimpleQueue[PendingWrite | Batch | None] = queue.SimpleQueue()
        self._connection: Any = None
        self._health = setup.health
        self._is_committing = False  # what fails now may have been done
        self._given = 0  # jobs, counted by who gives them
        self._done = 0  # counted by the thread
        self._begun = -1  # how many were given when the last one was written elsewhere
        self._busy_since: float | None = None
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish what is waiting and end."""
        self._waiting.put(None)
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
        """Whether jobs are to be taken next, and not only what was written elsewhere."""
        return self._given != self._begun and not self._waiting.empty()

    def submit(self, job: PendingWrite) -> None:
        if self._waiting.qsize() > MAX_QUEUED:
            raise ServiceUnavailable()
        self._given += 1
        self._waiting.put(job)

    def insert_from_loop(self, jobs: list[PendingWrite]) -> bool:
        """Write plain sends on the caller's thread, while ours is idle: it has only to commit.

        False if that cannot be done at once; then nothing was written.
        """
        if not self._write_at_once(jobs):
            return False
        gathering, appended = Batch(jobs), _appended(jobs)
        self._given += len(jobs)
        self._begun = self._given
        self._waiting.put(gathering)
        gathering.news = self._compose_news(appended)  # while it is committed
        return True

    def _write_at_once(self, jobs: list[PendingWrite]) -> bool:
        if self._connection is None:
            return False
        plain, _ = _split(jobs)
        try:
            self._dialect.begin_write_nowait(self._connection)
        except Exception:
            return False
        try:
            if all(self._write_plain(realm_id, some) for realm_id, some in plain.items()):
                return True
        except Exception as error:
            log.debug("database.fast_insert_skipped", error=type(error).__name__)
        for job in jobs:
            job.result = job.told = None
        try:
            self._dialect.command(self._connection, "ROLLBACK")
        except Exception:
            self._close()
        return False

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            self._busy_since = time.monotonic()
            gathering = self._finish(taken) if isinstance(taken, Batch) else self._carry_out(taken)
            self._busy_since = None
            self._done += len(gathering.jobs) + len(self._held)
            self._deliver(gathering)
            held, self._held = self._held, []
            if held and self._set_aside is not None:
                self._set_aside(held)
        self._close()

    def _take(self) -> list[PendingWrite] | Batch | None:
        """What has piled up, or what was written elsewhere; None at the end."""
        first = self._waiting.get()
        if first is None or isinstance(first, Batch):
            return first
        jobs = [first]
        while len(jobs) < MAX_AT_ONCE:
            try:
                waiting = self._waiting.get_nowait()
            except queue.Empty:
                break
            if waiting is None:
                self._waiting.put(None)  # it is the last, and will be found again
                break
            assert not isinstance(waiting, Batch), "written elsewhere, though we were not idle"
            jobs.append(waiting)
        return jobs

    def _finish(self, written: Batch) -> Batch:
        """Commit what was written elsewhere."""
        try:
            self._send_commit()
        except BaseException as error:
            self._announced = {}
            self._recover(written.jobs, error)
            return self._with_news(written.jobs)
        return written

    def _carry_out(self, jobs: list[PendingWrite]) -> Batch:
        self._announced = {}
        self._commit(jobs)
        if self._held:
            held = {id(job) for job in self._held}
            jobs = [job for job in jobs if id(job) not in held]
        return self._with_news(jobs) if jobs else Batch(jobs)

    def _with_news(self, jobs: list[PendingWrite]) -> Batch:
        appended = _appended(jobs)
        self._tell_others(self._announced, appended)
        if len(appended) == len(jobs):
            return Batch(jobs, self._compose_news(appended))
        if self._connection is None or not self._announced:  # it is gone, or nothing is new
            return Batch(jobs)
        try:
            return Batch(jobs, self._read_news())
        except BaseException as error:
            # What was committed stays committed; whoever follows the log will find the news.
            self._lost("read", error)
            return Batch(jobs)

    def _commit(self, jobs: list[PendingWrite]) -> None:
        try:
            self._commit_together(jobs)
        except BaseException as error:
            self._recover(jobs, error)

    def _recover(self, jobs: list[PendingWrite], error: BaseException) -> None:
        """Try each by itself, unless the database is not there, or may have committed them."""
        untouched, self._held = {id(job) for job in self._held}, []
        self._lost("write", error)
        is_outage = self._dialect.is_outage(error)
        is_unknown = self._is_committing and self._dialect.may_have_committed(error)
        self._is_committing = False
        for job in jobs:
            was_refused = job.error is not None or id(job) in untouched
            job.result = job.error = job.told = None
            if is_unknown and not was_refused:
                job.error = OutcomeUnknown()
            elif len(jobs) > 1 and not is_outage and not is_unknown:
                self._commit([job])
            else:
                job.error = ServiceUnavailable() if is_outage or is_unknown else error

    def _lost(self, phase: str, error: BaseException) -> None:
        expected, reason = self._dialect.is_outage(error), self._dialect.disk_failure(error)
        kind = type(error).__name__
        log.error("database.failed", phase=phase, error=kind, outage=expected, disk=reason)
        self._health.failed(reason)
        self._close()

    def _commit_together(self, jobs: list[PendingWrite]) -> None:
        if not self._dialect.is_embedded:
            # Locks are taken in one order by every node, so that no two wait for each other.
            jobs = sorted(jobs, key=lambda job: job.realm_id)
        is_alone = len(jobs) == 1

        self._begin()
        jobs = self._append(jobs)
        locked, is_ours = None, True
        for job in jobs:
            if job.realm_id != locked:
                is_ours = self._lock(job.realm_id)
                locked = job.realm_id
            if is_ours:
                self._attempt(job, is_alone=is_alone)
            else:
                self._held.append(job)
        if is_alone and jobs and jobs[0].error is not None:
            self._dialect.command(self._connection, "ROLLBACK")
            return
        self._send_commit()

    def _send_commit(self) -> None:
        self._dialect.flush(self._connection)  # what fails here was not committed
        self._is_committing = True
        self._dialect.command(self._connection, "COMMIT")
        self._is_committing = False
        self._health.succeeded()

    def _lock(self, realm_id: int) -> bool:
        if self._set_aside is None:
            self._dialect.lock_organization(self._connection, realm_id)
            return True
        return self._dialect.try_lock_organization(self._connection, realm_id)

    def _append(self, jobs: list[PendingWrite]) -> list[PendingWrite]:
        """Write the plain sends among some jobs; gives those that are left to be done."""
        plain, left = _split(jobs)
        is_all = len(plain) == 1 and not left
        for realm_id, some in plain.items():
            if not self._append_in(realm_id, some, is_all=is_all):
                left += some
        return left

    def _append_in(self, realm_id: int, jobs: list[PendingWrite], *, is_all: bool) -> bool:
        """What cannot be appended leaves no trace. If it is all there is, it needs no mark."""
        if not is_all:
            self._dialect.command(self._connection, "SAVEPOINT plain")
        try:
            is_written = self._write_plain(realm_id, jobs)
        except Exception as error:
            if self._dialect.is_outage(error):
                raise
            log.debug("database.fast_insert_skipped", error=type(error).__name__)
            is_written = False
            if is_all:
                self._dialect.command(self._connection, "ROLLBACK")
                self._begin()
            else:
                self._dialect.command(self._connection, "ROLLBACK TO SAVEPOINT plain")
        if not is_all:
            self._dialect.command(self._connection, "RELEASE SAVEPOINT plain")
        return is_written

    def _write_plain(self, realm_id: int, jobs: list[PendingWrite]) -> bool:
        tx = Tx(self._connection, self._dialect, realm_id, self._clock())
        sends = [job.plain for job in jobs if job.plain is not None]
        given = self._fast_insert.append(tx, sends)
        if given is None:
            return False
        self._announced |= tx.announced
        for job, send, numbers in zip(jobs, sends, given, strict=True):
            job.told, job.result = send.tell(numbers), send.answer(numbers)
        return True

    def _begin(self) -> None:
        """Begin a transaction; on a new connection, if the one we had was lost meanwhile."""
        if self._connection is not None:
            try:
                self._dialect.begin_write(self._connection)
                return
            except Exception as error:
                if not self._dialect.is_outage(error):
                    raise
                self._close()
        self._connection = self._dialect.connect_to_write()
        self._dialect.begin_write(self._connection)

    def _attempt(self, job: PendingWrite, *, is_alone: bool) -> None:
        """Do a job; one that fails is undone, without those around it. Alone, it needs no mark."""
        tx = Tx(self._connection, self._dialect, job.realm_id, self._clock())
        if not is_alone:
            self._dialect.command(self._connection, "SAVEPOINT job")
        try:
            job.result = job.action(tx, *job.args)
            self._announced |= tx.announced
            job.revoked = tx.revoked or None
        except BaseException as error:
            if self._dialect.is_outage(error):
                raise
            if not isinstance(error, ClientError):
                log.debug("database.action_failed", action=job.action.__qualname__)
            # Where somebody was refused is of no use, and would hold on to all that they sent.
            job.error = error.with_traceback(None) if isinstance(error, ClientError) else error
            if not is_alone:
                self._dialect.command(self._connection, "ROLLBACK TO SAVEPOINT job")
        if not is_alone:
            self._dialect.command(self._connection, "RELEASE SAVEPOINT job")

    def _read_news(self) -> Any:
        self._dialect.begin_read(self._connection)
        tx = Tx(self._connection, self._dialect, 0, self._clock())
        try:
            return self._fetch_news(tx, list(self._announced))
        finally:
            self._dialect.end_read(self._connection)

    def _close(self) -> None:
        """Let go of the connection; what it had not committed is undone by the database."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                connection.close()
            except Exception:
                log.debug("database.close_failed")


def _split(
    jobs: list[PendingWrite],
) -> tuple[dict[int, list[PendingWrite]], list[PendingWrite]]:
    """The plain sends among some jobs, by organization, and the others."""
    plain: dict[int, list[PendingWrite]] = {}
    others = []
    for job in jobs:
        if job.plain is None:
            others.append(job)
        else:
            plain.setdefault(job.realm_id, []).append(job)
    return plain, others


def _appended(jobs: list[PendingWrite]) -> list[tuple[LogPosition, Any]]:
    return [(job.plain.known, job.told) for job in jobs if job.plain is not None and job.told]


def settle(answer: "asyncio.Future[Any]", job: PendingWrite) -> None:
    """Give a job's result or error to the caller who waits for it."""
    if answer.done():
        return  # the caller waits no longer
    if job.error is not None:
        answer.set_exception(job.error)
    else:
        answer.set_result(job.result)
