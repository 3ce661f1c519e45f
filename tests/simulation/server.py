"""One life of a simulated server: the whole application on a simulated disk, until it dies."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.simulation.disk import Disk
from tests.simulation.machine import CLOCK
from tests.simulation.schedule import Host
from tests.simulation.sqlite import SimulatedSqlite

from tertulia.app import Application
from tertulia.config import Config
from tertulia.database import Database
from tertulia.database.blocking import BlockingDatabase
from tertulia.domain.people.keys import Vault
from tertulia.fair_queue import QUEUE_STATES

DATABASE = "tertulia.db"
SECRET = bytes(range(32))


class Server:
    def __init__(self, name: str, disk: Disk, clock: Callable[[], float]) -> None:
        self.name, self.disk, self._clock = name, disk, clock
        self.host = Host(name)
        self.started_at = CLOCK.monotonic
        self.host.context.run(QUEUE_STATES.set, {})
        self.is_ready = False
        self.open: set[Any] = set()  # exchanges with clients
        self._is_stopping: asyncio.Event | None = None
        self.task: asyncio.Task[None] | None = None

    def start(self, on_end: Callable[["asyncio.Task[None]"], None]) -> None:
        loop = asyncio.get_running_loop()
        self.task = loop.create_task(self._live(), context=self.host.context.copy())
        self.task.add_done_callback(on_end)

    async def _live(self) -> None:
        self._is_stopping = asyncio.Event()
        dialect = SimulatedSqlite(self.disk.folder / DATABASE)
        database = Database(BlockingDatabase(dialect, self._clock))
        settings = {"data": self.disk.folder, "rate_limit": "off", "rate_limit_anonymous": "off"}
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
