"""PostgreSQL 15 or newer, for several servers or large organizations.

Writers of one organization take turns: each locks its row in `log_head` until the commit, so the
order of the log is the order of commits. NOTIFY wakes other servers.
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import psycopg
from psycopg.rows import dict_row

from tertulia.database.dialect import BulkLoad, Cursor, Failures, SqlSpelling
from tertulia.database.dialects import (
    postgres_failures,
    postgres_installation,
    postgres_placeholders,
    postgres_sql,
)
from tertulia.database.dialects.postgres_async import AsyncConnection, OnNotification
from tertulia.database.dialects.postgres_bulk_load import PostgresBulkLoad
from tertulia.database.dialects.postgres_cluster import PostgresCluster
from tertulia.database.dialects.postgres_connection import Connection, Ids, IdsDumper
from tertulia.database.dialects.postgres_installation import UNKNOWN
from tertulia.database.dialects.postgres_sessions import WrongEncoding
from tertulia.database.dialects.postgres_watchdog import Watchdog

MAX_PREPARED_LIST = 16
CONNECT_SECONDS = 5  # for each host of the address
ANSWER_SECONDS = 3  # to connect, and then to say which sessions are at work

_TRY_LOCK = (
    "WITH free AS (SELECT 1 FROM log_head WHERE realm_id = :realm FOR NO KEY UPDATE SKIP LOCKED)"
    " SELECT EXISTS (SELECT 1 FROM free)"
    " OR NOT EXISTS (SELECT 1 FROM log_head WHERE realm_id = :realm) AS taken"
)
_IS_WAITED_FOR = (
    "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted"
    " AND pg_backend_pid() = ANY (pg_blocking_pids(pid))) AS waits"
)
_LOCK_SPACE = 0x7E27  # keeps our advisory locks apart from those of other programs


def _ignore(channel: str, notice: str) -> None:
    """For a connection without channels."""


def _close(connecting: "asyncio.Future[Connection]") -> None:
    """The connection was lost or is not needed any more."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().close()


