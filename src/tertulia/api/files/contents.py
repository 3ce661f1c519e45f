"""The bytes of an uploaded file, read in parts from its store.

A file may move to another store while it is read. A reader that no longer finds it looks up its
present location and continues there.
"""

from functools import partial

from tertulia import storage
from tertulia.database import OrgDatabase
from tertulia.domain.files.attachments import PIECE_BYTES, Attachment
from tertulia.domain.files.upload_locations import DATABASE, StoredUpload
from tertulia.errors.files import FilesUnavailable
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.store import CHUNK_BYTES, NotInStore, StoreUnavailable
from tertulia.fair_queue import FairQueue
from tertulia.log import log

# Reads from a folder or a bucket, which may be far away: people are served in turn.
FILE_STORE = FairQueue("file_store", slots=8, max_waiting=1000, slots_per_person=6)


class FileReader:
    def __init__(self, db: OrgDatabase, stores: FileStores, file: Attachment) -> None:
        self._db = db
        self._stores = stores
        self._file = file
        self._known: StoredUpload | None = None

    async def read(self, at: int) -> bytes:
        """Read bytes from an offset; empty if the file is gone. Raises FilesUnavailable."""
        for _ in range(2):
            if self._known is None:
                self._known = await self._db.read(
                    storage.files.upload_locations.of_attachment, self._file.id
                )
            found = b"" if self._known is None else await self._read(self._known, at)
            if found:
                return found
            self._known = None
        return b""

    async def _read(self, upload: StoredUpload, at: int) -> bytes:
        if upload.place == DATABASE:
            position, begin = divmod(at, PIECE_BYTES)
            piece = await self._db.in_thread.read(storage.files.uploads.piece, upload.id, position)
            return b"" if piece is None else piece[begin:]
        try:
            store = self._stores.store(upload.place)
            read = partial(store.read, upload.name, at, CHUNK_BYTES)
            return await FILE_STORE.run(self._db.person, read)
        except NotInStore:
            log.error("files.missing", upload_id=upload.id)
            return b""
        except StoreUnavailable as error:
            log.warning("files.store_unavailable", upload_id=upload.id, reason=str(error))
            raise FilesUnavailable() from error
