"""The database as the rest of the server uses it: `await db.read(…)`, `await db.write(…)`.

Async code ends here: actions are ordinary functions of a transaction. A read runs on the event loop
(SQLite) or on a thread (PostgreSQL). A write joins a batch and is answered after its commit.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from tertulia.database import schema
from tertulia.database.change_watch import Changed, OnNotice
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.database.fast_send import FastInsert, FastSend
from tertulia.database.leader import Leader
from tertulia.database.log_position import LogPosition
from tertulia.database.notify_bus import Broadcast, LogProgress
from tertulia.database.readers import ReadConnections
from tertulia.database.revocation import Applier, RevocationBarrier
from tertulia.database.schema import SchemaState
from tertulia.database.tx import Dialect, Tx
from tertulia.database.writer import Check, ComposeUpdates, FetchUpdates, PendingWrite, resolve
from tertulia.database.writer_pool import Deliver, Writers
from tertulia.database.yielding import RequestActivity
from tertulia.errors import outcome
from tertulia.errors.http import ServiceUnavailable
from tertulia.fair_queue import SERVER, FairQueue, Person

WAL_ATTEMPTS = 20
WAL_PAUSE_SECONDS = 0.25

P = ParamSpec("P")
T = TypeVar("T")

# Encodes fast sends as notices for other servers. Also returns, by organization, the last event up
# to which the notices contain everything.
EncodeSends = Callable[[list[tuple[LogPosition, Any]]], tuple[list[str], dict[int, int]]]

# Turns a write (organization, action, arguments) into a fast send, if it can.
PrepareFast = Callable[[int, Callable[..., Any], tuple[Any, ...]], FastSend | None]


def _no_payloads(appended: list[tuple[LogPosition, Any]]) -> tuple[list[str], dict[int, int]]:
    return [], {}


def _never_fast(
    realm_id: int, action: Callable[..., Any], args: tuple[Any, ...]
) -> FastSend | None:
    return None


class OrgDatabase:
    """The database of one organization; endpoints get it as `call.db`."""

    __slots__ = ("_check", "_database", "person", "realm_id")

    def __init__(
        self,
        database: "Database",
        realm_id: int,
        person: Person = SERVER,
        check: Check | None = None,
    ) -> None:
        """`check` runs in the transaction of each write, before the action. It may raise."""
        self._database = database
        self.realm_id = realm_id
        self.person = person  # whose turn in the fair queue reads on threads use
        self._check = check

    def checked_by(self, check: Check) -> "OrgDatabase":
        return OrgDatabase(self._database, self.realm_id, self.person, check)

    async def read(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._database.read_for(
            self.person, self.realm_id, lambda tx: query(tx, *args, **kwargs)
        )

    async def read_in_thread(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a read that may take long on a thread, so that the event loop stays free."""
        return await self._database.read_in_thread_for(
            self.person, self.realm_id, lambda tx: query(tx, *args, **kwargs)
        )

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._check is None:
            return await self._database.write_in(self.realm_id, action, *args, **kwargs)
        return await self._database.write_checked(
            self.realm_id, self._check, action, *args, **kwargs
        )

    def write_concurrently(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Future[T]:
        """Start a write that is not part of the log and can be repeated."""
        return self._database.write_concurrently_for(
            self.person, self.realm_id, lambda tx: action(tx, *args, **kwargs)
        )

    def write_later(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Write without an answer; a failure is ignored."""
        self._database.write_later_in(self.realm_id, lambda tx: action(tx, *args, **kwargs))


class Database:
    def __init__(self, dialect: Dialect, clock: Callable[[], float] | None = None) -> None:
        self.dialect = dialect
        self.requests = RequestActivity()
        self._own_clock = clock or dialect.own_clock()
        self._behind_seconds = 0.0  # how far our clock is behind the database's
        self._writers: Writers | None = None
        self._broadcast: Broadcast | None = None
        self._barrier: RevocationBarrier | None = None
        self._encode_sends: EncodeSends = _no_payloads
        self._prepare_fast: PrepareFast = _never_fast
        self._idle: list[Any] | None = None  # open connections, if `reuse_connections` was called

    @classmethod
    def at(cls, url: str, clock: Callable[[], float] | None = None) -> "Database":
        """`sqlite:///path` or `postgresql://…`."""
        if url.startswith("sqlite:///"):
            return cls(Sqlite(Path(url.removeprefix("sqlite:///"))), clock)
        # The PostgreSQL driver takes 0.15 seconds and 12 MB to import, so SQLite does without it.
        from tertulia.database.dialects.postgres import Postgres

        return cls(Postgres(url), clock)

    def of(self, realm_id: int, person: Person = SERVER) -> OrgDatabase:
        return OrgDatabase(self, realm_id, person)

    def clock(self) -> float:
        """The current time. Servers that share a database use the database's clock."""
        return self._own_clock() + self._behind_seconds

    def compare_clocks(self) -> float:
        """Measure by how many seconds our clock is behind the database's, and correct `clock` by
        it."""
        with self._connection() as connection:
            before = self._own_clock()
            theirs = self.dialect.time(connection)
            if theirs is not None:
                self._behind_seconds = theirs - (before + self._own_clock()) / 2
            return self._behind_seconds

    # --- at start and on the command line: no event loop, one call at a time ---

    def reuse_connections(self) -> None:
        """Reuse connections until `close`: opening one takes PostgreSQL a while."""
        self._idle = []

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        connection = self._idle.pop() if self._idle else self.dialect.connect()
        try:
            yield connection
        except BaseException:
            connection.close()  # it may be inside a transaction
            raise
        if self._idle is None:
            connection.close()
        else:
            self._idle.append(connection)

    def migrate(self) -> list[int]:
        """Bring the schema up to date. Returns the numbers of the migrations that were missing."""
        with self._connection() as connection:
            return schema.migrate(connection, self.dialect)

    def schema(self) -> SchemaState:
        """Which migrations the schema has."""
        with self._connection() as connection:
            return self._query(0, schema.find_state, connection)

    def integrity_problems(self) -> list[str]:
        """What the database's own integrity check finds, as texts."""
        with self._connection() as connection:
            return self.dialect.integrity_problems(connection)

    def has_peers(self) -> bool:
        """Whether another Tertulia process is connected."""
        with self._connection() as connection:
            return self.dialect.has_peers(connection)

    def truncate_wal(self) -> bool:
        """Remove erased data from SQLite's write-ahead log, too.

        A running reader blocks this. Returns False if one does for all attempts.
        """
        with self._connection() as connection:
            for _ in range(WAL_ATTEMPTS):
                if self.dialect.truncate_wal(connection):
                    return True
                time.sleep(WAL_PAUSE_SECONDS)
        return False

    def analyze(self) -> None:
        """Update the planner's statistics after a bulk load."""
        with self._connection() as connection:
            self.dialect.analyze(connection)

    def read_now(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        with self._connection() as connection:
            return self._read(realm_id, lambda tx: query(tx, *args, **kwargs), connection)

    def write_now(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run one action in a transaction of its own and commit it."""
        with self._connection() as connection:
            self.dialect.begin_write(connection)
            self.dialect.lock_organization(connection, realm_id)
            result = action(Tx(connection, self.dialect, realm_id, self.clock()), *args, **kwargs)
            self.dialect.notify_all(connection)
            self.dialect.command(connection, "COMMIT")
            return result

    # --- inside the server ---

    @cached_property
    def _readers(self) -> ReadConnections:
        return ReadConnections(self.dialect)

    @cached_property
    def _leader(self) -> Leader:
        return Leader(self.dialect, self.clock)

    def start(
        self,
        fetch_updates: FetchUpdates,
        deliver: Deliver,
        compose_updates: ComposeUpdates,
        fast_insert: FastInsert,
        encode_sends: EncodeSends = _no_payloads,
        applier: Applier | None = None,
        prepare_fast: PrepareFast = _never_fast,
    ) -> None:
        """Start the writers on the running event loop.

        After each commit `fetch_updates` reads the new events on the writer's thread, or
        `compose_updates` builds them from fast sends. Then `deliver(updates, respond)` is called on
        the loop, and calls `respond` when it is done. `prepare_fast` turns a write into a fast send
        if it can, and `encode_sends` encodes fast sends as notices for other servers. `applier`
        makes answers that revoke a credential wait for the other servers.
        """
        self._encode_sends = encode_sends
        self._prepare_fast = prepare_fast
        self._writers = Writers(
            self.dialect,
            self.clock,
            fetch_updates,
            deliver,
            compose_updates,
            fast_insert,
            self._publish_progress,
        )
        self._readers.start()
        if not self.dialect.is_embedded:
            revoked: OnNotice = _ignore
            if applier is not None:
                self._barrier = RevocationBarrier(self.dialect, partial(self.query, 0), applier)
                revoked = self._barrier.on_notice
            self._broadcast = Broadcast(self.dialect, revoked)

    async def watch(self, changed: Changed, on_ephemeral: OnNotice, on_sends: OnNotice) -> None:
        """Report writes of other processes and notices of other servers, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.dialect.watch(changed))
            if self._broadcast is not None:
                tasks.create_task(self._broadcast.listen(changed, on_ephemeral, on_sends))

    async def stop(self) -> None:
        if self._writers is not None:
            await self._writers.stop()
            self._writers = None
        if self._barrier is not None:
            self._barrier.close()
        self._broadcast = self._barrier = None
        self._leader.resign()
        self._readers.stop()

    @property
    def reads(self) -> FairQueue:  # only after `start`
        return self._readers.queue

    async def read_in(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self.read_for(SERVER, realm_id, lambda tx: query(tx, *args, **kwargs))

    async def read_for(self, person: Person, realm_id: int, query: Callable[[Tx], T]) -> T:
        """Read in a person's turn. Raises RateLimited."""
        if self.dialect.is_embedded:
            return self._readers.on_loop(partial(self._read, realm_id, query))
        return await self.read_in_thread_for(person, realm_id, query)

    async def query_as_leader(self, query: Callable[[Tx], T]) -> T | None:
        """Run one statement over all organizations; None if another server is the leader."""
        if self.dialect.is_embedded:
            return await self.query(0, query)
        try:
            return await self._readers.on_thread(SERVER, partial(self._leader.query, query))
        except Exception as error:
            if self.dialect.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    async def query(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a single statement, without a transaction."""
        run = partial(self._query, realm_id, lambda tx: query(tx, *args, **kwargs))
        if self.dialect.is_embedded:
            return self._readers.on_loop(run)
        return await self._readers.in_thread(SERVER, run)

    async def read_in_thread_in(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read on a thread, so that nothing else waits for it."""
        return await self.read_in_thread_for(
            SERVER, realm_id, lambda tx: query(tx, *args, **kwargs)
        )

    async def read_in_thread_for(
        self, person: Person, realm_id: int, query: Callable[[Tx], T]
    ) -> T:
        """Read on a thread in a person's turn. Only the caller waits for it, so long work yields
        to other requests. Raises RateLimited."""
        read = partial(self._read, realm_id, query, yields_to=self.requests)
        return await self._readers.in_thread(person, read)

    async def write_in(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self._write(realm_id, None, action, *args, **kwargs)

    async def write_checked(
        self,
        realm_id: int,
        check: Check,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a check and the action in one transaction. A fast send needs no check: it was
        prepared from a permit that every change of permissions ends."""
        return await self._write(realm_id, check, action, *args, **kwargs)

    def write_concurrently_for(
        self, person: Person, realm_id: int, action: Callable[[Tx], T]
    ) -> asyncio.Future[T]:
        """Start a write beside the writer. On SQLite, which has one writer, it joins a batch."""
        if self.dialect.is_embedded:
            return asyncio.ensure_future(self.write_in(realm_id, action))
        write = self._readers.in_thread(person, partial(self._query, realm_id, action))
        return asyncio.ensure_future(write)

    def write_later_in(self, realm_id: int, action: Callable[[Tx], Any]) -> None:
        assert self._writers is not None, "the database was not started"
        self._writers.submit(PendingWrite(action, (), realm_id, lambda job: None))

    async def _write(
        self,
        realm_id: int,
        check: Check | None,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        assert not kwargs, "actions take their arguments by position"
        fast_send = self._prepare_fast(realm_id, action, args)
        return await self._submit(realm_id, fast_send, check, action, *args)

    async def _submit(
        self,
        realm_id: int,
        fast_send: FastSend | None,
        check: Check | None,
        action: Callable[..., T],
        *args: Any,
    ) -> T:
        assert self._writers is not None, "the database was not started"
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        done = partial(resolve, answer)
        job = PendingWrite(action, args, realm_id, done, fast_send, check)
        self._writers.submit(job)
        try:
            with outcome.recorded_write:
                result = await answer
            if job.revoked and self._barrier is not None:
                await self._barrier.wait(job.revoked)
            return result
        finally:
            # The traceback of an error refers to this frame, and the frame would refer to the
            # error: a cycle.
            del answer

    async def shrink_memory(self) -> None:
        """Free the page caches of SQLite's connections. PostgreSQL's are not in this process."""
        if self.dialect.is_embedded:
            with suppress(ServiceUnavailable):
                for run in (self.query, self.read_in_thread_in, self.write_in):
                    await run(0, _shrink_memory)

    @property
    def is_shared(self) -> bool:
        """Whether other servers may write to this database; a SQLite file has one server."""
        return not self.dialect.is_embedded

    @property
    def may_have_peers(self) -> bool:
        """Whether another server may have written since we last looked."""
        return self._broadcast is not None and self._broadcast.may_have_peers

    @property
    def connected_at(self) -> float | None:
        """Since when other servers wait for our acknowledgement of revocations, by the monotonic
        clock; None if they do not."""
        return None if self._broadcast is None else self._broadcast.connected_at

    @property
    def busy_seconds(self) -> float:
        """How long the oldest running write has waited for its commit."""
        return 0.0 if self._writers is None else self._writers.busy_seconds

    @property
    def write_failure(self) -> str | None:
        return None if self._writers is None else self._writers.health.failure

    def publish(self, notice: bytes) -> None:
        """Send a notice to other servers on the same database, without a guarantee."""
        if self._broadcast is not None:
            self._broadcast.publish_ephemeral(notice.decode())

    def _publish_progress(
        self, ends: dict[int, int], appended: list[tuple[LogPosition, Any]]
    ) -> None:
        """Publish how far logs go, and the fast sends that were appended."""
        if self._broadcast is not None and ends:
            encode = partial(self._encode_sends, appended)
            self._broadcast.publish(LogProgress(ends, encode))

    def _read(
        self,
        realm_id: int,
        query: Callable[[Tx], T],
        connection: Any,
        yields_to: RequestActivity | None = None,
    ) -> T:
        self.dialect.begin_read(connection)
        try:
            return query(Tx(connection, self.dialect, realm_id, self.clock(), yields_to=yields_to))
        finally:
            self.dialect.end_read(connection)

    def _query(self, realm_id: int, query: Callable[[Tx], T], connection: Any) -> T:
        return query(Tx(connection, self.dialect, realm_id, self.clock()))


def _ignore(notice: str) -> None:
    """Used if there is no revocation barrier."""


def _shrink_memory(tx: Tx) -> None:
    tx.execute("PRAGMA shrink_memory")
