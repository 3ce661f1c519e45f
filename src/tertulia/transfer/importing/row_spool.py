"""Rows of an export on disk, to be read in order of time: for formats whose files have no order."""

import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

_LENGTH = struct.Struct("<I")

Row = dict[str, Any]


class RowSpool:
    """A temporary file without a name; memory holds a time and an offset per row."""

    def __init__(self, folder: Path) -> None:
        place = folder if os.access(folder, os.W_OK) else None
        self._file = tempfile.TemporaryFile(dir=place)  # noqa: SIM115
        self._order: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._order)

    def add(self, at: float, row: Row) -> int:
        """Returns the offset, by which `read` finds the row again."""
        data = msgspec.msgpack.encode(row)
        offset = self._file.seek(0, os.SEEK_END)
        self._file.write(_LENGTH.pack(len(data)) + data)
        self._order.append((at, offset))
        return offset

    def read(self, offset: int) -> Row:
        self._file.seek(offset)
        (length,) = _LENGTH.unpack(self._file.read(_LENGTH.size))
        row: Row = msgspec.msgpack.decode(self._file.read(length))
        return row

    def rows(self) -> Iterator[tuple[float, Row]]:
        """All rows by time; those of the same time in the order in which they were added."""
        self._order.sort()
        for at, offset in self._order:
            yield at, self.read(offset)
