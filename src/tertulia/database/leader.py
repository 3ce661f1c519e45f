"""Leader election: one of the servers on a database runs the background work.

The leader holds a database lock for as long as its connection lives. It queries on that connection
a few times a second. If it is silent for some seconds, the database closes the connection and
another server becomes the leader. For a moment two servers may believe that they lead, so every
background job must find nothing to do when it runs a second time.
"""

import contextlib
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from tertulia.database.blocking import BlockingDatabase
from tertulia.database.dialect import Dialect
from tertulia.database.readers import ReadConnections
from tertulia.database.tx import Tx
from tertulia.errors.http import ServiceUnavailable
from tertulia.fair_queue import SERVER
from tertulia.log import log

T = TypeVar("T")


class Leader:
    def __init__(self, dialect: Dialect, clock: Callable[[], float]) -> None:
        self._dialect = dialect
        self._clock = clock
        self._connection: Any = None
        self._is_ours = False
        self._turn = threading.Lock()

    @property
    def is_ours(self) -> bool:
        return self._is_ours

    def query(self, query: Callable[[Tx], T]) -> T | None:
        """Run a query on the leader's connection; None if another server is the leader."""
        with self._turn:
            try:
                return self._query(query)
            except Exception:
                self._close()
                raise

    def resign(self) -> None:
        """Release the lock, so that another server takes over at once."""
        if self._is_ours:
            with contextlib.suppress(Exception):
                self._dialect.cluster.resign(self._connection)
        self._close()

    def _close(self) -> None:
        connection, self._connection, self._is_ours = self._connection, None, False
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _query(self, query: Callable[[Tx], T]) -> T | None:
        if self._connection is None:
            self._connection = self._dialect.cluster.connect_for_leader()
        if not self._is_ours:
            self._is_ours = self._dialect.cluster.try_lead(self._connection)
            if not self._is_ours:
                return None
            log.debug("cluster.became_leader")
        return query(Tx(self._connection, self._dialect, 0, self._clock()))


class LeaderDatabase:
    """The database as the leader uses it."""

    def __init__(
        self,
        database: BlockingDatabase,
        readers: ReadConnections,
        on_elected: Callable[[], Awaitable[None]],
    ) -> None:
        """`on_elected` runs before the first answer of this server as the leader."""
        self._database = database
        self._on_elected = on_elected
        self._was_ours = False
        self._dialect = database.dialect
        self._readers = readers
        self._leader = Leader(database.dialect, database.clock)

    async def query(self, query: Callable[[Tx], T]) -> T | None:
        """Run one statement over all organizations; None if another server is the leader."""
        if self._dialect.is_embedded:
            return self._readers.on_loop(
                lambda connection: self._database.query_on(connection, 0, query)
            )
        try:
            found = await self._readers.on_thread(SERVER, partial(self._leader.query, query))
        except Exception as error:
            if self._dialect.failures.is_outage(error):
                raise ServiceUnavailable() from error
            raise
        if self.is_ours and not self._was_ours:
            await self._on_elected()
        self._was_ours = self.is_ours
        return found

    @property
    def is_ours(self) -> bool:
        """Whether this server is the leader, as far as it knows."""
        return self._leader.is_ours

    def resign(self) -> None:
        """Release the lock, so that another server takes over at once."""
        self._leader.resign()
