"""A consistent view of uploaded files for backups and exports, wherever the files are stored.

Files in the database belong to the transaction. Files in a store could be deleted meanwhile, so a
hold prevents that until the copy is done.
"""

import contextlib
import hashlib
import io
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from tertulia import storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES
from tertulia.domain.files.upload_locations import DATABASE, StoredUpload
from tertulia.errors import StartupError
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.store import NotInStore, chunks

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

RENEWED_SECONDS = 60


class DamagedStoredFile(StartupError):
    """A file in a store does not match its checksum."""

    def __init__(self, upload: StoredUpload) -> None:
        super().__init__(f"The file {upload.name} in {upload.place} is damaged.")


class FileSnapshot:
    def __init__(self, database: BlockingDatabase, stores: FileStores, hold_id: int | None) -> None:
        self._database = database
        self._stores = stores
        self._hold_id = hold_id
        self._renewed = time.monotonic()

    def missing(self, uploads: list[StoredUpload]) -> set[int]:
        """The uploads that are missing in their store or have the wrong size."""
        found: set[int] = set()
        for place in {each.place for each in uploads}:
            sizes = dict(self._stores.store(place).sizes())
            found |= {
                each.id
                for each in uploads
                if each.place == place and sizes.get(each.name) != each.size
            }
        return found

    def contents(self, tx: Tx, attachment_id: int, size: int) -> BinaryIO:
        """A file, also a kept one, to be read from the beginning to the end."""
        found = storage.files.upload_locations.of_attachment(tx, attachment_id)
        upload = found or storage.files.upload_locations.of_kept_file(tx, attachment_id)
        assert upload is not None
        if upload.place == DATABASE:
            raw: io.RawIOBase = storage.files.uploads.Contents(tx, upload.id, size)
        else:
            raw = _ChunkReader(self.chunks(upload))
        return cast(BinaryIO, io.BufferedReader(raw))

    def pieces(self, upload: StoredUpload) -> Iterator[bytes]:
        """A file in a store, in pieces of the size that the database uses."""
        buffer = bytearray()
        for chunk in self.chunks(upload):
            buffer += chunk
            while len(buffer) >= PIECE_BYTES:
                yield bytes(buffer[:PIECE_BYTES])
                del buffer[:PIECE_BYTES]
        if buffer:
            yield bytes(buffer)

    def chunks(self, upload: StoredUpload) -> Iterator[bytes]:
        self._renew()
        digest = hashlib.sha256()
        store = self._stores.store(upload.place)
        try:
            for chunk in chunks(store, upload.name, upload.size):
                digest.update(chunk)
                yield chunk
        except NotInStore:
            raise DamagedStoredFile(upload) from None
        if digest.hexdigest() != upload.digest:
            raise DamagedStoredFile(upload)

    def _renew(self) -> None:
        if self._hold_id is not None and time.monotonic() > self._renewed + RENEWED_SECONDS:
            self._database.of(0).write(storage.files.upload_locations.renew_hold, self._hold_id)
            self._renewed = time.monotonic()


@contextlib.contextmanager
def open_snapshot(database: BlockingDatabase, stores: FileStores) -> Iterator[FileSnapshot]:
    """Place a hold while the context is open. Writes nothing if no file is in a store."""
    if not database.of(0).read(storage.files.upload_locations.in_stores):
        yield FileSnapshot(database, stores, None)
        return
    hold_id = database.of(0).write(storage.files.upload_locations.hold)
    try:
        yield FileSnapshot(database, stores, hold_id)
    finally:
        database.of(0).write(storage.files.upload_locations.release_hold, hold_id)


class _ChunkReader(io.RawIOBase):
    """Presents consecutive pieces as one file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        room = memoryview(buffer).cast("B")
        if not self._buffer:
            self._buffer = next(self._chunks, b"")
        found, self._buffer = self._buffer[: len(room)], self._buffer[len(room) :]
        room[: len(found)] = found
        return len(found)
