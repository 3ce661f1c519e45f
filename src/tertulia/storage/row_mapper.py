"""Maps rows to values whose fields have the names of the columns.

The type of a field decides how it is read: SQLite has 1 for true, PostgreSQL returns views of
bytes. A list or an object is stored as JSON.
"""

import enum
import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from tertulia.database import tx
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx

T = TypeVar("T")
Converter = Callable[[Any], Any]


class RowMapper(Generic[T]):
    """How a dataclass or a struct is read, from one table if it is always the same.

    `columns` are the expressions of fields that have another name in the table.
    """

    def __init__(
        self,
        noun: type[T],
        table: str = "",
        *,
        alias: str = "",
        columns: Mapping[str, str] | None = None,
        readings: Mapping[str, Converter] | None = None,
    ) -> None:
        kinds = get_type_hints(noun)
        named, read = columns or {}, readings or {}
        self._noun, self._table = noun, table
        self._read = [
            (named.get(name, name), read.get(name) or _converter(kind))
            for name, kind in kinds.items()
            if get_origin(kind) is not ClassVar
        ]
        self.columns = ", ".join(f"{alias}.{name}" if alias else name for name, _ in self._read)

    def find(self, tx: Tx, **values: Any) -> T | None:
        """The first row of the organization with these values."""
        return self.one(tx, self._where(values), **values)

    def where(self, tx: Tx, order: str, /, **values: Any) -> list[T]:
        """All rows of the organization with these values, in order; a list matches any of its
        values."""
        return self.all(tx, f"{self._where(values)} ORDER BY {order}", **values)

    def one(self, tx: Tx, rest: str, **params: Any) -> T | None:
        """The first row of `FROM …`."""
        row = tx.one(f"SELECT {self.columns} {rest}", **params)
        return None if row is None else self.of(row)

    def all(self, tx: Tx, rest: str, **params: Any) -> list[T]:
        """There may be thousands, so each column is converted at once."""
        rows = tx.tuples(f"SELECT {self.columns} {rest}", **params)
        columns = [
            values if read is None else map(read, values)
            for (_, read), values in zip(self._read, zip(*rows, strict=True), strict=False)
        ]
        return list(map(self._noun, *columns)) if rows else []

    def of(self, row: Row) -> T:
        return self._noun(
            *[row[name] if read is None else read(row[name]) for name, read in self._read]
        )

    def _where(self, values: Mapping[str, Any]) -> str:
        return f"FROM {self._table} WHERE {tx.equality(values)}"


def _converter(kind: Any) -> Converter | None:
    if isinstance(kind, types.UnionType):
        read = next(filter(None, map(_converter, get_args(kind))), None)
        return None if read is None else lambda value: None if value is None else read(value)
    if get_origin(kind) in (list, dict):
        return msgspec.json.Decoder(kind).decode
    is_made = kind in (bool, bytes) or (isinstance(kind, type) and issubclass(kind, enum.Enum))
    return kind if is_made else None
