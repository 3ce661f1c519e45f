"""A transaction: the one thing through which our SQL reaches a database.

SQL is written once, for both databases, with `:name` parameters; a list is bound with `IN :names`,
and `:realm`, the organization of the transaction, need not be given. `+m.column` tells SQLite,
which knows nothing of how many rows there are, to use no index by that column. What an action needs
to know of its surroundings is here too: whose organization it works in and what time it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec

from tertulia.database.change_watch import Changed

P = ParamSpec("P")
T = TypeVar("T")

Later = Callable[[], T]
"""What was asked already, and is known when it is called, which is done once."""


class Row(Protocol):
    """A row of a result: values by column name."""

    def __getitem__(self, column: str, /) -> Any: ...


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class LoopAnswers(Protocol):
    """A connection that the loop serves, one statement at a time."""

    line: str

    @property
    def is_lost(self) -> bool: ...
    def is_open(self) -> bool: ...  # as far as this machine knows, whatever was read of it
    async def lost(self) -> None: ...
    async def ask(self, sql: str, params: Mapping[str, Any]) -> list[tuple[bytes | None, ...]]: ...
    def close(self) -> None: ...


class Dialect(Protocol):
    """Where the two databases differ. Everything else is said alike."""

    name: str
    node: str  # who notices to other servers come from

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor: ...
    def ask(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor: ...
    def run_many(self, connection: Any, sql: str, params: list[dict[str, Any]]) -> None: ...
    def tuples(self, cursor: Cursor) -> list[tuple[Any, ...]]: ...
    def together(self, column: str) -> str: ...  # an aggregate: numbers as text, with commas
    def lowered(self, text: str) -> str: ...  # letters of ASCII, whatever the locale says
    def size_of(self, column: str) -> str: ...  # of a text, in bytes
    def load_rows(
        self, connection: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None: ...
    def allocate_ids(self, connection: Any, table: str) -> None: ...
    def counters(self, connection: Any) -> dict[str, int]: ...
    def count_from(self, connection: Any, table: str, last: int) -> None: ...
    def stream_rows(
        self, connection: Any, table: str, columns: Mapping[str, str]
    ) -> Iterator[Sequence[Any]]: ...
    def begin_loading(self, connection: Any) -> None: ...
    def end_loading(self, connection: Any) -> None: ...
    def suspend_indexes(self, connection: Any) -> list[str]: ...
    def tidy(self, connection: Any) -> None: ...
    def truncate_wal(self, connection: Any) -> bool: ...  # so that what was erased is not in it
    def command(self, connection: Any, sql: str) -> None: ...
    def flush(self, connection: Any) -> None: ...  # what waits to be sent, before a commit
    def connect(self, *, to_serve: bool = False) -> Any: ...
    async def connect_on_loop(
        self, heard: Callable[[str, str], None] = ..., channels: Sequence[str] = ...
    ) -> LoopAnswers: ...
    async def connect_to_append(self) -> LoopAnswers: ...
    def channel(self, name: str) -> str: ...  # in which other servers are told something
    def connect_to_write(self) -> Any: ...
    def connect_for_duty(self) -> Any: ...
    def take_duty(self, connection: Any) -> bool: ...
    def resign(self, connection: Any) -> None: ...
    def begin_read(self, connection: Any) -> None: ...
    def end_read(self, connection: Any) -> None: ...
    def begin_write(self, connection: Any) -> None: ...
    def begin_write_nowait(self, connection: Any) -> None: ...
    def lock_organization(self, connection: Any, realm_id: int) -> None: ...
    def try_lock_organization(self, connection: Any, realm_id: int) -> bool: ...
    def limit_migration(self, connection: Any) -> None: ...  # after the lock of the schema
    def is_migration_conflict(self, error: BaseException) -> bool: ...  # so it may be repeated
    def lock_schema(self, connection: Any) -> None: ...
    def notify_all(self, connection: Any) -> None: ...
    async def watch(self, changed: Changed) -> None: ...
    def is_outage(self, error: BaseException) -> bool: ...
    def is_lock_timeout(self, error: BaseException) -> bool: ...
    def may_have_committed(self, error: BaseException) -> bool: ...
    def disk_failure(self, error: BaseException) -> str | None: ...
    def check_fitness(self) -> None: ...
    def others(self) -> tuple[str, dict[str, Any]]: ...
    def serving_nodes(self) -> tuple[str, dict[str, Any]]: ...  # that are connected, as `node`
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
    size: str  # in bytes, as `value`
    is_embedded: bool
    writes_in_queries: bool
    holding: str  # ends a query whose rows nobody may change before the end of the transaction


class Tx:
    """`announced` says how far the log of each organization goes that it has written to; `revoked`
    holds the last event of each that has revoked a credential."""

    __slots__ = ("_connection", "announced", "dialect", "now", "realm_id", "revoked")

    def __init__(
        self,
        connection: Any,
        dialect: Dialect,
        realm_id: int,
        now: float,
        announced: dict[int, int] | None = None,
        revoked: dict[int, int] | None = None,
    ) -> None:
        self._connection = connection
        self.dialect = dialect
        self.realm_id = realm_id
        self.now = now
        self.announced = {} if announced is None else announced
        self.revoked = {} if revoked is None else revoked

    def for_realm(self, realm_id: int) -> "Tx":
        """The same transaction, looking at another organization."""
        return Tx(self._connection, self.dialect, realm_id, self.now, self.announced, self.revoked)

    def at(self, now: float) -> "Tx":
        """The same transaction at another time: for telling a past that never was."""
        return Tx(self._connection, self.dialect, self.realm_id, now, self.announced, self.revoked)

    def execute(self, sql: str, **params: Any) -> int:
        """Run a statement and say how many rows it touched."""
        return self._run(sql, params).rowcount

    def execute_many(self, sql: str, rows: Iterable[dict[str, Any]]) -> None:
        """Run one statement for each row; nothing happens for no rows."""
        if listed := list(rows):
            self.dialect.run_many(self._connection, sql, listed)

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Put rows into a table in the fastest way there is; for thousands of them."""
        self.dialect.load_rows(self._connection, table, columns, rows)

    def allocate_ids(self, table: str) -> None:
        """Rows came with ids of their own: let the next one be numbered after them."""
        self.dialect.allocate_ids(self._connection, table)

    def stream_rows(self, table: str, columns: Mapping[str, str]) -> Iterator[Sequence[Any]]:
        """All rows of a table, of any number, one after the other; columns come with their type."""
        return self.dialect.stream_rows(self._connection, table, columns)

    def has_table(self, table: str) -> bool:
        return self.dialect.has_table(self._connection, table)

    def counters(self) -> dict[str, int]:
        """The last id that was given out, by table."""
        return self.dialect.counters(self._connection)

    def count_from(self, table: str, last: int) -> None:
        """Let the next id of a table be the one after this."""
        self.dialect.count_from(self._connection, table, last)

    def suspend_indexes(self) -> list[str]:
        """Drop what slows down the loading of many rows; gives what makes it again."""
        return self.dialect.suspend_indexes(self._connection)

    def one(self, sql: str, **params: Any) -> Row | None:
        row: Row | None = self._run(sql, params).fetchone()
        return row

    def all(self, sql: str, **params: Any) -> list[Row]:
        return self._run(sql, params).fetchall()

    def tuples(self, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        """The same as plain tuples, in the order of the columns: for thousands of rows."""
        return self.dialect.tuples(self._run(sql, params))

    def ids(self, sql: str, **params: Any) -> list[int]:
        """The `id` of each row, in no certain order; in one piece, since every row that is fetched
        costs."""
        found = self.value(
            f"SELECT {self.dialect.together('id')} AS value FROM ({sql}) AS found", **params
        )
        return [] if found is None else msgspec.json.decode(f"[{found}]", type=list[int])

    def later(
        self, query: Callable[Concatenate["Tx", P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Later[T]:
        """What a query finds, which need not be known yet.

        Its first question, and most have no other, travels to PostgreSQL together with those of
        other queries that were put off, as soon as one of them has to be answered.
        """
        asking = _Asking(self._connection, self.dialect, self.realm_id, self.now, self.announced)
        try:
            found = query(asking, *args, **kwargs)
        except _Asked:
            return lambda: query(asking, *args, **kwargs)
        return lambda: found

    def value(self, sql: str, **params: Any) -> Any:
        """The `value` column of the first row, or None: `SELECT max(id) AS value …`."""
        row = self.one(sql, **params)
        return None if row is None else row["value"]

    def number(self, sql: str, **params: Any) -> int:
        """The same as a number, which is 0 where there is none: `SELECT count(*) AS value …`."""
        return int(self.value(sql, **params) or 0)

    def column(self, sql: str, **params: Any) -> list[Any]:
        """The one column of all rows: `SELECT id FROM …`."""
        return [value for (value,) in self.tuples(sql, **params)]

    def has(self, table: str, /, **columns: Any) -> bool:
        """Whether the organization has a row with these values."""
        sql = f"SELECT 1 AS found FROM {table} WHERE {having(columns)} LIMIT 1"
        return self.exists(sql, **columns)

    def exists(self, sql: str, **params: Any) -> bool:
        """Whether there is a row: `SELECT 1 AS found FROM … LIMIT 1`."""
        return self.one(sql, **params) is not None

    def insert(self, sql: str, **params: Any) -> int:
        """Run an INSERT … RETURNING id and give the id."""
        row = self.one(sql, **params)
        assert row is not None
        number: int = row["id"]
        return number

    def add(self, table: str, **columns: Any) -> int:
        """Insert a row of the organization, and give its id."""
        return self.insert(f"{_insertion(table, columns)} RETURNING id", **columns)

    def put(self, table: str, **columns: Any) -> None:
        """Insert a row of the organization that has no id of its own."""
        self.execute(_insertion(table, columns), **columns)

    def change(self, table: str, row_id: int, **columns: Any) -> int:
        """Give a row of the organization other values; says whether it was there, as 1 or 0."""
        assigned = ", ".join(f"{name} = :{name}" for name in columns)
        return self.execute(
            f"UPDATE {table} SET {assigned} WHERE id = :row_id AND realm_id = :realm",
            row_id=row_id,
            **columns,
        )

    def upsert_many(
        self, table: str, rows: Iterable[dict[str, Any]], /, otherwise: str = "", **shared: Any
    ) -> None:
        """Insert rows of the organization that have no ids of their own, and some values in common.

        `otherwise` says what becomes of those that are there already: `ON CONFLICT …`.
        """
        listed = [{**row, **shared} for row in rows]
        if listed:
            sql = f"{_insertion(table, listed[0])} {otherwise}"
            self.execute_many(sql, ({"realm": self.realm_id, **row} for row in listed))

    def replace(self, table: str, key: Sequence[str], /, **columns: Any) -> None:
        """Insert a row of the organization, or give these values to the one that has its key."""
        assigned = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
        conflict = f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {assigned}"
        self.execute(f"{_insertion(table, columns)} {conflict}", **columns)

    def remove(self, table: str, /, **columns: Any) -> int:
        """Delete the rows of the organization that have these values, of a list any; how many."""
        return self.execute(f"DELETE FROM {table} WHERE {having(columns)}", **columns)

    def timeline(self) -> str:
        """Which of several histories of the same database this is; see the dialects."""
        return self.dialect.timeline(self._connection)

    def _run(self, sql: str, params: dict[str, Any]) -> Cursor:
        params.setdefault("realm", self.realm_id)
        return self.dialect.run(self._connection, sql, params)


def having(columns: Mapping[str, Any]) -> str:
    """The condition for rows of the organization that have these values, of a list any."""
    wanted = [
        f"{name} IN :{name}" if isinstance(value, list) else f"{name} = :{name}"
        for name, value in columns.items()
    ]
    return " AND ".join([*wanted, "realm_id = :realm"])


def _insertion(table: str, columns: Iterable[str]) -> str:
    names = ["realm_id", *columns]
    values = ["realm", *columns]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES (:{', :'.join(values)})"


class _Asked(BaseException):
    """So far a query goes without an answer; it is nothing that went wrong."""


class _Asking(Tx):
    """The transaction of a query that ends at its first question and then begins once more, when
    that is answered."""

    __slots__ = ("_answer", "_is_asked")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answer: Cursor | None = None
        self._is_asked = False

    def _run(self, sql: str, params: dict[str, Any]) -> Cursor:
        if not self._is_asked:
            self._is_asked = True
            params.setdefault("realm", self.realm_id)
            self._answer = self.dialect.ask(self._connection, sql, params)
            raise _Asked
        if self._answer is None:
            return super()._run(sql, params)
        answer, self._answer = self._answer, None
        return answer
