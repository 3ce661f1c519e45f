"""A BSON reader for MongoDB dumps.

A dump is untrusted and may be truncated or damaged. Every length is checked against the available
bytes before it is used, so the reader always advances and ends: with the last document, or with
DamagedDump.
"""

import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tertulia.transfer.importing.archive_reader import InvalidExport

MIN_DOCUMENT_BYTES = 5  # its length and the zero at its end
MAX_DOCUMENT_BYTES = 64 << 20  # MongoDB's own limit is 16 MB
MAX_DEPTH = 200  # MongoDB's own limit is 100

Document = dict[str, Any]

_LENGTH = struct.Struct("<i")
_LONG = struct.Struct("<q")
NUMBERS = {0x01: struct.Struct("<d"), 0x10: _LENGTH, 0x11: _LONG, 0x12: _LONG}


class DamagedDump(InvalidExport):
    """The file is not BSON, or is truncated."""

    def __init__(self, file: Path, offset: int, reason: str) -> None:
        super().__init__(f"{file.name} is damaged at byte {offset:,}: {reason}.")


def documents(file: Path) -> Iterator[tuple[int, Document]]:
    """Every document of a file, with its offset. Raises DamagedDump."""
    for offset, data in _raw_documents(file):
        yield offset, _decode_at(file, offset, data)


def count(file: Path) -> int:
    """The number of documents in a file, without decoding them. Raises DamagedDump."""
    return sum(1 for _ in _raw_documents(file))


def at(file: Path, offsets: list[int]) -> Iterator[Document]:
    """The documents at these offsets. Raises DamagedDump."""
    with file.open("rb") as dump:
        for offset in offsets:
            dump.seek(offset)
            data = _read_document(dump, file, offset)
            if data is None:
                raise DamagedDump(file, offset, "the file has become shorter")
            yield _decode_at(file, offset, data)


def decode(data: bytes) -> Document:
    """One document. Raises ValueError."""
    found, end = _document(data, 0, len(data), 0)
    if end != len(data):
        raise ValueError("bytes follow the end of a document")
    return found


def _raw_documents(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as dump:
        offset = 0
        while (data := _read_document(dump, file, offset)) is not None:
            yield offset, data
            offset += len(data)


def _read_document(dump: IO[bytes], file: Path, offset: int) -> bytes | None:
    """The bytes of the next document; None at the end of the file."""
    head = dump.read(_LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise DamagedDump(file, offset, "the file ends inside the length of a document")
    (size,) = _LENGTH.unpack(head)
    if not MIN_DOCUMENT_BYTES <= size <= MAX_DOCUMENT_BYTES:
        raise DamagedDump(file, offset, f"a document cannot have {size:,} bytes")
    body = dump.read(size - _LENGTH.size)
    if len(body) < size - _LENGTH.size:
        raise DamagedDump(file, offset, f"the file ends inside a document of {size:,} bytes")
    return head + body


def _decode_at(file: Path, offset: int, data: bytes) -> Document:
    try:
        return decode(data)
    except ValueError as error:
        raise DamagedDump(file, offset, str(error)) from None


def _document(data: bytes, at: int, limit: int, depth: int) -> tuple[Document, int]:
    """The document at an offset, which must end before the limit, and its end."""
    if depth > MAX_DEPTH:
        raise ValueError(f"documents are nested more than {MAX_DEPTH} deep")
    size = _length(data, at, limit)
    end = at + size
    if size < MIN_DOCUMENT_BYTES or end > limit or data[end - 1]:
        raise ValueError("the length of a document is wrong")
    at += _LENGTH.size
    found: Document = {}
    while at < end - 1:
        kind = data[at]
        stop = _zero(data, at + 1, end - 1)
        name = data[at + 1 : stop].decode("utf-8", "replace")
        found[name], at = _value(kind, data, stop + 1, end - 1, depth)
        if at > end - 1:
            raise ValueError("a value is longer than its document")
    return found, end


def _value(kind: int, data: bytes, at: int, limit: int, depth: int) -> tuple[Any, int]:
    """A value and its end; the caller checks that the end is before the limit."""
    if kind in NUMBERS:
        number = NUMBERS[kind]
        _check_fits(at + number.size, limit)
        return number.unpack_from(data, at)[0], at + number.size
    if kind in (0x02, 0x0D, 0x0E):
        end = _string_end(data, at, limit)
        return data[at + 4 : end - 1].decode("utf-8", "replace"), end
    if kind == 0x03:
        return _document(data, at, limit, depth + 1)
    if kind == 0x04:
        found, end = _document(data, at, limit, depth + 1)
        return list(found.values()), end
    if kind == 0x05:
        size = _length(data, at, limit)
        _check_fits(at + 5 + size, limit)
        return data[at + 5 : at + 5 + size], at + 5 + size
    if kind == 0x07:
        _check_fits(at + 12, limit)
        return data[at : at + 12].hex(), at + 12
    if kind == 0x08:
        _check_fits(at + 1, limit)
        return bool(data[at]), at + 1
    if kind == 0x09:  # milliseconds
        _check_fits(at + 8, limit)
        return _LONG.unpack_from(data, at)[0] / 1000, at + 8
    if kind in (0x06, 0x0A, 0x7F, 0xFF):  # undefined, null, min key and max key
        return None, at
    if kind == 0x0B:  # a regular expression and its options
        return "", _zero(data, _zero(data, at, limit) + 1, limit) + 1
    if kind == 0x0C:  # a DBPointer: a string and an id
        return None, _string_end(data, at, limit) + 12
    if kind == 0x0F:  # code with its scope
        return None, at + max(_length(data, at, limit), MIN_DOCUMENT_BYTES)
    if kind == 0x13:
        return None, at + 16
    raise ValueError(f"values of type {kind:#04x} are not supported")


def _length(data: bytes, at: int, limit: int) -> int:
    _check_fits(at + _LENGTH.size, limit)
    size: int = _LENGTH.unpack_from(data, at)[0]
    if size < 0:
        raise ValueError("a length is negative")
    return size


def _string_end(data: bytes, at: int, limit: int) -> int:
    size = _length(data, at, limit)
    end = at + _LENGTH.size + size
    _check_fits(end, limit)
    if not size or data[end - 1]:
        raise ValueError("a text does not end with a zero")
    return end


def _zero(data: bytes, at: int, limit: int) -> int:
    """The offset of the next zero byte. Raises ValueError if there is none before the limit."""
    found = data.find(0, at, limit)
    if found < 0:
        raise ValueError("a name has no end")
    return found


def _check_fits(end: int, limit: int) -> None:
    if end > limit:
        raise ValueError("a value is longer than its document")


IN_MEMORY = 4 << 20  # of a file while it is assembled; the rest is in a temporary file


class GridFsFiles:
    """The files of one dump, by id. Without a dump there are none."""

    def __init__(self, dump: Path) -> None:
        self._dump = dump
        self._chunks: dict[str, list[tuple[int, int]]] = {}  # chunk number and offset
        if dump.exists():
            for offset, row in documents(dump):
                pieces = self._chunks.setdefault(str(row.get("files_id")), [])
                pieces.append((row.get("n") or 0, offset))

    def __contains__(self, key: str) -> bool:
        return key in self._chunks

    def open(self, key: str) -> IO[bytes]:
        """A whole file. Raises FileNotFoundError."""
        if key not in self._chunks:
            raise FileNotFoundError(key)
        whole = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        for row in at(self._dump, [offset for _, offset in sorted(self._chunks[key])]):
            whole.write(row.get("data") or b"")
        whole.seek(0)
        return whole
