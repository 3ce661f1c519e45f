"""What a running server says about itself: its state now, and a sample every five minutes."""

from typing import Literal

import msgspec

SAMPLE_SECONDS = 300
KEPT_SECONDS = 86_400  # samples, log counts and the reports of servers that ended

State = Literal["good", "look", "fail", "off"]  # off: not configured


class EventCount(msgspec.Struct):
    """Log lines of one event, warnings and worse, by hour."""

    hours: dict[int, int]  # hours since 1970
    last_at: float


class SlowRequest(msgspec.Struct, frozen=True):
    at: float
    method: str
    route: str  # without the values of its parameters
    status: int
    seconds: float


class Writes(msgspec.Struct, frozen=True):
    state: Literal["ok", "waiting", "failing"]
    reason: str | None = None
    milliseconds: float | None = None  # the last test write
    tested_at: float | None = None


class ServerReport(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is new with every start of a process; `name` is its host and port."""

    id: str
    name: str
    version: str
    started_at: float
    seen_at: float
    leader_since: float | None  # None if another server is the leader
    has_stopped: bool = False
    writes: Writes
    connections: int
    memory_bytes: int
    processor_percent: float
    disk_free_bytes: int | None
    disk_total_bytes: int | None
    certificate_expires_at: float | None  # None without TLS of its own
    database: str  # its name and version
    database_bytes: int
    queues: dict[str, int]  # what waits, by queue
    job_failures: dict[str, int]  # since the start, by job
    log_counts: dict[str, EventCount]
    slow_requests: list[SlowRequest]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of five minutes of one server; counts are of these five minutes only."""

    at: float
    sent_messages: int
    response_times: list[int]  # responses by bucket of `http.response_metrics.SECONDS`
    connections: int
    memory_bytes: int
    disk_free_bytes: int | None
    mails_sent: int
    mails_given_up: int
    pushes_sent: int
    pushes_given_up: int


class BackupNote(msgspec.Struct, frozen=True):
    """The last run of `tertulia backup`."""

    at: float  # of the last complete backup; 0 if there is none
    bytes: int
    failed_at: float | None = None  # of a later attempt that failed
    reason: str = ""


class SyncNote(msgspec.Struct, frozen=True):
    """The last synchronization with one LDAP directory, over all organizations."""

    at: float
    accounts: int
    changed: int
    reason: str = ""  # why it failed


Facts = dict[str, float | str | bool | None]


class StatusPart(msgspec.Struct, frozen=True):
    """One line of the status: a state, and the facts that a page puts into words."""

    name: str
    state: State
    facts: Facts
