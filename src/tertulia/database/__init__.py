"""The database as the server uses it: `await database.of(realm_id).read(…)`.

Async code ends here: actions are ordinary functions of a transaction. `org_database.py` has the
three methods that run them, `blocking.py` the same for commands.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from tertulia.database import notify_bus
from tertulia.database.blocking import BlockingDatabase
from tertulia.database.change_watch import Changed, OnNotice
from tertulia.database.fast_send import FastInsert, FastSend
from tertulia.database.interruption import Interruption
from tertulia.database.leader import LeaderDatabase
from tertulia.database.log_position import LogPosition
from tertulia.database.notify_bus import Broadcast, InMemory, LogProgress
from tertulia.database.org_database import Arguments, Keywords, OrgDatabase
from tertulia.database.readers import ReadConnections
from tertulia.database.revocation import Applier, RevocationBarrier
from tertulia.database.tx import Tx
from tertulia.database.write_queue import PendingWrite
from tertulia.database.writer import ComposeUpdates, FetchUpdates, WriterSetup, resolve
from tertulia.database.writer_pool import Deliver, Writers
from tertulia.database.yielding import RequestActivity
from tertulia.errors import outcome
from tertulia.errors.http import ServerStopping, ServiceUnavailable
from tertulia.fair_queue import SERVER, FairQueue, Person

__all__ = ["BlockingDatabase", "Database", "OrgDatabase"]

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


class Database:
    def __init__(self, blocking: BlockingDatabase) -> None:
        self.blocking = blocking
        self.dialect = blocking.dialect
        self.clock = blocking.clock
        self.health = blocking.health
        self.requests = RequestActivity()
        self._readers = ReadConnections(self.dialect)
        self.leader = LeaderDatabase(blocking, self._readers, self._listen_to_all)
        self._writers: Writers | None = None
        self._broadcast: Broadcast | None = None
        self._barrier: RevocationBarrier | None = None
        self._encode_sends: EncodeSends = _no_payloads
        self._prepare_fast: PrepareFast = _never_fast

    def of(self, realm_id: int, person: Person = SERVER) -> OrgDatabase:
        return OrgDatabase(self, realm_id, person)

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
        setup = WriterSetup(
            dialect=self.dialect,
            clock=self.clock,
            fetch_updates=fetch_updates,
            compose_updates=compose_updates,
            fast_insert=fast_insert,
            publish=self._publish_progress,
            health=self.health,
        )
        self._writers = Writers(setup, deliver)
        self._readers.start()
        if not self.dialect.is_embedded:
            revoked: OnNotice = _ignore
            if applier is not None:
                self._barrier = RevocationBarrier(self.dialect, self.of(0).query, applier)
                revoked = self._barrier.on_notice
            self._broadcast = Broadcast(self.dialect, revoked)

    async def watch(
        self, changed: Changed, on_ephemeral: OnNotice, on_sends: OnNotice, in_memory: InMemory
    ) -> None:
        """Report writes of other processes and notices of other servers, until cancelled. Notices
        about organizations that are not in memory may be left out."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.dialect.cluster.watch(changed))
            if self._broadcast is not None:
                tasks.create_task(
                    self._broadcast.listen(changed, on_ephemeral, on_sends, in_memory)
                )

    async def stop(self) -> None:
        if self._writers is not None:
            await self._writers.stop()
            self._writers = None
        if self._barrier is not None:
            self._barrier.close()  # it stays: answers of writes that were committed wait for it
        self._broadcast = None
        self.leader.resign()
        self._readers.stop()

    # --- what `OrgDatabase` calls ---

    async def run_read(
        self, db: OrgDatabase, query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T:
        def run(tx: Tx) -> T:
            return query(tx, *args, **keywords)

        if self.dialect.is_embedded and not db.is_in_thread:
            return self._readers.on_loop(
                lambda connection: self.blocking.read_on(connection, db.realm_id, run)
            )

        # Only the caller waits for this read, so long work in it yields to other requests.
        def read(connection: Any, interruption: Interruption) -> T:
            return self.blocking.read_on(connection, db.realm_id, run, self.requests, interruption)

        return await self._readers.interruptibly(db.person, read)

    async def run_query(
        self, db: OrgDatabase, query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T:
        def run(connection: Any) -> T:
            return self.blocking.query_on(
                connection, db.realm_id, lambda tx: query(tx, *args, **keywords)
            )

        if self.dialect.is_embedded:
            return self._readers.on_loop(run)
        return await self._readers.in_thread(db.person, run)

    async def run_write(self, db: OrgDatabase, action: Callable[..., T], args: Arguments) -> T:
        """The check runs before the action. A fast send needs none: it was prepared from a permit
        that every change of permissions ends."""
        if db.is_outside_log and not self.dialect.is_embedded:
            return await self.run_query(db, action, args, {})
        fast_send = self._prepare_fast(db.realm_id, action, args)
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        done = partial(resolve, answer)
        job = PendingWrite(
            action, args, db.realm_id, done, fast_send, db.check, db.person, db.prepare
        )
        self._submit(job)
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

    def _submit(self, job: PendingWrite) -> None:
        if self._writers is None:
            raise ServerStopping()
        self._writers.submit(job)

    # --- state ---

    @property
    def reads(self) -> FairQueue:  # only after `start`
        return self._readers.queue

    async def shrink_memory(self) -> None:
        """Free the page caches of SQLite's connections. PostgreSQL's are not in this process."""
        if self.dialect.is_embedded:
            with suppress(ServiceUnavailable):
                for run in (self.of(0).query, self.of(0).in_thread.read, self.of(0).write):
                    await run(_shrink_memory)

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

    def publish(self, realm_id: int, notice: bytes) -> None:
        """Send a notice to other servers on the same database, without a guarantee."""
        if self._broadcast is not None:
            self._broadcast.publish_ephemeral(realm_id, notice.decode())

    async def listen_to(self, realm_id: int) -> None:
        """Return when notices about an organization arrive, which is about to be read."""
        if self._broadcast is not None:
            await self._broadcast.listen_to(frozenset([notify_bus.bucket_of(realm_id)]))

    async def _listen_to_all(self) -> None:
        if self._broadcast is not None:
            await self._broadcast.listen_to()

    def _publish_progress(
        self, ends: dict[int, int], appended: list[tuple[LogPosition, Any]]
    ) -> None:
        """Publish how far logs go, and the fast sends that were appended."""
        if self._broadcast is None:
            return
        for bucket in {notify_bus.bucket_of(realm_id) for realm_id in ends}:
            own = {each: ends[each] for each in ends if notify_bus.bucket_of(each) == bucket}
            sends = [each for each in appended if each[1].realm_id in own]
            self._broadcast.publish(LogProgress(bucket, own, partial(self._encode_sends, sends)))


def _ignore(notice: str) -> None:
    """Used if there is no revocation barrier."""


def _shrink_memory(tx: Tx) -> None:
    tx.execute("PRAGMA shrink_memory")
