"""Moves uploaded files to their store, and deletes copies that are no longer needed.

Every upload is first written to the database, so it never waits for a store. A file that belongs in
a store is copied there and read back; then it is served from there and the first copy is deleted.
An interruption leaves a copy that is not served, which is deleted later.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

from msgspec.structs import replace

from tertulia import domain, storage
from tertulia.database import BlockingDatabase, Database
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES
from tertulia.domain.files.upload_locations import DATABASE, UNFINISHED, StoredUpload
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.store import NotInStore, StoreUnavailable, chunks
from tertulia.log import log

T = TypeVar("T")

PIECES_PER_BATCH = 4
IN_MEMORY = 4 << 20  # of a file while it is copied; the rest is in a temporary file
DELETED_PER_BATCH = 100
TROUBLED_SECONDS = 5  # until a store that failed is tried again


class DamagedFile(Exception):
    """The contents do not match their checksum; the file is not moved."""


class UploadCopier:
    """Copies files between stores. It blocks: call it on a thread or in a command."""

    def __init__(self, database: BlockingDatabase, stores: FileStores, to: str) -> None:
        self._database = database
        self._stores = stores
        self._to = to

    def next(self, tx: Tx, after: int, *, only_from_database: bool = False) -> StoredUpload | None:
        largest = None if self._to == DATABASE else self._stores.store(self._to).max_file_bytes
        return storage.files.upload_locations.next_to_migrate(
            tx, self._to, after, largest, only_from_database=only_from_database
        )

    def copy(self, upload: StoredUpload) -> bool:
        """Copy one file; returns False if it was deleted meanwhile.

        Raises StoreUnavailable if a store cannot be reached, NotInStore or DamagedFile if this one
        file is missing or damaged.
        """
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as contents:
            digest = _digest(self._read(upload), contents)
            if contents.tell() != upload.size or upload.digest not in ("", digest):
                raise DamagedFile
            name = (
                ""
                if self._to == DATABASE
                else domain.files.upload_locations.new_name(upload.realm_id)
            )
            copy = replace(upload, place=self._to, name=name, digest=digest)
            copy = replace(
                copy, id=self._write(upload, storage.files.upload_locations.insert, copy)
            )
            contents.seek(0)
            self._store(copy, contents)
        if _digest(self._read(copy)) != digest:
            raise DamagedFile
        is_wanted: bool = self._write(
            upload, storage.files.upload_locations.replace, upload.id, copy.id
        )
        return is_wanted

    def _read(self, upload: StoredUpload) -> Iterator[bytes]:
        if upload.place != DATABASE:
            store = self._stores.store(upload.place)
            yield from chunks(store, upload.name, upload.size)
            return
        position = 0
        while pieces := self._database.of(upload.realm_id).read(
            storage.files.uploads.pieces, upload.id, position, PIECES_PER_BATCH
        ):
            yield from pieces
            position += len(pieces)

    def _store(self, copy: StoredUpload, contents: IO[bytes]) -> None:
        if copy.place != DATABASE:
            self._stores.store(copy.place).put(copy.name, contents, copy.size, copy.digest)
            return
        position = 0
        while piece := contents.read(PIECE_BYTES):
            self._write(copy, storage.files.uploads.add_piece, copy.id, position, piece)
            position += 1

    def _write(self, upload: StoredUpload, action: Callable[..., T], *args: Any) -> T:
        return self._database.of(upload.realm_id).write(action, *args)


class UploadMigration:
    """The job: moves new files to their store and deletes unused ones from it."""

    def __init__(self, database: Database, stores: FileStores) -> None:
        self._database = database
        self._stores = stores
        self._is_failure_logged = False

    async def run_once(self) -> None:
        """Move files from the database to the store that the settings choose."""
        copier = UploadCopier(self._database.blocking, self._stores, self._stores.chosen)
        after = 0
        while upload := await self._database.of(0).read(
            copier.next, after, only_from_database=True
        ):
            after = upload.id
            try:
                await asyncio.to_thread(copier.copy, upload)
                self._is_failure_logged = False
            except StoreUnavailable as error:
                if not self._is_failure_logged:
                    log.warning("files.move_paused", reason=str(error), retry_s=TROUBLED_SECONDS)
                await self._back_off()
                return
            except (DamagedFile, NotInStore):
                log.error("files.damaged", upload_id=upload.id)

    async def sweep(self) -> None:
        try:
            while found := await self._database.of(0).read(
                storage.files.upload_locations.list_to_delete, DELETED_PER_BATCH
            ):
                await asyncio.to_thread(remove, self._database.blocking, self._stores, found)
                self._is_failure_logged = False
        except StoreUnavailable as error:
            if not self._is_failure_logged:
                log.warning("files.delete_paused", reason=str(error), retry_s=TROUBLED_SECONDS)
            await self._back_off()

    async def _back_off(self) -> None:
        self._is_failure_logged = True
        await asyncio.sleep(TROUBLED_SECONDS)


def sweep(database: BlockingDatabase, stores: FileStores) -> None:
    """Delete all unused files from their stores."""
    while found := database.of(0).read(
        storage.files.upload_locations.list_to_delete, DELETED_PER_BATCH
    ):
        remove(database, stores, found)


def remove(database: BlockingDatabase, stores: FileStores, uploads: list[StoredUpload]) -> None:
    """Delete these files from their stores, without asking whether they are used."""
    for upload in uploads:
        stores.store(upload.place).delete(upload.name)
        database.of(upload.realm_id).write(storage.files.upload_locations.clear, upload.id)


def orphaned_files(
    database: BlockingDatabase, stores: FileStores, store_name: str
) -> dict[str, int]:
    """Files in a store that this database does not know, with their sizes.

    A file is recorded before it is stored. So an unknown file is from another time, as after a
    restore, or from another server.
    """
    found = stores.store(store_name).sizes()
    ours = {
        name: size for name, size in found if domain.files.upload_locations.is_of_a_server(name)
    }
    known = database.of(0).read(storage.files.upload_locations.names, store_name)
    return {n: size for n, size in ours.items() if n.removesuffix(UNFINISHED) not in known}


def _digest(chunks: Iterator[bytes], copied_to: IO[bytes] | None = None) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        if copied_to is not None:
            copied_to.write(chunk)
    return digest.hexdigest()
