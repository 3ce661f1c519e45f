"""Just enough of BSON to read a dump of MongoDB."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Document = dict[str, Any]

_LONG = struct.Struct("<q")
NUMBERS = {0x01: struct.Struct("<d"), 0x10: struct.Struct("<i"), 0x11: _LONG, 0x12: _LONG}


def documents(file: Path) -> Iterator[tuple[int, Document]]:
    """Every document of a file, and where it begins."""
    with file.open("rb") as dump:
        place = 0
        while len(head := dump.read(4)) == 4:
            (size,) = struct.unpack("<i", head)
            yield place, decode(head + dump.read(size - 4))
            place += size


def at(file: Path, places: list[int]) -> Iterator[Document]:
    """The documents that begin at these places."""
    with file.open("rb") as dump:
        for place in places:
            dump.seek(place)
            head = dump.read(4)
            (size,) = struct.unpack("<i", head)
            yield decode(head + dump.read(size - 4))


def decode(data: bytes) -> Document:
    found, _ = _document(data, 0)
    return found


def _document(data: bytes, at: int) -> tuple[Document, int]:
    (size,) = struct.unpack_from("<i", data, at)
    end, at = at + size, at + 4
    found: Document = {}
    while data[at]:
        kind = data[at]
        stop = data.index(0, at + 1)
        name = data[at + 1 : stop].decode("utf-8", "replace")
        found[name], at = _value(kind, data, stop + 1)
    return found, end


def _value(kind: int, data: bytes, at: int) -> tuple[Any, int]:
    if kind in NUMBERS:
        number = NUMBERS[kind]
        return number.unpack_from(data, at)[0], at + number.size
    if kind in (0x02, 0x0D, 0x0E):
        (size,) = struct.unpack_from("<i", data, at)
        return data[at + 4 : at + 3 + size].decode("utf-8", "replace"), at + 4 + size
    if kind == 0x03:
        return _document(data, at)
    if kind == 0x04:
        found, end = _document(data, at)
        return list(found.values()), end
    if kind == 0x05:
        (size,) = struct.unpack_from("<i", data, at)
        return data[at + 5 : at + 5 + size], at + 5 + size
    if kind == 0x07:
        return data[at : at + 12].hex(), at + 12
    if kind == 0x08:
        return bool(data[at]), at + 1
    if kind == 0x09:  # milliseconds
        return struct.unpack_from("<q", data, at)[0] / 1000, at + 8
    if kind in (0x06, 0x0A):
        return None, at
    if kind == 0x0B:
        middle = data.index(0, at)
        return "", data.index(0, middle + 1) + 1
    if kind == 0x13:
        return None, at + 16
    raise ValueError(f"a value of the kind {kind} in BSON")
