"""A record: a row of one table as an immutable value. Its fields have the names of the columns.

    class Snippet(Record, frozen=True, table="saved_snippet"):
        id: int

All functions see the rows of the transaction's organization only. A list as a value matches any of
its values; lists and objects in fields are stored as JSON.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Self

import msgspec

from tertulia.class_keywords import ClassKeywords
from tertulia.database.tx import Tx
from tertulia.storage.row_mapper import RowMapper


class Record(msgspec.Struct, frozen=True, metaclass=ClassKeywords):
    table: ClassVar[str]

    @classmethod
    def find(cls, tx: Tx, **values: Any) -> Self | None:
        """The first row with these values."""
        return _mapper(cls).find(tx, **values)

    @classmethod
    def where(cls, tx: Tx, order: str, /, **values: Any) -> list[Self]:
        """All rows with these values, in order."""
        return _mapper(cls).where(tx, order, **values)

    @classmethod
    def all(cls, tx: Tx, condition: str, **params: Any) -> list[Self]:
        """All rows under a condition in SQL, which may end with ORDER BY and LIMIT."""
        return _mapper(cls).all(
            tx, f"FROM {cls.table} WHERE realm_id = :realm AND {condition}", **params
        )

    @classmethod
    def count(cls, tx: Tx, **values: Any) -> int:
        return tx.count_rows(cls.table, **values)

    @classmethod
    def exists(cls, tx: Tx, **values: Any) -> bool:
        return tx.has_row(cls.table, **values)

    @classmethod
    def insert(cls, tx: Tx, **columns: Any) -> int:
        """Insert a row that gets an id. Returns the id."""
        return tx.insert_with_id(cls.table, **_stored(columns))

    @classmethod
    def insert_all(cls, tx: Tx, rows: Sequence[dict[str, Any]], **shared: Any) -> list[int]:
        """Insert rows that get ids, in one statement. Returns the ids."""
        tx.insert_rows(cls.table, [_stored({**row, **shared}) for row in rows])
        newest = f"SELECT id FROM {cls.table} WHERE realm_id = :realm ORDER BY id DESC LIMIT :count"
        return tx.column(newest, count=len(rows))[::-1]

    @classmethod
    def upsert(cls, tx: Tx, key: Sequence[str], /, **columns: Any) -> None:
        """Insert a row without an id, or update the one with the same values in `key`."""
        tx.upsert(cls.table, key, **_stored(columns))

    @classmethod
    def update(cls, tx: Tx, row_id: int, **columns: Any) -> None:
        tx.update(cls.table, row_id, **_stored(columns))

    @classmethod
    def delete(cls, tx: Tx, **values: Any) -> int:
        """Delete the rows with these values. Returns their number."""
        return tx.delete(cls.table, **values)


@cache
def _mapper(record: type[Any]) -> RowMapper[Any]:
    return RowMapper(record, record.table)


def _stored(columns: dict[str, Any]) -> dict[str, Any]:
    return {
        name: msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
        for name, value in columns.items()
    }