class Postgres:
    name = "postgres"
    is_embedded = False
    sql: SqlSpelling = postgres_sql
    bulk_load: type[BulkLoad] = PostgresBulkLoad
    failures: Failures = postgres_failures
    durability: dict[str, str] = {"synchronous_commit": "on"}
    limits: dict[str, str] = {
        "idle_in_transaction_session_timeout": "5s",
        "lock_timeout": "5s",
        "statement_timeout": "60s",
    }
    max_statement_seconds = 70.0  # after which PostgreSQL has ended it, if it is not frozen
    # How long a process that stops inside a transaction can block its organization.
    write_limits: dict[str, str] = {"idle_in_transaction_session_timeout": "1500ms"}
    # Shorter than `deadlock_timeout`: a writer that locks an organization last gives up first.
    prepare_limits: dict[str, str] = write_limits | {"lock_timeout": "300ms"}
    migration_lock_timeout = "3s"
    append_limits: dict[str, str] = {"lock_timeout": "100ms"}

    def __init__(self, url: str) -> None:
        self.url = url
        self.node = secrets.token_hex(8)
        self.installation = UNKNOWN
        self.cluster = PostgresCluster(self)
        self._watchdog = Watchdog(self._working_sessions)

    def connect(
        self, *, to_serve: bool = False, also: Mapping[str, str] | None = None, suffix: str = ""
    ) -> Connection:
        """A new connection. A connection of a server has short timeouts, because others may wait
        for it.

        A server that stalls inside a transaction loses it after a few seconds, and with it the lock
        on its organization.
        """
        connection = self._connect(CONNECT_SECONDS, suffix)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            connection.close()
            raise WrongEncoding(str(encoding))
        if to_serve:
            connection.max_seconds = self.max_statement_seconds
        limits = {**(self.limits if to_serve else {}), **(also or {})}
        # PostgreSQL would JIT-compile for 50 ms what an index answers in 1 ms, and prefer a full
        # sort where it underestimates the number of rows.
        chosen = {**self.durability, "client_min_messages": "warning", "jit": "off"}
        chosen |= {"enable_bitmapscan": "off", **limits}
        self.command(connection, "; ".join(f"SET {name} = '{chosen[name]}'" for name in chosen))
        connection.prepare_threshold = 2
        connection.adapters.register_dumper(Ids, IdsDumper)
        self._identify(connection, suffix)  # the connection keeps this cursor
        return connection

    def _connect(self, seconds: int, suffix: str = "") -> Connection:
        connection = Connection.connect(
            self.url,
            autocommit=True,
            row_factory=dict_row,
            connect_timeout=seconds,
            # The host of a server that vanished is dropped after half a minute.
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
            tcp_user_timeout=30_000,
            application_name=self.installation.application_name(self.node) + suffix,
            client_encoding="UTF8",
        )
        self._watchdog.watch(connection)
        return connection

    def _working_sessions(self) -> set[int] | None:
        """For the watchdog: which sessions of this process run a statement."""
        try:
            connection = self._connect(ANSWER_SECONDS)
        except psycopg.OperationalError as error:
            if "FATAL" in str(error):  # for example, there are too many connections
                return None
            raise
        with connection:
            connection.max_seconds = ANSWER_SECONDS
            sql, params = self.installation.working_sessions_query(self.node)
            return {row["pid"] for row in self.run(connection, sql, params).fetchall()}

    def _identify(self, connection: Connection, suffix: str) -> None:
        """Find the installation of the database, once it has one, and handle a new timeline."""
        if not self.installation.id:
            self.installation = postgres_installation.find(connection)
            if self.installation.id:
                name = self.installation.application_name(self.node) + suffix
                self.command(connection, f"SET application_name = '{name}'")
        if self.installation.id:
            postgres_installation.enter(connection, self)

    async def connect_to_append(self) -> AsyncConnection:
        """A connection for fast sends; it waits only briefly for a lock."""
        return await self.on_loop(partial(self.connect, to_serve=True, also=self.append_limits))

    async def on_loop(
        self,
        connect: Callable[[], Connection],
        on_notification: OnNotification = _ignore,
    ) -> AsyncConnection:
        connecting = asyncio.get_running_loop().run_in_executor(None, self._with_timeline, connect)
        try:
            connection = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(_close)
            raise
        return AsyncConnection(
            connection,
            self.cluster.timeline(connection),
            lambda channel, notice: on_notification(self.cluster.name_of(channel), notice),
        )

    def _with_timeline(self, connect: Callable[[], Connection]) -> Connection:
        connection = connect()
        self.cluster.timeline(connection)
        return connection

    def connect_to_write(self, *, prepares: bool = False) -> Connection:
        limits = self.prepare_limits if prepares else self.write_limits
        return self.connect(to_serve=True, also=limits)

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
        cursor: Cursor = connection.run(postgres_placeholders.named(sql), *_bound(params))
        return cursor

    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None:
        connection.cursor().executemany(postgres_placeholders.named(sql), params)

    def tuples(self, cursor: Cursor) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in cursor.fetchall()]

    def command(self, connection: Any, sql: str) -> None:
        connection.execute_simple(sql)

    def begin_read(self, connection: Any) -> None:
        connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def end_read(self, connection: Any) -> None:
        connection.end_read()

    def begin_write(self, connection: Any) -> None:
        self.command(connection, "BEGIN")

    def begin_write_nowait(self, connection: Any) -> None:
        """Never called: the event loop does not wait for PostgreSQL."""
        raise NotImplementedError

    def lock_organization(self, connection: Any, realm_id: int) -> None:
        """Lock the row that assigns event numbers, so that fast sends and actions take turns."""
        if realm_id:
            sql = f"SELECT FROM log_head WHERE realm_id = {realm_id:d} FOR NO KEY UPDATE"
        else:
            sql = f"SELECT pg_advisory_xact_lock({self.installation.lock('all organizations')})"
        self.command(connection, sql)

    def lock_organization_last(self, connection: Any, realm_id: int) -> None:
        """Lock after rows were written. Raises an error at once if a transaction waits for them,
        because it may have locked the organization: PostgreSQL would end one of the two."""
        if connection.execute(_IS_WAITED_FOR).fetchone()["waits"]:
            raise psycopg.errors.LockNotAvailable("another transaction waits for this one")
        self.lock_organization(connection, realm_id)

    def try_lock_organization(self, connection: Any, realm_id: int) -> bool:
        """Lock without waiting; False if another transaction holds the lock."""
        key = self.installation.lock("all organizations")
        sql = _TRY_LOCK if realm_id else f"SELECT pg_try_advisory_xact_lock({key}) AS taken"
        return bool(self.run(connection, sql, {"realm": realm_id}).fetchone()["taken"])

    def limit_migration(self, connection: Any) -> None:
        """Wait only briefly for a table lock: running servers queue behind a waiting one."""
        self.command(connection, f"SET LOCAL lock_timeout = '{self.migration_lock_timeout}'")

    def lock_schema(self, connection: Any) -> None:
        """The lock is named after the schema: it may not contain an installation yet."""
        self.command(
            connection, f"SELECT pg_advisory_xact_lock({_LOCK_SPACE}, hashtext(current_schema()))"
        )

    def interrupt(self, connection: Any) -> None:
        with suppress(psycopg.Error):  # then the statement ends by itself, or with its timeout
            connection.cancel()

    def has_table(self, connection: Any, table: str) -> bool:
        found = connection.execute("SELECT to_regclass(%s) AS found", (table,)).fetchone()
        return found["found"] is not None

    def integrity_problems(self, connection: Any) -> list[str]:
        """Nothing to do: constraints are always on."""
        return []


def _bound(params: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool | None]:
    """The parameters of a statement, and whether to prepare it. Statements with lists are not
    prepared: a cached plan assumes short lists."""
    prepare = None
    for name, value in params.items():
        if type(value) is list and len(value) > MAX_PREPARED_LIST:
            prepare = False
            if type(value[0]) is int:
                params = {**params, name: Ids(value)}
    return params, prepare
