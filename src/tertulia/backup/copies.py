"""A copy of everything: what it says of itself, and its rows, table by table.

A database gives one, and so does a file; whoever takes one in need not know which.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from tertulia import domain, storage
from tertulia.storage.database.tx import Tx

Block = list[Sequence[Any]]

BLOCK_ROWS = 5_000
BLOCK_BYTES = 1 << 20


class CopyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be known of a copy before its first row."""

    version: str
    taken_at: float
    migrations: list[int]
    tables: dict[str, list[str]]  # in an order in which no row refers to a later table
    rows: dict[str, int]
    counters: dict[str, int]  # the last id that was given out, by table

    @property
    def total(self) -> int:
        return sum(self.rows.values())


class Copy(Protocol):
    @property
    def about(self) -> CopyFacts: ...

    def blocks(self) -> Iterator[tuple[str, Block]]:
        """The rows, a few thousand at a time, in the order of the tables."""


class LiveCopy:
    """What a database holds, seen by one transaction that only reads."""

    def __init__(self, tx: Tx, migrations: frozenset[int]) -> None:
        self._tx = tx
        self._tables = storage.copying.tables(tx)
        self.about = CopyFacts(
            version=domain.version.VERSION,
            taken_at=tx.now,
            migrations=sorted(migrations),
            tables={name: list(columns) for name, columns in self._tables.items()},
            rows={name: storage.copying.count(tx, name) for name in self._tables},
            counters=storage.copying.counters(tx),
        )

    def blocks(self) -> Iterator[tuple[str, Block]]:
        for table, columns in self._tables.items():
            for block in in_blocks(storage.copying.rows(self._tx, table, columns)):
                yield table, block


def in_blocks(rows: Iterator[Sequence[Any]]) -> Iterator[Block]:
    """Rows by the thousand; fewer of those that are large."""
    block: Block = []
    size = 0
    for row in rows:
        block.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(block) >= BLOCK_ROWS or size >= BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
