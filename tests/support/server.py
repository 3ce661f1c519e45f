"""A real server in a thread of its own: the whole application, behind uvicorn, on a free port."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import uvicorn
from tests.support.client import Client

from tertulia.app import Application
from tertulia.config import Config
from tertulia.domain.keys import Vault
from tertulia.serving import Server as Uvicorn
from tertulia.storage.database import Database
from tertulia.storage.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")

SECRET = "nobody will ever guess this secret"
PATIENCE_SECONDS = 10


@dataclass(slots=True)
class Clock:
    """The time of day, and as much later as a test wants it to be."""

    ahead: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead

    def move(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        self.ahead += seconds + 60 * minutes + 3600 * hours


@dataclass
class Server:
    """One running server. `restart` stops it cleanly and starts another on the same data."""

    url: str
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)

    def start(self) -> "Server":
        config = Config(**{"data": self.folder, "rate_limit": None, **self.settings})
        self.vault = Vault(SECRET.encode())
        self.database = Database.at(self.url, self.clock)
        self.database.migrate()
        self.application = Application(config, self.database, self.vault, self.clock)
        listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = listening.getsockname()[1]
        self._uvicorn = _Uvicorn(self.application)
        self._thread = threading.Thread(target=self._uvicorn.run, args=([listening],), daemon=True)
        self._thread.start()
        assert self._uvicorn.ready.wait(PATIENCE_SECONDS), "the server did not start"
        self.client = Client(self.port)
        return self

    def stop(self) -> None:
        self.client.close()
        self._uvicorn.loop.call_soon_threadsafe(self.application.say_goodbye)
        self._uvicorn.should_exit = True
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), "the server did not stop"

    def restart(self) -> None:
        self.stop()
        self.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something on the server's loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._uvicorn.loop).result(PATIENCE_SECONDS)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a plain function on the server's loop, where delivery lives."""

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
        """Do an action as the server does; when this returns, everybody has heard of it."""
        return self.do(self.database.write_in(realm_id, action, *args, **kwargs))

    def read(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return self.do(self.database.read_in(realm_id, query, *args, **kwargs))

    def is_parked(self, queue_id: str) -> bool:
        """Whether a poll waits at this queue."""
        mailbox = self.application.delivery._mailboxes.get(queue_id)
        return mailbox is not None and mailbox.is_parked


class _Uvicorn(Uvicorn):
    """The server's own uvicorn, which also says when it is ready and on which loop."""

    def __init__(self, application: Application) -> None:
        settings = uvicorn.Config(
            application,
            http="httptools",
            loop="uvloop",
            lifespan="on",
            access_log=False,
            log_config=None,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
        )
        super().__init__(settings, application)
        self.ready = threading.Event()
        self.loop: asyncio.AbstractEventLoop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.loop = asyncio.get_running_loop()
            self.ready.set()
