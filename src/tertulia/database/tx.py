"""Transactions: all our SQL reaches a database through `Tx`.

SQL is written once, for both databases, with `:name` parameters. A list is bound with `IN :names`,
and `:realm`, the organization of the transaction, is always given. `+m.column` tells SQLite, which
has no statistics, not to use an index by that column. `Tx` also has what an action needs to know:
the organization and the current time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec

from tertulia.database.change_watch import Changed
from tertulia.database.yielding import RequestActivity

P = ParamSpec("P")
T = TypeVar("T")

Deferred = Callable[[], T]
"""The result of a deferred query. Call it once; the first call sends all deferred statements."""


class Row(Protocol):
    """A row of a result: values by column name."""

    def __getitem__(self, column: str, /) -> Any: ...


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class AsyncQueries(Protocol):
    """A connection on the event loop, one statement at a time."""

    timeline: str

    @property
    def is_lost(self) -> bool: ...
    # As far as this machine knows, even if the loop has not read it yet.
    def is_open(self) -> bool: ...
    async def wait_until_lost(self) -> None: ...
    async def execute(
        self, sql: str, params: Mapping[str, Any]
    ) -> list[tuple[bytes | None, ...]]: ...
    def close(self) -> None: ...


class Dialect(Protocol):
    """The differences between the two databases."""

    name: str
    node: str  # the sender of notifications to other servers

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor: ...
    def enqueue(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor: ...
    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None: ...
    def tuples(self, cursor: Cursor) -> list[tuple[Any, ...]]: ...
    def joined_ids(self, column: str) -> str: ...  # an aggregate: numbers as text, with commas
    def lower(self, text: str) -> str: ...  # ASCII letters only, in any locale
    def floor(self, number: str) -> str: ...  # a positive number, as an integer
    def byte_length(self, column: str) -> str: ...  # of a text, in bytes
    # Rows of a group on one side of an id, found in the index of both columns. Ordered by both,
    # the first may be one of another group.
    def beside(self, group: str, value: str, sign: str, bound: str) -> str: ...
    def load_rows(
        self, connection: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None: ...
    def allocate_ids(self, connection: Any, table: str) -> None: ...
    def counters(self, connection: Any) -> dict[str, int]: ...
    def set_counter(self, connection: Any, table: str, last: int) -> None: ...
    def stream_rows(
        self, connection: Any, table: str, columns: Mapping[str, str]
    ) -> Iterator[Sequence[Any]]: ...
    def start_bulk_load(self, connection: Any) -> None: ...
    def end_bulk_load(self, connection: Any) -> None: ...
    def suspend_indexes(self, connection: Any) -> list[str]: ...
    def analyze(self, connection: Any) -> None: ...
    def truncate_wal(self, connection: Any) -> bool: ...  # so that erased data is not in it
    def command(self, connection: Any, sql: str) -> None: ...
    def flush(self, connection: Any) -> None: ...  # queued statements, before a commit
    def connect(self, *, to_serve: bool = False) -> Any: ...
    async def connect_on_loop(
        self, on_notification: Callable[[str, str], None] = ..., channels: Sequence[str] = ...
    ) -> AsyncQueries: ...
    async def connect_to_append(self) -> AsyncQueries: ...
    def channel(self, name: str) -> str: ...  # the channel for notifications to other servers
    def connect_to_write(self) -> Any: ...
    def connect_for_leader(self) -> Any: ...
    def try_lead(self, connection: Any) -> bool: ...
    def resign(self, connection: Any) -> None: ...
    def begin_read(self, connection: Any) -> None: ...
    def end_read(self, connection: Any) -> None: ...
    def begin_write(self, connection: Any) -> None: ...
    def begin_write_nowait(self, connection: Any) -> None: ...
    def lock_organization(self, connection: Any, realm_id: int) -> None: ...
    def try_lock_organization(self, connection: Any, realm_id: int) -> bool: ...
    def limit_migration(self, connection: Any) -> None: ...  # after the lock of the schema
    # So the migration may be repeated.
    def is_migration_conflict(self, error: BaseException) -> bool: ...
    def lock_schema(self, connection: Any) -> None: ...
    def notify_all(self, connection: Any) -> None: ...
    async def watch(self, changed: Changed) -> None: ...
    def is_outage(self, error: BaseException) -> bool: ...
    def is_lock_timeout(self, error: BaseException) -> bool: ...
    def may_have_committed(self, error: BaseException) -> bool: ...
    def disk_failure(self, error: BaseException) -> str | None: ...
    def check_fitness(self) -> None: ...
    def peers_query(self) -> tuple[str, dict[str, Any]]: ...
    def serving_nodes_query(self) -> tuple[str, dict[str, Any]]: ...  # connected servers, as `node`
    def has_peers(self, connection: Any) -> bool: ...
    def own_clock(self) -> Callable[[], float]: ...
    def time(self, connection: Any) -> float | None: ...
    def timeline(self, connection: Any) -> str: ...
    def has_table(self, connection: Any, table: str) -> bool: ...
    def integrity_problems(self, connection: Any) -> list[str]: ...

    types: Mapping[str, str]
    next_message_id: str
    declared_references: str
    columns: str
    version: str  # the name and version of the database, as `value`
    size: str  # in bytes, as `value`
    is_embedded: bool
    writes_in_queries: bool
    row_lock: str  # ends a query that locks its rows until the end of the transaction


class Tx:
    """`announced` has the last event that the transaction wrote, by organization; `revoked` the
    last event that revoked a credential. `yields_to` has the requests that a long read lets go
    first (`YieldPoint`); None if others wait for this transaction."""

    __slots__ = ("_connection", "announced", "dialect", "now", "realm_id", "revoked", "yields_to")

    def __init__(
        self,
        connection: Any,
        dialect: Dialect,
        realm_id: int,
        now: float,
        announced: dict[int, int] | None = None,
        revoked: dict[int, int] | None = None,
        yields_to: RequestActivity | None = None,
    ) -> None:
        self._connection = connection
        self.dialect = dialect
        self.realm_id = realm_id
        self.now = now
        self.announced = {} if announced is None else announced
        self.revoked = {} if revoked is None else revoked
        self.yields_to = yields_to

    def for_realm(self, realm_id: int) -> "Tx":
        """The same transaction for another organization."""
        return Tx(self._connection, self.dialect, realm_id, self.now, self.announced, self.revoked)

    def at(self, now: float) -> "Tx":
        """The same transaction at another time, for sample data with dates in the past."""
        return Tx(self._connection, self.dialect, self.realm_id, now, self.announced, self.revoked)

    def execute(self, sql: str, **params: Any) -> int:
        """Run a statement. Returns how many rows it touched."""
        return self._run(sql, params).rowcount

    def execute_many(self, sql: str, rows: Iterable[dict[str, Any]]) -> None:
        """Run one statement for each row; does nothing without rows."""
        if listed := list(rows):
            self.dialect.run_many(self._connection, sql, listed)

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert thousands of rows in the fastest way."""
        self.dialect.load_rows(self._connection, table, columns, rows)

    def allocate_ids(self, table: str) -> None:
        """After inserting rows with ids of their own: continue numbering behind them."""
        self.dialect.allocate_ids(self._connection, table)

    def stream_rows(self, table: str, columns: Mapping[str, str]) -> Iterator[Sequence[Any]]:
        """Iterate over all rows of a table of any size; columns are given with their types."""
        return self.dialect.stream_rows(self._connection, table, columns)

    def has_table(self, table: str) -> bool:
        return self.dialect.has_table(self._connection, table)

    def counters(self) -> dict[str, int]:
        """The last assigned id by table."""
        return self.dialect.counters(self._connection)

    def set_counter(self, table: str, last: int) -> None:
        """Let the next id of a table be the one after this."""
        self.dialect.set_counter(self._connection, table, last)

    def suspend_indexes(self) -> list[str]:
        """Drop what slows down a bulk load. Returns the statements that create it again."""
        return self.dialect.suspend_indexes(self._connection)

    def one(self, sql: str, **params: Any) -> Row | None:
        row: Row | None = self._run(sql, params).fetchone()
        return row

    def all(self, sql: str, **params: Any) -> list[Row]:
        return self._run(sql, params).fetchall()

    def tuples(self, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        """Rows as tuples, in the order of the columns: for thousands of rows."""
        return self.dialect.tuples(self._run(sql, params))

    def ids(self, sql: str, **params: Any) -> list[int]:
        """The `id` of each row, in no particular order. One value is transferred, because each
        fetched row has a cost."""
        found = self.value(
            f"SELECT {self.dialect.joined_ids('id')} AS value FROM ({sql}) AS found", **params
        )
        return [] if found is None else msgspec.json.decode(f"[{found}]", type=list[int])

    def defer(
        self, query: Callable[Concatenate["Tx", P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Postpone a query.

        Its first statement, and most queries have one, is sent to PostgreSQL together with those of
        other postponed queries, as soon as one result is needed.
        """
        deferring = _DeferringTx(
            self._connection, self.dialect, self.realm_id, self.now, self.announced
        )
        try:
            found = query(deferring, *args, **kwargs)
        except _StatementDeferred:
            return lambda: query(deferring, *args, **kwargs)
        return lambda: found

    def value(self, sql: str, **params: Any) -> Any:
        """The `value` column of the first row, or None: `SELECT max(id) AS value …`."""
        row = self.one(sql, **params)
        return None if row is None else row["value"]

    def number(self, sql: str, **params: Any) -> int:
        """The `value` as a number, 0 if there is none: `SELECT count(*) AS value …`."""
        return int(self.value(sql, **params) or 0)

    def column(self, sql: str, **params: Any) -> list[Any]:
        """The only column of all rows: `SELECT id FROM …`."""
        return [value for (value,) in self.tuples(sql, **params)]

    def has_row(self, table: str, /, **columns: Any) -> bool:
        """Whether the organization has a row with these values."""
        sql = f"SELECT 1 AS found FROM {table} WHERE {equality(columns)} LIMIT 1"
        return self.exists(sql, **columns)

    def exists(self, sql: str, **params: Any) -> bool:
        """Whether there is a row: `SELECT 1 AS found FROM … LIMIT 1`."""
        return self.one(sql, **params) is not None

    def insert(self, sql: str, **params: Any) -> int:
        """Run an INSERT … RETURNING id. Returns the id."""
        row = self.one(sql, **params)
        assert row is not None
        number: int = row["id"]
        return number

    def insert_with_id(self, table: str, **columns: Any) -> int:
        """Insert a row of the organization. Returns its id."""
        return self.insert(f"{_insert_sql(table, columns)} RETURNING id", **columns)

    def insert_row(self, table: str, **columns: Any) -> None:
        """Insert a row without an id of its own."""
        self.execute(_insert_sql(table, columns), **columns)

    def update(self, table: str, row_id: int, **columns: Any) -> int:
        """Change a row of the organization. Returns 1 if it exists, else 0."""
        assigned = ", ".join(f"{name} = :{name}" for name in columns)
        return self.execute(
            f"UPDATE {table} SET {assigned} WHERE id = :row_id AND realm_id = :realm",
            row_id=row_id,
            **columns,
        )

    def insert_rows(
        self, table: str, rows: Iterable[dict[str, Any]], /, otherwise: str = "", **shared: Any
    ) -> None:
        """Insert rows without ids of their own that share some values.

        `otherwise` is the clause for rows that exist already: `ON CONFLICT …`.
        """
        listed = [{**row, **shared} for row in rows]
        if listed:
            sql = f"{_insert_sql(table, listed[0])} {otherwise}"
            self.execute_many(sql, ({"realm": self.realm_id, **row} for row in listed))

    def upsert(self, table: str, key: Sequence[str], /, **columns: Any) -> None:
        """Insert a row of the organization, or update the one with its key."""
        assigned = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
        conflict = f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {assigned}"
        self.execute(f"{_insert_sql(table, columns)} {conflict}", **columns)

    def delete(self, table: str, /, **columns: Any) -> int:
        """Delete the rows of the organization with these values; a list matches any of its values.
        Returns their number."""
        return self.execute(f"DELETE FROM {table} WHERE {equality(columns)}", **columns)

    def timeline(self) -> str:
        """The timeline of the database; see the dialects."""
        return self.dialect.timeline(self._connection)

    def _run(self, sql: str, params: dict[str, Any]) -> Cursor:
        params.setdefault("realm", self.realm_id)
        return self.dialect.run(self._connection, sql, params)


def equality(columns: Mapping[str, Any]) -> str:
    """The condition for rows of the organization with these values; a list matches any of its
    values."""
    wanted = [
        f"{name} IN :{name}" if isinstance(value, list) else f"{name} = :{name}"
        for name, value in columns.items()
    ]
    return " AND ".join([*wanted, "realm_id = :realm"])


def _insert_sql(table: str, columns: Iterable[str]) -> str:
    names = ["realm_id", *columns]
    values = ["realm", *columns]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES (:{', :'.join(values)})"


class _StatementDeferred(BaseException):
    """Stops a postponed query at its first statement; not an error."""


class _DeferringTx(Tx):
    """The transaction of a postponed query. It stops at the first statement, and runs the query
    again when the result is there."""

    __slots__ = ("_cursor", "_is_deferred")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cursor: Cursor | None = None
        self._is_deferred = False

    def _run(self, sql: str, params: dict[str, Any]) -> Cursor:
        if not self._is_deferred:
            self._is_deferred = True
            params.setdefault("realm", self.realm_id)
            self._cursor = self.dialect.enqueue(self._connection, sql, params)
            raise _StatementDeferred
        if self._cursor is None:
            return super()._run(sql, params)
        cursor, self._cursor = self._cursor, None
        return cursor
