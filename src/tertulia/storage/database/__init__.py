"""The database as the rest of the server sees it: `await db.read(…)`, `await db.write(…)`.

Here the async world ends. Actions are ordinary functions of a transaction. A read happens on
the loop where that is faster than a thread (SQLite) and in a thread where it would block
(PostgreSQL); a write joins the next gathering and is answered after its commit.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from tertulia import storage
from tertulia.errors.http import ServiceUnavailable
from tertulia.modules import on_demand
from tertulia.storage.database.broadcast import Broadcast
from tertulia.storage.database.dialects.sqlite import Sqlite
from tertulia.storage.database.schema import Standing
from tertulia.storage.database.tx import Dialect, Tx
from tertulia.storage.database.writer import (
    ComposeNews,
    FetchNews,
    Gathering,
    PendingWrite,
    Writer,
)
from tertulia.storage.messages.appending import PlainSend

if TYPE_CHECKING:
    from tertulia.storage.database import broadcast, dialects, outages, schema, tx, watching, writer
else:
    __getattr__ = on_demand(__name__)


P = ParamSpec("P")
T = TypeVar("T")

READERS = 4  # threads that read from PostgreSQL; with SQLite, one for what may take long


class Bound:
    """The database of one organization: what an endpoint is given as `call.db`."""

    __slots__ = ("_database", "realm_id")

    def __init__(self, database: "Database", realm_id: int) -> None:
        self._database = database
        self.realm_id = realm_id

    async def read(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._database.read_in(self.realm_id, query, *args, **kwargs)

    async def read_aside(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Read what may take long, while others are served."""
        return await self._database.read_aside_in(self.realm_id, query, *args, **kwargs)

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._database.write_in(self.realm_id, action, *args, **kwargs)

    async def send(
        self,
        plain: PlainSend | None,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Write an action that can be done in a plainer way, as far as is known."""
        return await self._database.send_in(self.realm_id, plain, action, *args, **kwargs)


class Database:
    def __init__(self, dialect: Dialect, clock: Callable[[], float] = time.time) -> None:
        self.dialect = dialect
        self._own_clock = clock
        self._behind_seconds = 0.0  # our clock, behind that of the database
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reader: Any = None
        self._writer: Writer | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._readers: dict[int, Any] = {}  # the connection of each reading thread
        self._broadcast: Broadcast | None = None

    @classmethod
    def at(cls, url: str, clock: Callable[[], float] = time.time) -> "Database":
        """`sqlite:///path` or `postgresql://…`."""
        if url.startswith("sqlite:///"):
            return cls(Sqlite(Path(url.removeprefix("sqlite:///"))), clock)
        # PostgreSQL's driver takes a fifth of a second to load: only for those who use it.
        postgres = import_module("tertulia.storage.database.dialects.postgres")
        return cls(postgres.Postgres(url), clock)

    def of(self, realm_id: int) -> Bound:
        return Bound(self, realm_id)

    def clock(self) -> float:
        """The time that counts: where several servers share a database, it is the database's."""
        return self._own_clock() + self._behind_seconds

    def compare_clocks(self) -> float:
        """By how many seconds our own clock is behind the database's, which counts from now on."""
        connection = self.dialect.connect()
        try:
            before = self._own_clock()
            told = self.dialect.time(connection)
            if told is not None:
                self._behind_seconds = told - (before + self._own_clock()) / 2
            return self._behind_seconds
        finally:
            connection.close()

    # --- at start and on the command line: no loop, one call at a time ---

    def migrate(self) -> list[int]:
        """Bring the schema up to date; gives the numbers of the migrations that were missing."""
        connection = self.dialect.connect()
        try:
            return storage.database.schema.migrate(connection, self.dialect)
        finally:
            connection.close()

    def schema(self) -> Standing:
        """What is there of the schema."""
        connection = self.dialect.connect()
        try:
            return storage.database.schema.standing(connection, self.dialect)
        finally:
            connection.close()

    def integrity_problems(self) -> list[str]:
        """What the database finds wrong with itself, in words."""
        connection = self.dialect.connect()
        try:
            return self.dialect.integrity_problems(connection)
        finally:
            connection.close()

    def has_others(self) -> bool:
        """Whether another Tertulia is connected to it."""
        connection = self.dialect.connect()
        try:
            return self.dialect.has_others(connection)
        finally:
            connection.close()

    def tidy(self) -> None:
        """Let the database look at itself, after very much has been written at once."""
        connection = self.dialect.connect()
        try:
            self.dialect.tidy(connection)
        finally:
            connection.close()

    def read_now(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        connection = self.dialect.connect()
        try:
            return self._read(connection, realm_id, query, args, kwargs)
        finally:
            connection.close()

    def write_now(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run one action in a transaction of its own and commit it."""
        connection = self.dialect.connect()
        try:
            self.dialect.begin_write(connection)
            self.dialect.lock_organization(connection, realm_id)
            result = action(Tx(connection, self.dialect, realm_id, self.clock()), *args, **kwargs)
            self.dialect.tell_everybody(connection)
            self.dialect.command(connection, "COMMIT")
            return result
        finally:
            connection.close()

    # --- inside the server ---

    def start(
        self,
        fetch_news: FetchNews,
        deliver: Callable[[Any, Callable[[], None]], None],
        compose_news: ComposeNews,
    ) -> None:
        """Begin to serve the running loop.

        After each commit `fetch_news` reads what it made, on the writer's thread, or
        `compose_news` puts it together from plain sends; then `deliver(news, answer)` is called on
        the loop and answers the callers when it is done.
        """
        loop = asyncio.get_running_loop()
        self._loop = loop

        def hand_over(gathering: Gathering) -> None:
            loop.call_soon_threadsafe(deliver, gathering.news, gathering.answer)

        self._writer = Writer(
            self.dialect, self.clock, fetch_news, hand_over, compose_news, self._tell_of
        )
        self._writer.start()
        readers = 1 if self.dialect.reads_block else READERS
        self._threads = ThreadPoolExecutor(readers, thread_name_prefix="reader")
        if not self.dialect.reads_block:
            self._broadcast = Broadcast(self.dialect)
            self._broadcast.start()

    def stop(self) -> None:
        if self._writer is not None:
            self._writer.stop()
            self._writer = None
        if self._broadcast is not None:
            self._broadcast.stop()
            self._broadcast = None
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
            for thread in list(self._readers):
                self._close_reader(thread)
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    async def read_in(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        if self.dialect.reads_block:
            return self._read_here(realm_id, query, args, kwargs)
        return await self.read_aside_in(realm_id, query, *args, **kwargs)

    async def read_aside_in(
        self,
        realm_id: int,
        query: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """On a thread, so that nobody else waits for it."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._read_in_thread, realm_id, query, args, kwargs
        )

    async def write_in(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self.send_in(realm_id, None, action, *args, **kwargs)

    async def send_in(
        self,
        realm_id: int,
        plain: PlainSend | None,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        assert self._writer is not None, "the database was not started"
        assert not kwargs, "actions take their arguments by position"
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def done(job: PendingWrite) -> None:
            if answer.cancelled():
                return
            if job.error is not None:
                answer.set_exception(job.error)
            else:
                answer.set_result(job.result)

        self._writer.submit(PendingWrite(action, args, realm_id, done, plain))
        return await answer

    @property
    def is_shared(self) -> bool:
        """Whether other servers may write to it; a SQLite file belongs to one."""
        return not self.dialect.reads_block

    @property
    def busy_seconds(self) -> float:
        """For how long the writes under way have been waiting for their commit."""
        return 0.0 if self._writer is None else self._writer.busy_seconds

    def spread(self, notice: bytes) -> None:
        """Hand a notice to other servers on the same database, soon and without promise."""
        if self._broadcast is not None:
            self._broadcast.tell(notice.decode())

    def _tell_of(self, ends: dict[int, int]) -> None:
        """Tell other servers that logs go on."""
        if self._broadcast is not None and ends:
            self._broadcast.tell(ends)

    def _read_here(
        self, realm_id: int, query: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> T:
        try:
            if self._reader is None:
                self._reader = self.dialect.connect(to_serve=True)
            return self._read(self._reader, realm_id, query, args, kwargs)
        except Exception as error:
            if self.dialect.is_outage(error):
                raise ServiceUnavailable() from error
            raise

    def _read_in_thread(
        self, realm_id: int, query: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> T:
        thread = threading.get_ident()
        is_new = thread not in self._readers
        try:
            if is_new:
                self._readers[thread] = self.dialect.connect(to_serve=True)
            return self._read(self._readers[thread], realm_id, query, args, kwargs)
        except Exception as error:
            if not self.dialect.is_outage(error):
                raise
            self._close_reader(thread)
            if is_new:
                raise ServiceUnavailable() from error
        # A connection that we kept may have been lost long ago: try once more with a new one.
        return self._read_in_thread(realm_id, query, args, kwargs)

    def _close_reader(self, thread: int) -> None:
        connection = self._readers.pop(thread, None)
        if connection is not None:
            connection.close()

    def _read(
        self,
        connection: Any,
        realm_id: int,
        query: Callable[..., T],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> T:
        self.dialect.begin_read(connection)
        try:
            return query(Tx(connection, self.dialect, realm_id, self.clock()), *args, **kwargs)
        finally:
            self.dialect.command(connection, "ROLLBACK")
