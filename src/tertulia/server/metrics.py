"""Metrics of the running server in Prometheus format.

Imported on the first request: the library takes a tenth of the startup time.
"""

import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from urllib.parse import urlsplit

import msgspec
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from starlette.requests import Request

from tertulia import __version__, fair_queue, memo
from tertulia.caches.all_caches import Caches
from tertulia.database import Database
from tertulia.domain.outbox import POLICIES
from tertulia.domain.server_report import BackupNote, SyncNote
from tertulia.events.delivery.dispatch import Delivery
from tertulia.http.response_metrics import SECONDS, ResponseCounts
from tertulia.jobs.disk import DiskWatch
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Runner
from tertulia.jobs.search_indexer import SearchIndexer
from tertulia.jobs.table_counts import TableCounter
from tertulia.log import log
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.inbound_mail import InboundMail
from tertulia.server.status_reporter import StatusReporter

SIGNS_OF_A_PROXY = frozenset(
    ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
)


# Counted by a job every few minutes.
COUNTED = {
    "people": "Accounts of people that are in use",
    "messages": "Messages that are kept",
    "queues": "Event queues, including those that no client polls at the moment",
    "log_events": "Events that the log holds for queues that have not read them",
    "upload_bytes": "What uploaded files take",
    "database_bytes": "What the database takes, uploaded files included",
}


