"""The interface of a copy: its description, and its rows table by table.

A database and a backup file both implement it, so the restore works with either.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from tertulia import __version__, storage
from tertulia.database import id_counters, schema
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES
from tertulia.transfer.backup.file_snapshot import FileSnapshot

Block = list[Sequence[Any]]

UPLOADS, PIECES = "upload", "upload_piece"
BLOCK_ROWS = 5_000
BLOCK_BYTES = 1 << 20


class CopyInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a copy, known before its first row."""

    version: str
    taken_at: float
    migrations: list[int]
    tables: dict[str, list[str]]  # ordered so that no row refers to a later table
    rows: dict[str, int]
    counters: dict[str, int]  # last assigned id by table

    @property
    def total(self) -> int:
        return sum(self.rows.values())


class Copy(Protocol):
    @property
    def about(self) -> CopyInfo: ...

    def blocks(self) -> Iterator[tuple[str, Block]]:
        """The rows in blocks of a few thousand, in the order of the tables."""


class LiveCopy:
    """A copy of a database, read in one read-only transaction.

    Files in a store appear as if they were in the database.
    """

    def __init__(self, tx: Tx, files: FileSnapshot) -> None:
        self._tx = tx
        state = schema.find_state(tx)
        if state.is_too_old:
            raise schema.SchemaTooOld()
        self._files = files
        self._tables = storage.table_copy.tables(tx)
        elsewhere = storage.files.upload_locations.in_stores(tx)
        self.lost_files = files.missing(elsewhere)
        self._elsewhere = [each for each in elsewhere if each.id not in self.lost_files]
        rows = {name: storage.table_copy.count(tx, name) for name in self._tables}
        rows[PIECES] += sum(-(-each.size // PIECE_BYTES) for each in self._elsewhere)
        self.about = CopyInfo(
            version=__version__,
            taken_at=tx.now,
            migrations=sorted(state.applied),
            tables={name: list(columns) for name, columns in self._tables.items()},
            rows=rows,
            counters=id_counters.counters(tx),
        )

    def blocks(self) -> Iterator[tuple[str, Block]]:
        for table, columns in self._tables.items():
            for block in in_blocks(self._rows(table, columns)):
                yield table, block

    def _rows(self, table: str, columns: dict[str, str]) -> Iterator[Sequence[Any]]:
        rows = storage.table_copy.rows(self._tx, table, columns)
        if table == UPLOADS and "place" in columns:
            rows = _in_database(list(columns), rows)
        yield from rows
        if table == PIECES:
            for upload in self._elsewhere:
                for position, data in enumerate(self._files.pieces(upload)):
                    row = {"upload_id": upload.id, "position": position, "data": data}
                    row["realm_id"] = upload.realm_id
                    yield [row[name] for name in columns]


def _in_database(columns: list[str], rows: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows of uploads, with their location set to the database."""
    nowhere = {"place": "", "stored_name": "", "stored_bytes": 0, "stored_digest": ""}
    for row in rows:
        yield [nowhere.get(name, value) for name, value in zip(columns, row, strict=True)]


def in_blocks(rows: Iterator[Sequence[Any]]) -> Iterator[Block]:
    """Groups rows by the thousand, large rows in smaller groups."""
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
