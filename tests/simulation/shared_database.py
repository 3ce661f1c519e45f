"""A database for several servers: one SQLite file that behaves like PostgreSQL.

Each server has sessions. A write waits for the lock of the file, for a limited time. A session ends
with its process, when it is silent inside a transaction, and now and then for no reason; then the
outcome of its COMMIT is unknown. Notices between servers are delayed, lost, repeated and reordered.
One session at a time holds the lock of the leader.

No thread gives way inside of SQLite, so the sessions of a dead server can always be closed.
"""

import asyncio
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tests.simulation.machine import CLOCK, Running, sleep
from tests.simulation.schedule import Host, Schedule
from tests.simulation.sqlite import Connection, Cursor, SimulatedSqlite

from tertulia.database.dialects import sqlite_failures
from tertulia.database.dialects.postgres_cluster import LEADER_TIMEOUT_SECONDS, PostgresCluster
from tertulia.database.fast_send import FastSend
from tertulia.database.log_position import LogPosition
from tertulia.database.notify_bus import LOG
from tertulia.database.tx import Tx
from tertulia.storage.messages import fast_insert

LOCK_SECONDS = 5.0  # that a write waits for the lock
APPEND_LOCK_SECONDS = 0.1  # the same for a fast send
TRANSACTION_SECONDS = 1.5  # a transaction ends if its server is silent for so long
VANISHED_SECONDS = 25.0  # until the sessions of a host that has vanished end
RETRY_SECONDS = 0.005  # between two attempts to get a lock
PARK_SHARE = 0.02  # of statements before which a thread gives way
TIMELINE = "@1"

OnNotification = Callable[[str, str], None]


class SessionLost(sqlite3.OperationalError):
    """The connection is lost. `is_unknown`: a commit may have been done."""

    def __init__(self, *, is_unknown: bool) -> None:
        super().__init__("the connection to the database was lost")
        self.is_unknown = is_unknown


class LockTimeout(sqlite3.OperationalError):
    """Another session held a lock for too long."""


@dataclass(frozen=True)
class Chaos:
    """How often something goes wrong between the servers and the database, as shares."""

    lost_commits: float = 0.0  # sessions that are lost during a commit
    lost_notices: float = 0.0
    repeated_notices: float = 0.0


