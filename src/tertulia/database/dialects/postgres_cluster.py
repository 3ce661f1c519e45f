"""Several servers on one PostgreSQL: NOTIFY, the lock of the leader, the clock of the database."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from psycopg.conninfo import conninfo_to_dict

from tertulia.database import change_watch
from tertulia.database.change_watch import Changed
from tertulia.database.dialects import postgres_sessions
from tertulia.database.dialects.postgres_async import AsyncConnection, OnNotification
from tertulia.database.dialects.postgres_connection import Connection
from tertulia.database.dialects.postgres_installation import SERVING
from tertulia.database.notify_bus import LOG

if TYPE_CHECKING:
    from tertulia.database.dialects.postgres import Postgres

POLL_SECONDS = 1.0  # polling interval, in case a notification was lost
KEEPALIVE = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)
LEADER_TIMEOUT_SECONDS = 10  # if the leader is silent for this long, another server takes over

_ASYNCHRONOUS = (
    "replication is asynchronous: a failover loses the last messages (synchronous_standby_names)"
)

# Continues while the machine is suspended.
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _ignore(channel: str, notice: str) -> None:
    """For a connection without channels."""


class PostgresCluster:
    def __init__(self, dialect: "Postgres") -> None:
        self._dialect = dialect

    def channel(self, name: str) -> str:
        return self._dialect.installation.channel(name)

    def name_of(self, channel: str) -> str:
        return channel.rpartition("_")[0]

    async def connect_on_loop(
        self, on_notification: OnNotification = _ignore, channels: Sequence[str] = ()
    ) -> AsyncConnection:
        """A connection for the event loop, without a thread. It receives the notifications of the
        channels, and announces us there."""
        return await self._dialect.on_loop(
            partial(self._connect_to_listen, channels), on_notification
        )

    def _connect_to_listen(self, channels: Sequence[str]) -> Connection:
        # The name lists us among the servers that acknowledge revocations. PostgreSQL drops a host
        # that has vanished after half a minute, so that others stop waiting for it.
        connection = self._dialect.connect(to_serve=True, suffix=SERVING if channels else "")
        self._dialect.command(connection, KEEPALIVE)
        if channels:
            listen = (f"LISTEN {self.channel(channel)}" for channel in channels)
            self._dialect.command(connection, "; ".join(listen))
        if channels:  # notifications need not be durable
            self._dialect.command(
                connection,
                f"SET synchronous_commit = off; NOTIFY {self.channel(LOG)}, '{self._dialect.node}'",
            )
        return connection

    def connect_for_leader(self) -> Connection:
        """The leader's connection. PostgreSQL closes it if it is silent."""
        connection = self._dialect.connect(to_serve=True)
        self._dialect.command(connection, f"SET idle_session_timeout = '{LEADER_TIMEOUT_SECONDS}s'")
        return connection

    def try_lead(self, connection: Any) -> bool:
        key = self._dialect.installation.lock("leader")
        found = connection.execute(f"SELECT pg_try_advisory_lock({key}) AS taken")
        taken: bool = found.fetchone()["taken"]
        return taken

    def resign(self, connection: Any) -> None:
        self._dialect.command(connection, "SELECT pg_advisory_unlock_all()")

    def notify_all(self, connection: Any) -> None:
        self._dialect.command(connection, f"NOTIFY {self.channel(LOG)}")

    def peers_query(self) -> tuple[str, dict[str, Any]]:
        """A statement that returns a row if other servers or commands are connected."""
        return self._dialect.installation.peers_query(self._dialect.node)

    def serving_nodes_query(self) -> tuple[str, dict[str, Any]]:
        return self._dialect.installation.serving_nodes_query()

    def has_peers(self, connection: Any) -> bool:
        sql, params = self.peers_query()
        return self._dialect.run(connection, sql, params).fetchone() is not None

    def has_servers(self, connection: Any) -> bool:
        sql, params = self._dialect.installation.servers_query(self._dialect.node)
        return self._dialect.run(connection, sql, params).fetchone() is not None

    async def watch(self, changed: Changed) -> None:
        """Poll now and then, in case a notification was lost."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await changed(None)
            except Exception as error:
                change_watch.log_failure(error, is_outage=False)

    def timeline(self, connection: Any) -> str:
        """The current timeline, which changes whenever a standby takes over or a backup is
        restored.

        The new timeline may lack the last commits. No connection survives such a change, so a
        connection asks once.
        """
        line: str = connection.timeline
        return f"@{line}"

    def check_fitness(self) -> None:
        """Raises SessionsShared."""
        with self._dialect.connect() as one, self._dialect.connect() as another:
            postgres_sessions.check(one, another)

    def failover_problems(self, connection: Any) -> list[str]:
        """Why a failover would lose messages, if the address names several hosts."""
        if "," not in str(conninfo_to_dict(self._dialect.url).get("host")):
            return []
        found = connection.execute(
            "SELECT current_setting('synchronous_standby_names') <> '' AS waits,"
            " EXISTS (SELECT FROM pg_stat_replication) AS has_standby"
        ).fetchone()
        if not found["has_standby"]:
            return ["the primary has no standby: a failure of its machine loses everything"]
        return [] if found["waits"] else [_ASYNCHRONOUS]

    def own_clock(self) -> Callable[[], float]:
        """A monotonic clock: a change of this machine's clock has no effect. The distance to the
        database's clock is measured every minute."""
        began = time.time() - _stopwatch()
        return lambda: began + _stopwatch()

    def time(self, connection: Any) -> float | None:
        row = connection.execute("SELECT extract(epoch FROM clock_timestamp()) AS now").fetchone()
        return float(row["now"])


def _stopwatch() -> float:
    return time.clock_gettime(_BOOT_CLOCK)
