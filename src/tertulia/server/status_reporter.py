"""Reports what this server is doing to the database, for the operator's page and `/metrics`.

Each server stores its own report every half a minute and a sample every five minutes, so that any
server can show all of them. The report is also a test write: how long it took is in the next one.
"""

import os
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tertulia import __version__, actions, fair_queue, storage
from tertulia.actions.server_status import ServerStatus
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.outbox import POLICIES
from tertulia.domain.server_report import (
    SAMPLE_SECONDS,
    EventCount,
    Sample,
    ServerReport,
    SlowRequest,
    Writes,
)
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.http.response_metrics import ResponseCounts
from tertulia.jobs.disk import DiskWatch
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Runner
from tertulia.jobs.search_indexer import SearchIndexer
from tertulia.jobs.table_counts import TableCounter
from tertulia.log import log
from tertulia.server import logging_config
from tertulia.server.connection_limits import ConnectionLimiter

REPORT_SECONDS = 30
SLOW_WRITE_SECONDS = 2.0  # a commit that takes longer is reported as waiting
SENDS = ("POST", "/messages", 200)


class Parts(msgspec.Struct, frozen=True):
    """The parts of the server that a report reads."""

    answers: ResponseCounts
    delivery: Delivery
    indexing: SearchIndexer
    counting: TableCounter
    connections: ConnectionLimiter
    outbox: Outbox
    disk: DiskWatch
    runner: Callable[[], Runner]
    certificate_expiry: Callable[[], float]


class StatusReporter:
    def __init__(
        self, config: Config, database: Database, clock: Callable[[], float], parts: Parts
    ) -> None:
        self._config = config
        self._database = database
        self._clock = clock
        self._parts = parts
        self._id = secrets.token_hex(8)
        self._started_at = clock()
        self._database_version = ""  # until it was read
        self._test_write: tuple[float, float] | None = None  # when, and its milliseconds
        self._processor = time.process_time(), time.monotonic()
        self._counted = self._counts()
        self._sample_at = 0.0
        self.status: ServerStatus | None = None  # as last read

    async def run_once(self) -> None:
        """Store the report, and a sample if one is due; read those of the other servers."""
        if self._test_write is None:
            self._database_version = await self._database.of(0).query(
                storage.server_reports.database_version
            )
        began = time.monotonic()
        report, sample = self.report(), self._sample()
        await self._database.of(0).write(actions.server_status.store_report, report, sample)
        self._test_write = self._clock(), (time.monotonic() - began) * 1000
        self.status = await self._database.of(0).read(actions.server_status.read)

    async def stop(self) -> None:
        """Say that this server ends on purpose."""
        if self._test_write is None:
            return  # it never said that it runs
        last = msgspec.structs.replace(self.report(), has_stopped=True, leader_since=None)
        try:
            await self._database.of(0).write(actions.server_status.store_report, last, None)
        except ServiceUnavailable:
            pass  # then it looks like a crash

    async def current_status(self) -> ServerStatus:
        """The status of all servers, with the present state of this one, which is measured now if
        it never was.

        If the database cannot be read, it is the last status that was.
        """
        try:
            if self._test_write is None:
                await self.run_once()
            known = await self._database.of(0).read(actions.server_status.read)
        except ServiceUnavailable:
            known = self.status or ServerStatus(self._clock(), [], [], None, {})
            known = msgspec.structs.replace(known, now=self._clock())
        return known.with_report(self.report())

    def report(self) -> ServerReport:
        parts = self._parts
        space = parts.disk.fullest()
        return ServerReport(
            id=self._id,
            name=self._name(),
            version=__version__,
            started_at=self._started_at,
            seen_at=self._clock(),
            leader_since=parts.runner().leader_since,
            writes=self._writes(),
            connections=parts.connections.open,
            memory_bytes=_memory_bytes(),
            processor_percent=self._processor_percent(),
            disk_free_bytes=None if space is None else space.free_bytes,
            disk_total_bytes=None if space is None else space.total_bytes,
            certificate_expires_at=parts.certificate_expiry() or None,
            database=self._database_version,
            database_bytes=parts.counting.numbers["database_bytes"],
            queues=self._queues(),
            job_failures=dict(parts.runner().failures),
            log_counts={
                event: EventCount(dict(hours), log.counts.last_at[event])
                for event, hours in log.counts.hours.items()
            },
            slow_requests=[SlowRequest(*each) for each in parts.answers.slow],
        )

    def _name(self) -> str:
        worker = logging_config.worker()
        name = f"{socket.gethostname()}:{self._config.port}"
        return name if worker is None else f"{name}/{worker}"

    def _writes(self) -> Writes:
        tested_at, milliseconds = self._test_write or (None, None)
        reason = self._database.health.failure
        if reason is not None:
            return Writes("failing", reason, milliseconds, tested_at)
        is_waiting = self._database.busy_seconds > SLOW_WRITE_SECONDS
        return Writes("waiting" if is_waiting else "ok", None, milliseconds, tested_at)

    def _queues(self) -> dict[str, int]:
        parts = self._parts
        found = {str(each): parts.outbox.waiting[each] for each in POLICIES}
        found |= {name: queue.waiting for name, queue in fair_queue.QUEUES.items()}
        return found | {
            "search": parts.indexing.behind,
            "event_queues": len(parts.delivery.mailboxes),
            "parked_polls": parts.delivery.mailboxes.count_parked(),
        }

    def _processor_percent(self) -> float:
        """Since the last report."""
        used, at = self._processor
        now = time.monotonic()
        if now - at < 1:
            return 0.0
        self._processor = time.process_time(), now
        return round(100 * (self._processor[0] - used) / (now - at), 1)

    def _sample(self) -> Sample | None:
        """The numbers since the last sample; None if it is too early for the next."""
        at = self._clock() // SAMPLE_SECONDS * SAMPLE_SECONDS
        if at == self._sample_at:
            return None
        self._sample_at = at
        before, self._counted = self._counted, self._counts()
        sent, mails, no_mails, pushes, no_pushes, *times = [
            now - then for now, then in zip(self._counted, before, strict=True)
        ]
        space = self._parts.disk.fullest()
        return Sample(
            at=at,
            sent_messages=sent,
            response_times=times,
            connections=self._parts.connections.open,
            memory_bytes=_memory_bytes(),
            disk_free_bytes=None if space is None else space.free_bytes,
            mails_sent=mails,
            mails_given_up=no_mails,
            pushes_sent=pushes,
            pushes_given_up=no_pushes,
        )

    def _counts(self) -> list[int]:
        """Counters since the start."""
        outbox, answers = self._parts.outbox, self._parts.answers
        return [
            answers.by_kind.get(SENDS, 0),
            outbox.sent["mail"],
            outbox.given_up["mail"],
            outbox.sent["push"],
            outbox.given_up["push"],
            *answers.within,
        ]


def _memory_bytes() -> int:
    """The resident memory of this process; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
