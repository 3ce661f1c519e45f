"""Files of MongoDB's GridFS in a dump: stored in chunks, each a document."""

import tempfile
from pathlib import Path
from typing import IO

from tertulia.transfer.importing import bson

IN_MEMORY = 4 << 20  # of a file while it is assembled; the rest is in a temporary file


class GridFsFiles:
    """The files of one dump, by id. Without a dump there are none."""

    def __init__(self, dump: Path) -> None:
        self._dump = dump
        self._chunks: dict[str, list[tuple[int, int]]] = {}  # chunk number and offset
        if dump.exists():
            for offset, row in bson.documents(dump):
                pieces = self._chunks.setdefault(str(row.get("files_id")), [])
                pieces.append((row.get("n") or 0, offset))

    def __contains__(self, key: str) -> bool:
        return key in self._chunks

    def open(self, key: str) -> IO[bytes]:
        """A whole file. Raises FileNotFoundError."""
        if key not in self._chunks:
            raise FileNotFoundError(key)
        whole = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        for row in bson.at(self._dump, [offset for _, offset in sorted(self._chunks[key])]):
            whole.write(row.get("data") or b"")
        whole.seek(0)
        return whole
