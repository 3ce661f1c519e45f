"""A SQLite file has one server; commands that write to it are found by polling."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Any

from tertulia.database import change_watch
from tertulia.database.change_watch import Changed
from tertulia.database.dialects import sqlite_failures

POLL_SECONDS = 0.1


class SqliteCluster:
    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect

    def channel(self, name: str) -> str:
        """Never called: a file has one server."""
        return name

    async def connect_on_loop(
        self, on_notification: Any = None, channels: Sequence[str] = ()
    ) -> Any:
        """Never called: the event loop reads the file itself."""
        raise NotImplementedError

    def connect_for_leader(self) -> sqlite3.Connection:
        return self._connect()

    def try_lead(self, connection: Any) -> bool:
        """Always: a file has one server."""
        return True

    def resign(self, connection: Any) -> None:
        """Nothing to do: a file has one server."""

    def notify_all(self, connection: Any) -> None:
        """Nothing to do: other processes poll `PRAGMA data_version`."""

    def peers_query(self) -> tuple[str, dict[str, Any]]:
        """Never called: a file has one server."""
        raise NotImplementedError

    def serving_nodes_query(self) -> tuple[str, dict[str, Any]]:
        """Never called: a file has one server."""
        raise NotImplementedError

    def has_peers(self, connection: Any) -> bool:
        """Always False: the lock on the folder keeps other servers away."""
        return False

    has_servers = has_peers

    async def watch(self, changed: Changed) -> None:
        """Poll a few times a second whether the file has changed."""
        connection = self._connect()
        try:
            known = self.data_version(connection)
            while True:
                await asyncio.sleep(POLL_SECONDS)
                try:
                    version = self.data_version(connection)
                    if version != known:
                        await changed(None)
                        known = version
                except Exception as error:
                    change_watch.log_failure(error, sqlite_failures.is_outage(error))
        finally:
            connection.close()

    def timeline(self, connection: Any) -> str:
        """Empty: a file has one timeline. `tertulia restore` begins a new epoch."""
        return ""

    def check_fitness(self) -> None:
        """Nothing to do: no pooler is involved."""

    def failover_problems(self, connection: Any) -> list[str]:
        """None: a file has no standby."""
        return []

    def own_clock(self) -> Callable[[], float]:
        return time.time

    def time(self, connection: Any) -> float | None:
        """None: SQLite has no clock of its own."""
        return None

    def data_version(self, connection: Any) -> int:
        """A number that changes whenever another connection commits."""
        version: int = connection.execute("PRAGMA data_version").fetchone()[0]
        return version
