"""Transactions: all our SQL reaches a database through `Tx`.

SQL is written once, for both databases, with `:name` parameters. A list is bound with `IN :names`,
and `:realm`, the organization of the transaction, is always given. `+m.column` tells SQLite, which
has no statistics, not to use an index by that column. `Tx` also has what an action needs to know:
the organization and the current time.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from tertulia.database.dialect import BulkLoad, Cursor, Dialect, Row
from tertulia.database.interruption import Interruption
from tertulia.database.yielding import RequestActivity


class Tx:
    """`announced` has the last event that the transaction wrote, by organization; `revoked` the
    last event that revoked a credential. `yields_to` has the requests that a long read lets go
    first (`YieldPoint`); None if others wait for this transaction. `interruption` ends such a
    read."""

    __slots__ = (
        "_connection",
        "announced",
        "dialect",
        "interruption",
        "now",
        "realm_id",
        "revoked",
        "yields_to",
    )

    def __init__(
        self,
        connection: Any,
        dialect: Dialect,
        realm_id: int,
        now: float,
        *,
        announced: dict[int, int] | None = None,
        revoked: dict[int, int] | None = None,
        yields_to: RequestActivity | None = None,
        interruption: Interruption | None = None,
    ) -> None:
        self._connection = connection
        self.dialect = dialect
        self.realm_id = realm_id
        self.now = now
        self.announced = {} if announced is None else announced
        self.revoked = {} if revoked is None else revoked
        self.yields_to = yields_to
        self.interruption = interruption

    def for_realm(self, realm_id: int, now: float | None = None) -> "Tx":
        """The same transaction for another organization."""
        return Tx(
            self._connection,
            self.dialect,
            realm_id,
            self.now if now is None else now,
            announced=self.announced,
            revoked=self.revoked,
        )

    def at(self, now: float) -> "Tx":
        """The same transaction at another time, for sample data with dates in the past."""
        return self.for_realm(self.realm_id, now)

    def execute(self, sql: str, **params: Any) -> int:
        """Run a statement. Returns how many rows it touched."""
        return self._run(sql, params).rowcount

    def execute_many(self, sql: str, rows: Iterable[dict[str, Any]]) -> None:
        """Run one statement for each row; does nothing without rows."""
        if listed := list(rows):
            self.dialect.run_many(self._connection, sql, listed)

    @property
    def bulk(self) -> BulkLoad:
        """Whole tables, and thousands of rows at once."""
        return self.dialect.bulk_load(self._connection)

    def has_table(self, table: str) -> bool:
        return self.dialect.has_table(self._connection, table)

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
            f"SELECT {self.dialect.sql.joined_ids('id')} AS value FROM ({sql}) AS found", **params
        )
        return [] if found is None else msgspec.json.decode(f"[{found}]", type=list[int])

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

    def count_rows(self, table: str, /, **columns: Any) -> int:
        """How many rows with these values the organization has."""
        return self.number(
            f"SELECT count(*) AS value FROM {table} WHERE {equality(columns)}", **columns
        )

    def exists(self, sql: str, **params: Any) -> bool:
        """Whether there is a row: `SELECT 1 AS found FROM … LIMIT 1`."""
        return self.one(sql, **params) is not None

    def insert_with_id(self, table: str, **columns: Any) -> int:
        """Insert a row of the organization. Returns its id."""
        return self.number(f"{_insert_sql(table, columns)} RETURNING id AS value", **columns)

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
        return self.dialect.cluster.timeline(self._connection)

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
