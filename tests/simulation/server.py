"""One life of a simulated server: the whole application, until it dies."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.simulation.schedule import Host

from tertulia.app import Application
from tertulia.config import Config
from tertulia.database import Database
from tertulia.database.blocking import BlockingDatabase
from tertulia.database.dialect import Dialect
from tertulia.domain.people.keys import Vault
from tertulia.fair_queue import QUEUE_STATES

DATABASE = "tertulia.db"
SECRET = bytes(range(32))


class Server:
    """`connect` makes the dialect by which a host reaches its database."""

    def __init__(
        self,
        name: str,
        folder: Path,
        connect: Callable[[Host], Dialect],
        clock: Callable[[], float],
    ) -> None:
        self.name, self._folder, self._clock = name, folder, clock
        self.host = Host(name)
        self._dialect = connect(self.host)
        self.host.context.run(QUEUE_STATES.set, {})
        self.is_ready = False
        self.has_died = asyncio.Event()
        self.open: set[Any] = set()  # exchanges with clients
        self._is_stopping: asyncio.Event | None = None
        self.task: asyncio.Task[None] | None = None

    def start(self, on_end: Callable[["asyncio.Task[None]"], None]) -> None:
        loop = asyncio.get_running_loop()
        self.task = loop.create_task(self._live(), context=self.host.context.copy())
        self.task.add_done_callback(on_end)

    async def _live(self) -> None:
        self._is_stopping = asyncio.Event()
        database = Database(BlockingDatabase(self._dialect, self._clock))
        database.blocking.compare_clocks()
        settings = {
            "data": self._folder,
            "rate_limit": "off",
            "rate_limit_anonymous": "off",
            "smtp_host": "mail.example.com",
            "smtp_security": "none",
            "external_url": "http://localhost",
        }
        config = Config.written(settings, "the settings of the simulation")
        self.app = Application(config, database, Vault(SECRET))
        async with self.app.running():
            self.is_ready = True
            await self._is_stopping.wait()
            self.is_ready = False
            self.app.shutdown()

    def stop(self) -> None:
        """Let it end in order."""
        if self._is_stopping is not None:
            self._is_stopping.set()

    def break_connections(self) -> None:
        self.is_ready = False
        for exchange in sorted(self.open, key=lambda each: each.number):
            exchange.break_off()
        self.open.clear()
