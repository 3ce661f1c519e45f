"""Records: nouns whose fields are columns of the same names, read without naming each again.

What a field is decides how it is read: one database has 1 for true and gives views of bytes.
"""

import enum
import types
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from tertulia.database import tx
from tertulia.database.tx import Row, Tx

T = TypeVar("T")
Reading = Callable[[Any], Any]


class Record(Generic[T]):
    """How a dataclass or a struct is read, of a table if that is always the same.

    `columns` says otherwise of fields that have another name there.
    """

    def __init__(
        self,
        noun: type[T],
        table: str = "",
        *,
        alias: str = "",
        columns: Mapping[str, str] | None = None,
        readings: Mapping[str, Reading] | None = None,
    ) -> None:
        kinds = get_type_hints(noun)
        named, read = columns or {}, readings or {}
        self._noun, self._table = noun, table
        self._read = [
            (named.get(name, name), read.get(name) or _reading(kind))
            for name, kind in kinds.items()
        ]
        self.columns = ", ".join(f"{alias}.{name}" if alias else name for name, _ in self._read)

    def find(self, tx: Tx, **values: Any) -> T | None:
        """The first of the organization that has these values."""
        return self.one(tx, self._having(values), **values)

    def those(self, tx: Tx, order: str, /, **values: Any) -> list[T]:
        """All of the organization that have these values, of a list any, in their order."""
        return self.all(tx, f"{self._having(values)} ORDER BY {order}", **values)

    def one(self, tx: Tx, rest: str, **params: Any) -> T | None:
        """The first, of `FROM …`."""
        row = tx.one(f"SELECT {self.columns} {rest}", **params)
        return None if row is None else self.of(row)

    def all(self, tx: Tx, rest: str, **params: Any) -> list[T]:
        return [self.of(row) for row in tx.all(f"SELECT {self.columns} {rest}", **params)]

    def of(self, row: Row) -> T:
        return self._noun(
            *[row[name] if read is None else read(row[name]) for name, read in self._read]
        )

    def _having(self, values: Mapping[str, Any]) -> str:
        return f"FROM {self._table} WHERE {tx.having(values)}"


def _reading(kind: Any) -> Reading | None:
    if isinstance(kind, types.UnionType):
        read = next(filter(None, map(_reading, get_args(kind))), None)
        return None if read is None else lambda value: None if value is None else read(value)
    is_made = kind in (bool, bytes) or (isinstance(kind, type) and issubclass(kind, enum.Enum))
    return kind if is_made else None
