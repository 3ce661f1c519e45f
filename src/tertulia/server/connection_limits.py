"""Connection limits: how many connections one address may open, and deadlines for slow clients.

Each connection needs a file descriptor, and their number is limited. So an address gets only a
share, some descriptors are reserved for the server itself, and a client that sends or reads too
slowly is disconnected. A client that waits for the server, as a parked poll does, is not slow.
"""

import asyncio
import ipaddress
import resource
from collections import Counter
from typing import Protocol

from tertulia.config import Config
from tertulia.database.yielding import RequestActivity
from tertulia.errors.http import ServerOverloaded, TooManyConnections
from tertulia.http.ratelimit import address_bucket
from tertulia.log import log

MAX_FILES = 1 << 20  # requested if the system sets no limit
OWN_FILES = 100  # reserved for the database, the listening socket and other files
LOW_CONNECTION_LIMIT = 4096  # connections; a lower limit is logged at the start
MIN_BYTES_PER_SECOND = 2000  # of a body or a response; a poor mobile connection has twice that
LOG_EVERY_SECONDS = 60


def raise_file_limit() -> None:
    """Raise the limit of open files to the hard limit; the default is often much lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Deadline:
    """When a client must have sent a head or a body, or read a response.

    Each byte that it sends or reads (`moved_bytes`) postpones the deadline.
    """

    __slots__ = ("moved_bytes", "since", "what")

    def __init__(self, what: str, since: float, moved_bytes: int = 0) -> None:
        self.what = what
        self.since = since
        self.moved_bytes = moved_bytes

    def is_passed(self, now: float, timeout_seconds: float) -> bool:
        earned = self.moved_bytes / MIN_BYTES_PER_SECOND
        return now - self.since > timeout_seconds + earned


class Tracked(Protocol):
    def deadlines(self, now: float) -> list[Deadline]:
        """The deadlines that run at this moment."""

    def abort(self, deadline: Deadline) -> None: ...


class ConnectionLimiter:
    """Counts and watches the connections of one server, on its event loop."""

    def __init__(self, config: Config, requests: RequestActivity | None = None) -> None:
        self.requests = requests or RequestActivity()  # long work on threads yields to these
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        files = MAX_FILES if files == resource.RLIM_INFINITY else files
        self.max_open = files - min(OWN_FILES, files // 2)
        # Even with a low limit, no single address can use all of it.
        self.max_per_address = min(config.max_connections_per_address, self.max_open // 2)
        self.open = 0
        self.refused = Counter({"address": 0, "full": 0, "https": 0})
        self.timed_out = Counter({"head": 0, "body": 0, "answer": 0})
        self._proxies = config.trusted_proxies
        self.expects_proxies = True  # whether a proxy that is not trusted is still to be logged
        self.timeout_seconds = config.slow_client_seconds
        self._of_address: Counter[str] = Counter()
        self._watched: set[Tracked] = set()
        self._crowded = ""  # the last address that was refused
        self._logged = self._rejections()
        self._log_at = 0.0
        if self.max_open < LOW_CONNECTION_LIMIT:
            log.warning(
                "server.open_file_limit_low",
                connections=self.max_open,
                connections_per_address=self.max_per_address,
                open_files=files,
            )

    # --- counting ---

    def register(self, address: str) -> None:
        """Count a connection until `leave`. Raises a ClientError if there are too many."""
        self.open += 1
        if address:
            self._of_address[address] += 1
        if self._of_address[address] > self.max_per_address:
            self.refused["address"] += 1
            self._crowded = address
            raise TooManyConnections
        if self.open > self.max_open:
            self.refused["full"] += 1
            raise ServerOverloaded

    def unregister(self, address: str) -> None:
        self.open -= 1
        if address:
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def bucket(self, address: str) -> str:
        """The key by which connections of an address are counted; empty for addresses without a
        limit."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return ""
        parsed = getattr(parsed, "ipv4_mapped", None) or parsed
        if any(parsed in network for network in self._proxies):
            return ""
        return address_bucket(address)

    def warn_of_proxy(self, address: str) -> None:
        """Log once that a proxy in this network is not trusted. Any client can send the headers of
        a proxy, so only addresses that are not public count."""
        try:
            is_near = not ipaddress.ip_address(address).is_global
        except ValueError:
            return
        if is_near and self.bucket(address):
            self.expects_proxies = False
            log.warning("server.proxy_not_trusted", address=address)

    # --- deadlines ---

    def track(self, connection: Tracked) -> None:
        """Check the deadlines of this connection from now on."""
        self._watched.add(connection)

    def sweep(self, now: float) -> None:
        """Disconnect clients whose deadline has passed, and log their number. Called about once
        a second."""
        for connection in list(self._watched):
            deadlines = connection.deadlines(now)
            if not deadlines:
                self._watched.discard(connection)
            for deadline in deadlines:
                if deadline.is_passed(now, self.timeout_seconds):
                    self.timed_out[deadline.what] += 1
                    connection.abort(deadline)
                    break
        self._log(now)

    def _log(self, now: float) -> None:
        trouble = self._rejections()
        if trouble == self._logged or now < self._log_at:
            return
        news = {name: trouble[name] - self._logged[name] for name in trouble}
        log.warning(
            "server.connections_dropped",
            open=self.open,
            **{name: count for name, count in news.items() if count},
            **({"address": self._crowded} if news["refused_address"] else {}),
        )
        self._logged, self._log_at = trouble, now + LOG_EVERY_SECONDS

    def _rejections(self) -> dict[str, int]:
        refused = {f"refused_{why}": count for why, count in self.refused.items()}
        return refused | {f"late_{what}": count for what, count in self.timed_out.items()}


class ClientDeadlines:
    """At most two deadlines: one for a request that is arriving, one for an unread response.

    Time counts only while the client is slow, not while the server has paused reading.
    """

    __slots__ = ("_max_unread_bytes", "_reading", "sending")

    def __init__(self) -> None:
        self.sending: Deadline | None = None
        self._reading: Deadline | None = None
        self._max_unread_bytes = 0

    def expect(self, what: str, now: float, received_bytes: int = 0) -> None:
        """Start a deadline for a "head" or a "body"."""
        self.sending = Deadline(what, now, received_bytes)

    def body_received(self, size: int) -> None:
        if self.sending is not None:
            self.sending.moved_bytes += size

    def request_received(self) -> None:
        self.sending = None

    def response_read(self) -> None:
        self._reading = None

    def open(
        self, transport: asyncio.Transport, now: float, *, is_read_paused: bool
    ) -> list[Deadline]:
        """The deadlines that run at this moment."""
        if transport.is_closing():
            self.sending = None
        elif self.sending is not None and is_read_paused:
            self.expect(self.sending.what, now)
        self._measure_unread(transport, now)
        return [each for each in (self.sending, self._reading) if each is not None]

    def _measure_unread(self, transport: asyncio.Transport, now: float) -> None:
        try:
            unread = transport.get_write_buffer_size()
        except RuntimeError:  # uvloop raises it for a lost connection
            unread = 0
        if not unread:
            self._reading = None
        elif self._reading is None:
            self._reading, self._max_unread_bytes = Deadline("answer", now), unread
        else:
            self._max_unread_bytes = max(self._max_unread_bytes, unread)
            self._reading.moved_bytes = self._max_unread_bytes - unread