class SharedDatabase:
    """The database's side: its sessions, the lock of the leader, and who listens to notices."""

    def __init__(self, schedule: Schedule, rng: random.Random, path: Path, chaos: Chaos) -> None:
        self.path = path
        self.rng = rng
        self.chaos = chaos
        self.schedule = schedule
        self.sessions: list[Session] = []
        self.listeners: list[LoopSession] = []
        self._leader: Session | None = None

    # --- the leader ---

    def try_lead(self, session: "Session") -> bool:
        leader = self._leader
        if leader is not None and leader is not session:
            if CLOCK.monotonic - leader.used_at <= LEADER_TIMEOUT_SECONDS:
                return False
            leader.end()
        self._leader = session
        return True

    def resign(self, session: "Session") -> None:
        if self._leader is session:
            self._leader = None

    def is_led_by(self, session: "Session") -> bool:
        return self._leader is session

    # --- hosts ---

    def drop(self, host: Host) -> None:
        """End the sessions of a process that has ended."""
        for session in [each for each in self.sessions if each.host is host]:
            session.end()

    def notice_silence(self, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        """A host does not answer: end its transactions, and all its sessions if it is dead."""

        def end_transactions() -> None:
            for session in [each for each in self.sessions if each.host is host]:
                if host.is_silent and session.raw.in_transaction:
                    session.end()

        def end_all() -> None:
            if not host.is_alive:
                self.drop(host)

        loop.call_later(TRANSACTION_SECONDS, end_transactions)
        loop.call_later(VANISHED_SECONDS, end_all)

    def nodes(self, *, serving: bool) -> set[str]:
        """The servers with a session, or with a session that listens."""
        listening = [each.session for each in self.listeners if each.channels]
        return {each.node for each in (listening if serving else self.sessions)}

    # --- notices ---

    def notify(self, channel: str, notice: str) -> None:
        for listener in self.listeners:
            if channel not in listener.channels:
                continue
            copies = 1 + (self.rng.random() < self.chaos.repeated_notices)
            for _ in range(copies):
                if self.rng.random() >= self.chaos.lost_notices:
                    listener.receive_later(self.schedule.delay(), channel, notice)


class Session(Connection):
    """A connection of a server. `deadline_seconds` is how long a statement waits for a lock."""

    def __init__(self, database: SharedDatabase, host: Host, node: str) -> None:
        super().__init__(database.path)
        self.raw.set_busy_timeout(0)
        self.host, self.node = host, node
        self.used_at = CLOCK.monotonic
        self.is_lost = False
        self.is_for_leader = False
        self.on_end: Callable[[], None] = lambda: None
        self.database = database
        database.sessions.append(self)
        self.create_function("pg_notify", 2, self._notify)
        self.create_function("set_config", 3, lambda *_: None)
        self.create_function("other_nodes", 0, self._other_nodes)
        self.create_function("serving_nodes", 0, self._serving_nodes)

    def _notify(self, channel: str, notice: str) -> None:
        self.database.notify(channel, notice)

    def _other_nodes(self) -> int:
        return len(self.database.nodes(serving=False) - {self.node})

    def _serving_nodes(self) -> str:
        return msgspec.json.encode(sorted(self.database.nodes(serving=True))).decode()

    def set_busy_timeout(self, milliseconds: int) -> None:
        """`execute` waits for locks, so that other threads run meanwhile."""

    def execute(self, sql: str, params: Mapping[str, Any] | Sequence[Any] = ()) -> Cursor:
        if self.database.rng.random() < PARK_SHARE:
            self.travel()
        self.check()
        if self.is_for_leader and not self.database.is_led_by(self):
            self.database.schedule.report("a server does the leader's work and is not the leader")
        end = CLOCK.monotonic + LOCK_SECONDS
        while True:
            try:
                return super().execute(sql, params)
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if CLOCK.monotonic > end:
                    raise LockTimeout from None
            sleep(RETRY_SECONDS)
            self.check()

    def try_begin(self) -> bool:
        """Begin a write if no other session writes."""
        self.check()
        try:
            super().execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        return True

    def commit(self) -> None:
        """The connection may be lost before or after the commit; its outcome is unknown then."""
        self.travel()
        self.check()
        self.maybe_lose()
        super().execute("COMMIT")
        self.maybe_lose()
        self.travel()
        self.check(is_unknown=True)

    def maybe_lose(self) -> None:
        if self.database.rng.random() < self.database.chaos.lost_commits:
            self.end()
            raise SessionLost(is_unknown=True)

    def check(self, *, is_unknown: bool = False) -> None:
        self.used_at = CLOCK.monotonic
        if self.is_lost:
            raise SessionLost(is_unknown=is_unknown)

    def travel(self) -> None:
        """Other threads run while a statement is on its way."""
        thread = Running.thread
        if thread is not None:
            self.database.schedule.wake(thread)
            thread.park()

    def end(self) -> None:
        """The database ends the session, and rolls its transaction back."""
        if not self.is_lost:
            self.is_lost = True
            self.database.sessions.remove(self)
            self.database.resign(self)
            self.raw.close(True)
            self.on_end()

    def close(self) -> None:
        self.end()


class LoopSession:
    """A session of the event loop (`AsyncQueries`): it listens, notifies and appends."""

    timeline = TIMELINE

    def __init__(
        self, session: Session, embedded: "SharedSqlite", on_notification: OnNotification
    ) -> None:
        self.session = session
        self.channels: Sequence[str] = ()
        self._embedded = embedded
        self._on_notification = on_notification
        self._turn = asyncio.Lock()
        self._lost = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        session.on_end = self._on_end

    def listen(self, channels: Sequence[str]) -> None:
        self.channels = channels
        self.session.database.listeners.append(self)

    def _on_end(self) -> None:
        if self in self.session.database.listeners:
            self.session.database.listeners.remove(self)
        # The server learns it a moment later.
        self._loop.call_soon(self._lost.set, context=self.session.host.context.copy())

    def receive_later(self, seconds: float, channel: str, notice: str) -> None:
        context = self.session.host.context.copy()
        self._loop.call_later(seconds, self._receive, channel, notice, context=context)

    def _receive(self, channel: str, notice: str) -> None:
        if not self.session.is_lost:
            self._on_notification(channel, notice)

    @property
    def is_lost(self) -> bool:
        return self._lost.is_set()

    def is_open(self) -> bool:
        return not self.session.is_lost

    async def wait_until_lost(self) -> None:
        await self._lost.wait()

    def close(self) -> None:
        self.session.close()

    async def execute(self, sql: str, params: Mapping[str, Any]) -> list[Any]:
        async with self._turn:
            try:
                await self._travel()
                if "json_array_elements" in sql:
                    for channel, notice in msgspec.json.decode(params["notices"]):
                        self.session.database.notify(channel, notice)
                    rows = []
                elif "INSERT INTO message" in sql:
                    rows = await self._append(params)
                else:
                    rows = self.session.execute(sql, params).fetch_tuples()
                await self._travel()
            except asyncio.CancelledError:
                self.close()
                raise
            return rows

    async def _travel(self) -> None:
        await asyncio.sleep(self.session.database.schedule.delay())
        self.session.check(is_unknown=True)

    async def _append(self, params: Mapping[str, Any]) -> list[Any]:
        """What the statement of `fast_insert.as_one_statement` does: of several organizations it
        skips those that are locked."""
        heads = [{"realm_id": params["realm"], **params}] if "realm" in params else None
        heads = heads or msgspec.json.decode(params["heads"])
        end = CLOCK.monotonic + APPEND_LOCK_SECONDS
        while not self.session.try_begin():
            if len(heads) > 1:
                return []
            if CLOCK.monotonic > end:
                raise LockTimeout
            await asyncio.sleep(RETRY_SECONDS)
        given: list[Any] = []
        rows = msgspec.json.decode(params["rows"])
        try:
            for head in heads:
                tx = Tx(self.session, self._embedded, head["realm_id"], params["now"])
                ids = fast_insert.append(tx, list(_sends(rows, head))) or []
                given += [(tx.realm_id, each.message_id, each.seq, each.stamp) for each in ids]
            self.session.maybe_lose()
            self.session.execute("COMMIT")
            self.session.maybe_lose()
        except sqlite3.Error:
            if not self.session.is_lost:
                self.session.execute("ROLLBACK")
            raise
        return given


def _sends(rows: list[dict[str, Any]], head: Mapping[str, Any]) -> Iterator[FastSend]:
    """The fast sends from which a statement was made."""
    position = LogPosition(head["known"], head["epoch"])
    for row in rows:
        if row["organization"] == head["realm_id"]:
            key = row["key"] and (row["key"], bytes.fromhex(row["fingerprint"]))
            added = ("organization", "place", "audience", "payload", "key", "fingerprint")
            sent = {name: value for name, value in row.items() if name not in added}
            yield FastSend(position, sent, row["audience"], row["payload"], key, _nothing, _nothing)


def _nothing(ids: Any) -> None:
    """The server makes the event itself."""


class SharedFailures:
    """What the errors mean; see `postgres_failures`."""

    damage = staticmethod(sqlite_failures.damage)
    migration_conflict = staticmethod(sqlite_failures.migration_conflict)

    @staticmethod
    def is_outage(error: BaseException) -> bool:
        return isinstance(error, (SessionLost, LockTimeout))

    @staticmethod
    def is_lock_timeout(error: BaseException) -> bool:
        return isinstance(error, LockTimeout)

    @staticmethod
    def may_have_committed(error: BaseException) -> bool:
        return isinstance(error, SessionLost) and error.is_unknown

    @staticmethod
    def disk_failure(error: BaseException) -> str | None:
        return None


class SharedCluster(PostgresCluster):
    """Polling is that of PostgreSQL; a server's clock is wrong, and the database's is right."""

    def __init__(self, dialect: "SharedSqlite", database: SharedDatabase) -> None:
        self._shared, self._database = dialect, database

    def channel(self, name: str) -> str:
        return name

    async def connect_on_loop(
        self, on_notification: Any = None, channels: Sequence[str] = ()
    ) -> Any:
        await asyncio.sleep(self._database.schedule.delay())
        session = self._shared.connect(to_serve=True)
        connection = LoopSession(session, self._shared.embedded(), on_notification)
        if channels:
            connection.listen(channels)
            self._database.notify(LOG, self._shared.node)
        return connection

    def connect_for_leader(self) -> Any:
        session = self._shared.connect(to_serve=True)
        session.is_for_leader = True
        return session

    def try_lead(self, connection: Any) -> bool:
        connection.travel()
        connection.check()
        return self._database.try_lead(connection)

    def resign(self, connection: Any) -> None:
        self._database.resign(connection)

    def notify_all(self, connection: Any) -> None:
        self._database.notify(LOG, "")

    def peers_query(self) -> tuple[str, dict[str, Any]]:
        return "SELECT 1 WHERE other_nodes() > 0", {}

    def serving_nodes_query(self) -> tuple[str, dict[str, Any]]:
        return "SELECT value AS node FROM json_each(serving_nodes())", {}

    def has_servers(self, connection: Any) -> bool:
        return self.has_peers(connection)

    def has_peers(self, connection: Any) -> bool:
        return bool(self._database.nodes(serving=False) - {self._shared.node})

    def check_fitness(self) -> None:
        """Nothing to do."""

    def time(self, connection: Any) -> float | None:
        return CLOCK.wall()

    def timeline(self, connection: Any) -> str:
        return TIMELINE


class SharedSqlite(SimulatedSqlite):
    is_embedded = False
    failures = SharedFailures()

    def __init__(self, database: SharedDatabase, host: Host) -> None:
        super().__init__(database.path)
        self.node = host.name.replace(" ", "-")
        self._database, self._host = database, host
        self.cluster: Any = SharedCluster(self, database)

    def embedded(self) -> "SharedSqlite":
        """The same for `fast_insert.append`, whose SQL is that of an embedded database."""
        dialect = SharedSqlite(self._database, self._host)
        dialect.is_embedded = True
        return dialect

    def _open(self) -> Any:
        return Session(self._database, self._host, self.node)

    def connect(self, *, to_serve: bool = False) -> Any:
        return super().connect(to_serve=to_serve)

    async def connect_to_append(self) -> Any:
        return await self.cluster.connect_on_loop(_ignore)

    def command(self, connection: Any, sql: str) -> None:
        connection.check()
        if sql == "COMMIT" and connection.raw.in_transaction:
            connection.commit()
        elif sql not in ("COMMIT", "ROLLBACK") or connection.raw.in_transaction:
            connection.execute(sql)

    def interrupt(self, connection: Any) -> None:
        if not connection.is_lost:
            connection.interrupt()

    def begin_read(self, connection: Any) -> None:
        connection.travel()
        connection.execute("BEGIN")

    def end_read(self, connection: Any) -> None:
        if not connection.is_lost:
            connection.execute("ROLLBACK")

    def begin_write(self, connection: Any) -> None:
        """The transaction begins with the lock of its first organization."""
        connection.travel()
        connection.check()

    def lock_organization(self, connection: Any, realm_id: int) -> None:
        if not connection.raw.in_transaction:
            connection.execute("BEGIN IMMEDIATE")

    def try_lock_organization(self, connection: Any, realm_id: int) -> bool:
        return bool(connection.raw.in_transaction or connection.try_begin())


def _ignore(channel: str, notice: str) -> None:
    """For a session without channels."""
