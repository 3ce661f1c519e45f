"""A real server in its own thread: the whole application, behind uvicorn, on a free port.

Its methods are all that tests may ask of a running server; `tests/test_architecture.py` fails on a
test that reaches further into it.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast

import pytest
from starlette.routing import Route
from tests.support import latency_guard
from tests.support.client import Client
from tests.support.event_queue import in_background
from tests.support.fake_services import fake_services
from tests.support.latency_guard import WatchedDatabase
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import api, features
from tertulia.actions.server_status import ServerStatus
from tertulia.app import Application
from tertulia.config import Config
from tertulia.config.login_providers import JwtIssuer
from tertulia.database import BlockingDatabase, Database, readers
from tertulia.database.tx import Tx
from tertulia.domain.outbox import Transport
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import EphemeralEvent
from tertulia.fair_queue import FairQueue
from tertulia.features.scheduled.sender import ScheduledKind, send_due
from tertulia.jobs import disk, runner
from tertulia.jobs.housekeeping import ClockWatch, store_positions, trim_logs
from tertulia.jobs.runner import Job
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.event_loop import new_event_loop
from tertulia.server.http_server import Server as Uvicorn
from tertulia.server.http_server import uvicorn_config
from tertulia.web.public import pacing

P = ParamSpec("P")
T = TypeVar("T")

disk.MIN_FREE_PERCENT = 0  # tests must not depend on the free disk space
runner.CHECK_SECONDS = 3600.0  # tests move the clock, and run these jobs themselves
pacing.MAX_PAUSE_SECONDS = 0.0  # no test waits for other pages; a test of its own has the rest
readers.READERS = 2  # of many servers at once: one PostgreSQL for all tests has 100 connections

SECRET = "nobody will ever guess this secret"
MAIL_IN = "chat+%s@mail.test"


@dataclass(slots=True)
class Clock:
    """The current time plus an offset that the test controls.

    Where seconds count, the clock is stopped and moves only as the test says.
    """

    ahead: float = 0.0
    stopped_at: float | None = None

    def __call__(self) -> float:
        return (time.time() if self.stopped_at is None else self.stopped_at) + self.ahead

    def stop(self) -> None:
        self.stopped_at = time.time()

    def move(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        self.ahead += seconds + 60 * minutes + 3600 * hours


@dataclass
class Server:
    """One running server. `restart` stops it cleanly and starts another on the same data."""

    url: str
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    port: int = 0  # any free one, and the same after a restart

    def start(self) -> "Server":
        usual = {
            "data": self.folder,
            "rate_limit": None,
            "jwt": (JwtIssuer(key_text=SECRET),),
            "mail_in_address": MAIL_IN,
            **fake_services().settings,
        }
        config = Config(**usual | self.settings)
        self.vault = Vault(SECRET.encode())
        blocking = BlockingDatabase.at(self.url, self.clock)
        blocking.migrate()
        self.database: Database = WatchedDatabase(blocking)
        self._application = Application(config, self.database, self.vault, self.clock)
        if not self.port:
            self.port = self._hold_port()
        listening = socket.create_server(("127.0.0.1", self.port))
        self.client = Client(self.port, self.url)
        self._loop = new_event_loop()
        ready = threading.Event()
        settings = uvicorn_config(config, self._application, self._application.connections)
        self._uvicorn = Uvicorn(settings, self._application, ready.set)
        self._thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        assert ready.wait(TIMEOUT_SECONDS), "the server did not start"
        return self

    def _hold_port(self) -> int:
        """A port that nobody else gets while the server is stopped: not even a client of another
        test, for its end of a connection."""
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        port: int = self._held.getsockname()[1]
        return port

    def _run(self, listening: socket.socket) -> None:
        """As `tertulia.server.http_server.serve`, on an event loop that we know."""

        async def serve() -> None:
            async with self._application.running(), latency_guard.watch_event_loop():
                await self._uvicorn.serve([listening])

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())

    def stop(self) -> None:
        self.client.close()
        self._loop.call_soon_threadsafe(self._application.shutdown)
        self._uvicorn.should_exit = True
        self._thread.join(TIMEOUT_SECONDS)
        assert not self._thread.is_alive(), "the server did not stop"

    def restart(self) -> None:
        self.stop()
        self.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the server's event loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT_SECONDS)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a plain function on the server's event loop, where delivery runs."""

        async def run() -> T:
            return function(*args, **kwargs)

        return self.do(run())

    def write(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run an action as the server does; when this returns, its events are delivered."""
        return self.do(self.database.of(realm_id).write(action, *args, **kwargs))

    def read(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return self.do(self.database.of(realm_id).read(query, *args, **kwargs))

    @property
    def reads(self) -> FairQueue:
        """The queue of reads on threads."""
        return self.database._readers.queue

    def has_waiting_read(self, person: int) -> bool:
        """Whether a read of this person waits for a thread."""
        return self.reads.state.count_waiting(person) > 0

    def occupy_reads(self, turn: threading.Event) -> Callable[[], None]:
        """Keep all threads for reads busy until an event. Returns how to wait for their end."""
        busy = [
            asyncio.run_coroutine_threadsafe(self.reads.run(person, turn.wait), self._loop)
            for person in range(-readers.READERS, 0)
        ]
        eventually(lambda: self.reads.running == self.reads.slots)
        return lambda: [each.result(TIMEOUT_SECONDS) for each in busy].clear()

    # --- jobs ---

    def run_job(self, name: str) -> None:
        """Run a background job now, by its name in `/metrics`: `server.run_job("search")`."""
        (job,) = (each for each in self._application.runner.jobs if each.name == name)
        self.do(cast("Coroutine[Any, Any, object]", job.work()))

    def job_names(self) -> list[str]:
        return [each.name for each in self._application.runner.jobs]

    def jobs_on(self, database: Any) -> Sequence[Job]:
        """The jobs of this server with another object in place of its database."""
        twin = Application(self.config, database, self.vault, self.clock)
        twin.delivery.follower = self._application.delivery.follower
        twin.delivery.mailboxes = self._application.delivery.mailboxes
        return list(twin.runner.jobs)

    def store_positions(self, watch: ClockWatch | None = None) -> None:
        """Store the positions of queues and drop idle ones, also if the clock was moved."""
        self.do(store_positions(self.database, self._application.delivery, watch))

    def trim_logs(self) -> None:
        self.do(trim_logs(self.database, self._application.delivery))

    def send_due(self, kind: ScheduledKind[Any], *, at_once: int = 1) -> None:
        """Send what is scheduled and due, in one run or in several at the same time."""

        async def send() -> None:
            both = (self.database, self._application.delivery)
            await asyncio.gather(*(send_due(*both, kind) for _ in range(at_once)))

        self.do(send())

    def store_presence(self) -> None:
        self.do(features.presence.store(self.database, self._application.delivery))

    def delete_stale_presence(self) -> None:
        self.do(features.presence.delete_stale(self.database, self._application.delivery))

    # --- state in memory ---

    @property
    def config(self) -> Config:
        return self._application.services.config

    def session_fingerprint(self, token: str) -> bytes:
        """What the database stores of a session token."""
        return api.browser_sessions.fingerprint_of(self._application.services, token)

    @property
    def connections(self) -> ConnectionLimiter:
        return self._application.connections

    def sweep_connections(self, seconds: float) -> None:
        """Check connections as if this much time had passed."""

        def sweep() -> None:
            self.connections.sweep(self._loop.time() + seconds)

        self.call(sweep)

    def awaited_connections(self) -> list[Any]:
        """The connections whose next bytes the server waits for."""

        def awaited() -> list[Any]:
            now = self._loop.time()
            return [each for each in self.connections._watched if each.deadlines(now)]

        return self.call(awaited)

    def status(self) -> ServerStatus:
        """What this server knows of itself and of the others."""
        return self.do(self._application.reporter.current_status())

    def count_response(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response that took so long."""
        self._application.response_counts.observe(method, route, status, seconds)

    def organizations(self) -> int:
        """How many organizations are in memory."""
        return len(self._application.delivery.organizations)

    def directory(self, realm_id: int) -> Organization:
        """The state of an organization in memory."""
        return self._application.delivery.organizations[realm_id]

    async def load(self, realm_id: int) -> None:
        """Load an organization; on the server's event loop."""
        assert await self._application.delivery.follower.finder.find(realm_id) is not None

    def cache_statistics(self) -> dict[str, tuple[int, int, int]]:
        """Size, hits and bound of each cache."""
        return {
            each.name: (each.size, each.hits, each.bound) for each in self._application.caches.all
        }

    def drop_caches(self, realm_id: int) -> None:
        self.call(self._application.caches.drop_organization, realm_id, 0)

    def form_paths(self) -> list[str]:
        """The paths of pages that accept forms."""
        pages = (each for each in self._application.pages.routes if isinstance(each, Route))
        return [each.path for each in pages if "POST" in (each.methods or ())]

    # --- delivery ---

    def catch_up(self) -> None:
        """Apply what other processes have written, as a notification from the database does."""
        self.do(self._application.delivery.follower.catch_up())

    def index_messages(self) -> None:
        """Index all messages for search; the job of that name waits until fewer arrive."""
        self.do(self._application.indexing.catch_up())

    def has_loaded(self, realm_id: int) -> bool:
        return realm_id in self._application.delivery.organizations

    def set_timeout(self, transport: Literal["webhook", "push"], seconds: float) -> None:
        """How long calls of other machines may take."""
        sender = self._application.outbox.senders[transport]
        setattr(sender, "timeout_seconds", seconds)  # noqa: B010  # both have it

    @property
    def lmtp_port(self) -> int:
        return self._application.lmtp.port

    def deliver(self, transport: Transport) -> None:
        """Send what is due in the outbox, and wait for the results."""
        self.do(self._application.outbox.finish(transport))

    def start_deliveries(self, transport: Transport) -> None:
        """Start to send what is due in the outbox."""
        self.do(self._application.outbox.run_once(transport))

    def lanes(self, transport: Transport) -> list[int | None]:
        """The people for whom something is being sent."""
        return self._application.outbox.lanes(transport)

    def metric(self, name: str) -> float:
        """A number of `/metrics`: `server.metric("tertulia_mails_sent")`."""
        return self.metrics()[name]

    def metrics(self) -> dict[str, float]:
        text = self.client.raw("GET", "/metrics", {"Host": "127.0.0.1"}).body.decode()
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(number) for name, _, number in lines}

    def is_parked(self, queue_id: str) -> bool:
        """Whether a poll is parked at this queue."""
        mailbox = self._application.delivery.mailboxes.find(queue_id)
        return mailbox is not None and mailbox.poll.is_parked

    def was_woken(self, queue_id: str) -> bool:
        """Whether an event has woken a poll at this queue."""
        mailbox = self._application.delivery.mailboxes.find(queue_id)
        return mailbox is None or mailbox.woken_at > 0

    def becomes_cold(self) -> None:
        """Drop every mailbox, as after a long time without polls."""
        self.clock.move(minutes=5)
        self.drop_cold_mailboxes()

    def drop_cold_mailboxes(self) -> None:
        self.call(self._application.delivery.drop_idle_mailboxes)

    def lose_mailbox(self, queue_id: str) -> None:
        """Make the server read the pending events of a queue from the log again."""
        mailboxes = self._application.delivery.mailboxes
        mailbox = mailboxes.find(queue_id)
        if mailbox is not None:  # or it was dropped already
            self.call(mailboxes.discard, mailbox)

    def queue_ids(self, realm_id: int) -> list[str]:
        """The queues of an organization that have a mailbox."""
        return [each.queue_id for each in self.positions(realm_id)]

    def positions(self, realm_id: int) -> Sequence[Any]:
        """The positions of queues with a mailbox, as they would be stored now."""
        return self.call(self._application.delivery.positions, realm_id)

    def pending(self) -> tuple[int, int]:
        """How many events, and bytes of events, all mailboxes hold."""
        boxes = self._application.delivery.mailboxes
        bodies = [entry.body for mailbox in boxes for entry in mailbox.pending]
        return len(bodies), sum(map(len, bodies))

    def close_queue(self, queue_id: str) -> None:
        self.call(self._application.delivery.close_queue, queue_id)

    def publish_ephemeral(self, realm_id: int, event: EphemeralEvent) -> None:
        self.call(self._application.delivery.ephemeral.publish, realm_id, event)

    def poll(self, user: User, queue_id: str) -> Awaitable[Any]:
        """A poll that does not wait; on the server's event loop."""
        return self._application.delivery.poll(user, queue_id, -1, block=False)

    def frozen(self, realm_id: int) -> AbstractAsyncContextManager[Any]:
        """The server applies no events meanwhile; on its event loop."""
        return self._application.delivery.follower.frozen(realm_id)

    @contextmanager
    def applies_no_events(self, realm_id: int) -> Iterator[None]:
        """The same, in a test."""
        holding, held = asyncio.Event(), threading.Event()

        async def hold() -> None:
            async with self.frozen(realm_id):
                held.set()
                await holding.wait()

        done = in_background(lambda: self.do(hold()))
        held.wait(TIMEOUT_SECONDS)
        try:
            yield
        finally:
            self.call(holding.set)
            done.result(TIMEOUT_SECONDS)

    def receive_notice(self, notice: Any) -> None:
        """Receive a message of another server."""
        self.call(self._application.delivery.follower.remote_sends.receive, notice)

    # --- faults ---

    @contextmanager
    def broadcasts_fail(self) -> Iterator[None]:
        """Committed sends are not published in this process."""

        def fail(*_: Any) -> None:
            raise RuntimeError("a mistake of ours")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.database._broadcast, "publish", fail)
            yield

    @contextmanager
    def admits_with(self, wrap: Callable[[Any], T]) -> Iterator[T]:
        """Replace the authentication of requests by a wrapper around it, which is returned."""
        endpoints = self._application._api
        with pytest.MonkeyPatch.context() as patch:
            wrapped = wrap(endpoints._authenticate)
            patch.setattr(endpoints, "_authenticate", wrapped)
            yield wrapped
