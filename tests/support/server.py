"""A real server in its own thread: the whole application, behind uvicorn, on a free port."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast

import uvloop
from tests.support import latency_guard
from tests.support.client import Client
from tests.support.fake_services import fake_services
from tests.support.latency_guard import WatchedDatabase
from tests.support.waiting import PATIENCE_SECONDS

from tertulia.app import Application
from tertulia.config import Config
from tertulia.config.login_providers import JwtIssuer
from tertulia.database import Database, readers
from tertulia.database.tx import Tx
from tertulia.domain.outbox import Transport
from tertulia.domain.people.keys import Vault
from tertulia.jobs import disk
from tertulia.server.http_server import Server as Uvicorn
from tertulia.server.http_server import uvicorn_config

P = ParamSpec("P")
T = TypeVar("T")

disk.MIN_FREE_PERCENT = 0  # tests must not depend on the free disk space
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
        self.database: Database = WatchedDatabase.at(self.url, self.clock)
        self.database.migrate()
        self.application = Application(config, self.database, self.vault, self.clock)
        listening = socket.create_server(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        self.client = Client(self.port, self.url)
        self._loop = uvloop.new_event_loop()
        ready = threading.Event()
        settings = uvicorn_config(config, self.application, self.application.connections)
        self._uvicorn = Uvicorn(settings, self.application, ready.set)
        self._thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE_SECONDS), "the server did not start"
        return self

    def _run(self, listening: socket.socket) -> None:
        """As `tertulia.server.http_server.serve`, on an event loop that we know."""

        async def serve() -> None:
            async with self.application.running(), latency_guard.watch_event_loop():
                await self._uvicorn.serve([listening])

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())

    def stop(self) -> None:
        self.client.close()
        self._loop.call_soon_threadsafe(self.application.shutdown)
        self._uvicorn.should_exit = True
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), "the server did not stop"

    def restart(self) -> None:
        self.stop()
        self.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the server's event loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_SECONDS)

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
        return self.do(self.database.write_in(realm_id, action, *args, **kwargs))

    def read(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return self.do(self.database.read_in(realm_id, query, *args, **kwargs))

    def run_job(self, name: str) -> None:
        """Run a background job now, by its name in `/metrics`: `server.run_job("search")`."""
        (job,) = (each for each in self.application.runner.jobs if each.name == name)
        self.do(cast("Coroutine[Any, Any, object]", job.work()))

    def catch_up(self) -> None:
        """Apply what other processes have written, as a notification from the database does."""
        self.do(self.application.delivery.follower.catch_up())

    def index_messages(self) -> None:
        """Index all messages for search; the job of that name waits until fewer arrive."""
        self.do(self.application.indexing.catch_up())

    def has_loaded(self, realm_id: int) -> bool:
        return realm_id in self.application.delivery.organizations

    def set_timeout(self, transport: Literal["webhook", "push"], seconds: float) -> None:
        """How long calls of other machines may take."""
        sender = {
            "webhook": self.application.webhook_sender,
            "push": self.application.push_sender,
        }[transport]
        setattr(sender, "patience_seconds", seconds)  # noqa: B010  # both have it

    @property
    def lmtp_port(self) -> int:
        return self.application.lmtp.port

    def deliver(self, transport: Transport) -> None:
        """Send what is due in the outbox, and wait for the results."""
        self.do(self.application.outbox.finish(transport))

    def metric(self, name: str) -> float:
        """A number of `/metrics`: `server.metric("tertulia_mails_sent")`."""
        return self.metrics()[name]

    def metrics(self) -> dict[str, float]:
        text = self.client.raw("GET", "/metrics", {"Host": "127.0.0.1"}).body.decode()
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(number) for name, _, number in lines}

    def is_parked(self, queue_id: str) -> bool:
        """Whether a poll is parked at this queue."""
        mailbox = self.application.delivery.mailboxes.find(queue_id)
        return mailbox is not None and mailbox.is_parked

    def becomes_cold(self) -> None:
        """Drop every mailbox, as after a long time without polls."""
        self.clock.move(minutes=5)
        self.drop_cold_mailboxes()

    def drop_cold_mailboxes(self) -> None:
        self.call(self.application.delivery.drop_idle_mailboxes)

    def lose_mailbox(self, queue_id: str) -> None:
        """Make the server read the pending events of a queue from the log again."""
        mailboxes = self.application.delivery.mailboxes
        mailbox = mailboxes.find(queue_id)
        if mailbox is not None:  # or it was dropped already
            self.call(mailboxes.discard, mailbox)