class ResponseCollector(Collector):
    """Counts of responses as Prometheus metrics."""

    def __init__(self, counts: ResponseCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        counts = self._counts
        requests = CounterMetricFamily(
            "tertulia_requests", "Requests answered", labels=["method", "route", "status"]
        )
        for (method, route, status), count in counts.by_kind.items():
            requests.add_metric([method, route, str(status)], count)
        yield requests
        took = HistogramMetricFamily("tertulia_request_seconds", "Time to answer, long polls aside")
        bounds = [*map(floatToGoString, SECONDS), "+Inf"]
        buckets = list(zip(bounds, accumulate(counts.within), strict=True))
        took.add_metric([], buckets, counts.seconds)
        yield took


class FairQueues(Collector):
    """Waiting, running, finished and refused work of every fair queue."""

    def collect(self) -> Iterator[Metric]:
        waiting = GaugeMetricFamily(
            "tertulia_queue_waiting", "Work items that wait for a slot", labels=["queue"]
        )
        running = GaugeMetricFamily(
            "tertulia_queue_running", "Work items that run", labels=["queue"]
        )
        served = CounterMetricFamily(
            "tertulia_queue_served", "Work items that got a slot", labels=["queue"]
        )
        waited = CounterMetricFamily(
            "tertulia_queue_waited_seconds", "Time that work items waited", labels=["queue"]
        )
        refused = CounterMetricFamily(
            "tertulia_queue_refused",
            "Work items refused because one person had too many waiting",
            labels=["queue"],
        )
        for name, queue in sorted(fair_queue.QUEUES.items()):
            waiting.add_metric([name], queue.waiting)
            running.add_metric([name], queue.running)
            served.add_metric([name], queue.state.served)
            waited.add_metric([name], queue.state.waited_seconds)
            refused.add_metric([name], queue.state.refused)
        yield from (waiting, running, served, waited, refused)


class LogCounts(Collector):
    """Warnings and errors in the log, and failed logins among them."""

    def collect(self) -> Iterator[Metric]:
        warnings = CounterMetricFamily(
            "tertulia_log_warnings", "Warnings and errors in the log", labels=["event"]
        )
        for event, count in sorted(log.counts.totals.items()):
            warnings.add_metric([event], count)
        yield warnings
        failed = CounterMetricFamily("tertulia_failed_logins", "Logins that were refused")
        failed.add_metric([], log.counts.totals["auth.login_failed"])
        yield failed


class CacheCounts(Collector):
    """Hits, misses, size and bound of every cache."""

    def __init__(self, caches: Caches) -> None:
        self._caches = caches

    def collect(self) -> Iterator[Metric]:
        hits = CounterMetricFamily("tertulia_cache_hits", "Found in a cache", labels=["cache"])
        misses = CounterMetricFamily(
            "tertulia_cache_misses", "Not found in a cache", labels=["cache"]
        )
        labels = ["cache", "unit"]
        size = GaugeMetricFamily("tertulia_cache_size", "What a cache holds", labels=labels)
        bound = GaugeMetricFamily(
            "tertulia_cache_bound", "What a cache holds at most; 0 if it is off", labels=labels
        )
        for each in self._caches.all:
            hits.add_metric([each.name], each.hits)
            misses.add_metric([each.name], each.misses)
            size.add_metric([each.name, each.unit], each.size)
            bound.add_metric([each.name, each.unit], each.bound)
        for name, function in sorted(memo.FUNCTIONS.items()):
            info = function.cache_info()
            hits.add_metric([name], info.hits)
            misses.add_metric([name], info.misses)
            size.add_metric([name, "entries"], info.currsize)
            bound.add_metric([name, "entries"], info.maxsize)
        yield from (hits, misses, size, bound)


class MeasuredParts(msgspec.Struct, frozen=True):
    """The parts of a server that its metrics read."""

    response_counts: ResponseCounts
    delivery: Delivery
    runner: Runner
    indexing: SearchIndexer
    counting: TableCounter
    connections: ConnectionLimiter
    outbox: Outbox
    database: Database
    disk: DiskWatch
    caches: Caches
    certificate_expiry: Callable[[], float]
    reporter: StatusReporter
    directories: Sequence[str]
    inbound_mail: InboundMail


class Metrics:
    def __init__(self, parts: MeasuredParts) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(ResponseCollector(parts.response_counts))
        self._registry.register(FairQueues())
        self._registry.register(CacheCounts(parts.caches))
        self._gauge(
            "mailboxes", "Event queues held in memory", lambda: len(parts.delivery.mailboxes)
        )
        self._gauge(
            "parked_polls", "Polls waiting for an event", parts.delivery.mailboxes.count_parked
        )
        self._add_jobs(parts.runner)
        self._gauge(
            "search_behind_messages",
            "Messages that are not in the search index yet, counted up to 10,000 for each"
            " organization; they can be found all the same",
            lambda: parts.indexing.behind,
        )
        for name, meaning in COUNTED.items():
            self._gauge(name, meaning, partial(_count_of, parts.counting, name))
        self._add_connections(parts.connections)
        self._add_outbox(parts.outbox)
        self._registry.register(LogCounts())
        self._gauge("disk_free_bytes", "Free on the disk of the data folder", parts.disk.free_bytes)
        self._gauge("disk_total_bytes", "The size of the fullest disk", parts.disk.total_bytes)
        self._add_status(parts.reporter, parts.directories)
        results = parts.inbound_mail.counts
        self._gauges(
            "inbound_mails",
            "Mails received by LMTP or `tertulia mail receive` on this server, by result",
            "result",
            {result: partial(results.__getitem__, result) for result in results},
        )
        self._gauge(
            "certificate_expiry_timestamp_seconds",
            "When the TLS certificate of the server itself expires; 0 without one",
            parts.certificate_expiry,
        )
        self._add_writes(parts.database)

    def _add_jobs(self, runner: Runner) -> None:
        late = {job.name: partial(runner.late_seconds, job) for job in runner.jobs}
        failures = {job.name: partial(runner.failures.__getitem__, job.name) for job in runner.jobs}
        self._gauges("job_late_seconds", "Seconds by which a job is overdue", "job", late)
        self._gauges("job_failures", "How often a job failed", "job", failures)

    def _add_writes(self, database: Database) -> None:
        self._gauge(
            "writes_waiting_seconds",
            "Seconds for which the current writes have waited for their commit",
            lambda: database.busy_seconds,
        )
        self._gauge(
            "writes_failing",
            "1 if the disk refused the last write, or the data is damaged",
            lambda: float(database.health.failure is not None),
        )
        self._gauge(
            "database_damaged",
            "1 if a check at the start or a statement has found damaged data",
            lambda: float(database.health.damage is not None),
        )

    def _add_status(self, reporter: StatusReporter, directories: Sequence[str]) -> None:
        """What is stored about backups and directories; read again every half a minute."""

        def backup() -> BackupNote:
            known = None if reporter.status is None else reporter.status.backup
            return known or BackupNote(0.0, 0)

        def sync(directory: str) -> SyncNote:
            known = None if reporter.status is None else reporter.status.syncs.get(directory)
            return known or SyncNote(0.0, 0, 0)

        def synced_at(directory: str) -> float:
            return sync(directory).at

        def has_failed(directory: str) -> float:
            return float(bool(sync(directory).reason))

        self._gauge(
            "last_backup_timestamp_seconds",
            "When `tertulia backup` last completed; 0 if it never did",
            lambda: backup().at,
        )
        self._gauge(
            "last_backup_failed",
            "1 if a later backup failed",
            lambda: float(backup().failed_at is not None),
        )
        self._gauges(
            "directory_sync_timestamp_seconds",
            "When the LDAP directory was last read; 0 if it never was",
            "directory",
            {name: partial(synced_at, name) for name in directories},
        )
        self._gauges(
            "directory_sync_failed",
            "1 if the last synchronization with the LDAP directory failed",
            "directory",
            {name: partial(has_failed, name) for name in directories},
        )
        self._gauge(
            "leader",
            "1 if this server runs the background work",
            lambda: float(reporter.report().leader_since is not None),
        )
        info = Gauge("tertulia_build_info", "Always 1", ["version"], registry=self._registry)
        info.labels(__version__).set(1)

    def _add_outbox(self, outbox: Outbox) -> None:
        for name, meaning, counts in (
            ("outbox_waiting", "Items of the outbox not sent yet, by transport", outbox.waiting),
            ("outbox_sent", "Items of the outbox sent, by transport", outbox.sent),
            ("outbox_given_up", "Items of the outbox given up, by transport", outbox.given_up),
        ):
            numbers = {str(each): partial(counts.__getitem__, each) for each in POLICIES}
            self._gauges(name, meaning, "transport", numbers)
        self._gauge("mails_waiting", "Mails not sent yet", lambda: outbox.waiting["mail"])
        self._gauge("mails_sent", "Mails sent", lambda: outbox.sent["mail"])
        self._gauge(
            "mails_given_up",
            "Mails given up: rejected permanently, or not accepted within a day",
            lambda: outbox.given_up["mail"],
        )
        self._gauge("pushes_sent", "Pushes sent", lambda: outbox.sent["push"])
        self._gauge(
            "pushes_given_up",
            "Push notifications given up: not accepted within a day",
            lambda: outbox.given_up["push"],
        )

    def _add_connections(self, connections: ConnectionLimiter) -> None:
        self._gauge("connections", "Open connections", lambda: connections.open)
        self._gauge(
            "connections_most",
            "Maximum number of connections, from the limit of open files",
            lambda: connections.max_open,
        )
        self._gauges(
            "connections_refused",
            "Connections refused: too many from one address or in total, or HTTPS on the HTTP port",
            "why",
            {why: partial(connections.refused.__getitem__, why) for why in connections.refused},
        )
        timed_out = connections.timed_out
        self._gauges(
            "connections_timed_out",
            "Connections closed by a timeout: head, body, or response not read",
            "what",
            {what: partial(timed_out.__getitem__, what) for what in timed_out},
        )

    def _gauge(self, name: str, meaning: str, number: Callable[[], float]) -> None:
        Gauge(f"tertulia_{name}", meaning, registry=self._registry).set_function(number)

    def _gauges(
        self, name: str, meaning: str, label: str, numbers: Mapping[str, Callable[[], float]]
    ) -> None:
        gauge = Gauge(f"tertulia_{name}", meaning, [label], registry=self._registry)
        for value, number in numbers.items():
            gauge.labels(value).set_function(number)

    content_type = CONTENT_TYPE_LATEST

    def may_be_read(self, policy: str, request: Request) -> bool:
        """Unless metrics are public, only requests from this machine are allowed, and none through
        a proxy on it.

        A proxy may send no header that identifies it. But then it passes on the Host of its client,
        or uses HTTP/1.0 as nginx does by default. A proxy that does neither cannot be distinguished
        from a local program.
        """
        if policy != "loopback":
            return policy == "public"
        return (
            request.client is not None
            and _is_available(request.client.host)
            and _is_available(_name(request.headers.get("host", "")))
            and request.scope["http_version"] != "1.0"
            and SIGNS_OF_A_PROXY.isdisjoint(request.headers)
        )

    def text(self) -> bytes:
        return generate_latest(self._registry)


def _count_of(counting: TableCounter, name: str) -> int:
    return counting.numbers[name]


def _name(host: str) -> str:
    """A Host header without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_available(name: str) -> bool:
    try:
        return f".{name}".endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
