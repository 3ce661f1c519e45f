"""The database without an event loop, for commands and for the start of a server.

One call at a time, each in a transaction of its own on the caller's thread. The server's `Database`
(`database/__init__.py`) uses the same connections and transactions.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from tertulia.database import schema
from tertulia.database.dialect import Dialect
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.database.interruption import Interruption
from tertulia.database.org_database import Arguments, Keywords, OrgDatabase
from tertulia.database.schema import SchemaState
from tertulia.database.tx import Tx
from tertulia.database.writer import WriteHealth
from tertulia.database.yielding import RequestActivity

WAL_ATTEMPTS = 20
WAL_PAUSE_SECONDS = 0.25

P = ParamSpec("P")
T = TypeVar("T")


class BlockingOrgDatabase:
    """The database of one organization, or of all if the number is 0."""

    def __init__(self, database: "BlockingDatabase", realm_id: int) -> None:
        self._database = database
        self._realm_id = realm_id

    def read(self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a transaction that only reads."""
        with self._database.connection() as connection:
            return self._database.read_on(
                connection, self._realm_id, lambda tx: query(tx, *args, **kwargs)
            )

    def query(self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of a single statement, without a transaction."""
        with self._database.connection() as connection:
            return self._database.query_on(
                connection, self._realm_id, lambda tx: query(tx, *args, **kwargs)
            )

    def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an action in a transaction of its own and commit it."""
        dialect, realm_id = self._database.dialect, self._realm_id
        with self._database.connection() as connection:
            dialect.begin_write(connection)
            dialect.lock_organization(connection, realm_id)
            tx = Tx(connection, dialect, realm_id, self._database.clock())
            result = action(tx, *args, **kwargs)
            dialect.cluster.notify_all(connection)
            dialect.command(connection, "COMMIT")
            return result


class BlockingDatabase:
    def __init__(self, dialect: Dialect, clock: Callable[[], float] | None = None) -> None:
        self.dialect = dialect
        self.health = WriteHealth()
        self._own_clock = clock or dialect.cluster.own_clock()
        self._behind_seconds = 0.0  # how far our clock is behind the database's
        self._idle: list[Any] | None = None  # open connections, if `reuse_connections` was called

    @classmethod
    def at(cls, url: str, clock: Callable[[], float] | None = None) -> "BlockingDatabase":
        """`sqlite:///path` or `postgresql://…`."""
        if url.startswith("sqlite:///"):
            return cls(Sqlite(Path(url.removeprefix("sqlite:///"))), clock)
        # The PostgreSQL driver takes 0.15 seconds and 12 MB to import, so SQLite does without it.
        from tertulia.database.dialects.postgres import Postgres

        return cls(Postgres(url), clock)

    def of(self, realm_id: int) -> BlockingOrgDatabase:
        return BlockingOrgDatabase(self, realm_id)

    def clock(self) -> float:
        """The current time. Servers that share a database use the database's clock."""
        return self._own_clock() + self._behind_seconds

    def compare_clocks(self) -> float:
        """Measure by how many seconds our clock is behind the database's, and correct `clock` by
        it."""
        with self.connection() as connection:
            before = self._own_clock()
            theirs = self.dialect.cluster.time(connection)
            if theirs is not None:
                self._behind_seconds = theirs - (before + self._own_clock()) / 2
            return self._behind_seconds

    # --- connections ---

    def reuse_connections(self) -> None:
        """Reuse connections until `close`: opening one takes PostgreSQL a while."""
        self._idle = []

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def connection(self) -> Iterator[Any]:
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

    def read_on(
        self,
        connection: Any,
        realm_id: int,
        query: Callable[[Tx], T],
        yields_to: RequestActivity | None = None,
        interruption: Interruption | None = None,
    ) -> T:
        """Run a query on a connection, in a transaction that only reads."""
        self.dialect.begin_read(connection)
        try:
            tx = Tx(
                connection,
                self.dialect,
                realm_id,
                self.clock(),
                yields_to=yields_to,
                interruption=interruption,
            )
            return query(tx)
        except Exception as error:
            self.health.damaged(self.dialect.failures.damage(error))
            raise
        finally:
            self.dialect.end_read(connection)

    def query_on(self, connection: Any, realm_id: int, query: Callable[[Tx], T]) -> T:
        """Run a query of a single statement on a connection, without a transaction."""
        try:
            return query(Tx(connection, self.dialect, realm_id, self.clock()))
        except Exception as error:
            self.health.damaged(self.dialect.failures.damage(error))
            raise

    # --- maintenance ---

    def migrate(self) -> list[int]:
        """Bring the schema up to date. Returns the numbers of the migrations that were missing."""
        with self.connection() as connection:
            return schema.migrate(connection, self.dialect)

    def schema(self) -> SchemaState:
        """Which migrations the schema has."""
        return self.of(0).query(schema.find_state)

    def integrity_problems(self) -> list[str]:
        """What the database's own integrity check finds, as texts."""
        with self.connection() as connection:
            return self.dialect.integrity_problems(connection)

    def failover_problems(self) -> list[str]:
        """Why a failover of the database would lose messages, as texts."""
        with self.connection() as connection:
            return self.dialect.cluster.failover_problems(connection)

    def has_peers(self) -> bool:
        """Whether another Tertulia process is connected."""
        with self.connection() as connection:
            return self.dialect.cluster.has_peers(connection)

    def has_servers(self) -> bool:
        """Whether servers on this database run; never on SQLite, where the folder is locked."""
        with self.connection() as connection:
            return self.dialect.cluster.has_servers(connection)

    def truncate_wal(self) -> bool:
        """Remove erased data from SQLite's write-ahead log, too.

        A running reader blocks this. Returns False if one does for all attempts.
        """
        with self.connection() as connection:
            for _ in range(WAL_ATTEMPTS):
                if self.dialect.bulk_load(connection).truncate_wal():
                    return True
                time.sleep(WAL_PAUSE_SECONDS)
        return False

    def analyze(self) -> None:
        """Update the planner's statistics after a bulk load."""
        with self.connection() as connection:
            self.dialect.bulk_load(connection).analyze()


class BlockingRunner:
    """Runs async code of the server in a command: each call blocks."""

    def __init__(self, database: BlockingDatabase) -> None:
        self._database = database

    def of(self, realm_id: int) -> OrgDatabase:
        return OrgDatabase(self, realm_id)

    async def run_read(
        self, db: OrgDatabase, query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T:
        return self._database.of(db.realm_id).read(query, *args, **keywords)

    async def run_query(
        self, db: OrgDatabase, query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T:
        return self._database.of(db.realm_id).query(query, *args, **keywords)

    async def run_write(self, db: OrgDatabase, action: Callable[..., T], args: Arguments) -> T:
        def checked(tx: Tx) -> T:
            if db.check is not None:
                db.check(tx)
            return action(tx, *args)

        return self._database.of(db.realm_id).write(checked)
