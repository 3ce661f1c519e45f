"""Uploads: written to the database in pieces, and visible only when complete.

Each piece is a small transaction, so a large upload blocks no one, and at most one piece is in
memory. A job deletes abandoned uploads after an hour.
"""

import io

from tertulia import domain, storage
from tertulia.actions.files import attachments
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import (
    BYTES,
    PIECE_BYTES,
    SHOWN,
    Attachment,
    MediaInfo,
    Quota,
)
from tertulia.domain.people.user import User
from tertulia.errors.files import UploadExpired
from tertulia.errors.messages import FileTooLarge

WAIT_SECONDS = 3600  # for the next piece
DELETED_PER_BATCH = 4  # pieces


class UploadWriter:
    """One upload in progress."""

    def __init__(
        self, db: OrgDatabase, owner: User, max_mib: int, quota: Quota, announced_bytes: int = 0
    ) -> None:
        self._announced_bytes = announced_bytes
        self._db = db
        self._owner = owner
        self._max_mib = max_mib
        self._quota = quota
        self._upload_id: int | None = None
        self._held = bytearray()
        self._stored = 0  # pieces

    async def write(self, data: bytes) -> None:
        """Raises FileTooLarge as soon as the limit is exceeded."""
        self._held += data
        if self._size() > self._max_mib << 20:
            raise FileTooLarge(limit=self._max_mib)
        while len(self._held) > PIECE_BYTES:
            await self._store(PIECE_BYTES)

    async def finish(self, filename: str, content_type: str) -> Attachment:
        """Make the complete file visible."""
        size = self._size()
        upload_id = await self._store(len(self._held))
        media_info = MediaInfo(domain.files.attachments.known_type(content_type, filename))
        if media_info.content_type.startswith("image/"):
            media_info = await self._db.in_thread.read(
                _media_info, upload_id, size, media_info.content_type
            )
        return await self._db.write(
            attachments.add,
            self._owner,
            upload_id,
            filename,
            size,
            media_info,
            self._quota,
        )

    async def abort(self) -> None:
        """Delete the upload. Has no effect on one that was finished."""
        if self._upload_id is not None:
            await self._db.write(storage.files.uploads.abort, self._upload_id)

    def _size(self) -> int:
        return self._stored * PIECE_BYTES + len(self._held)

    async def _store(self, size: int) -> int:
        piece = bytes(self._held[:size])
        del self._held[:size]
        self._upload_id = await self._db.write(self._store_piece, self._stored, piece)
        self._stored += 1
        return self._upload_id

    def _store_piece(self, tx: Tx, position: int, piece: bytes) -> int:
        size = position * PIECE_BYTES + len(piece)
        awaited = max(size, self._announced_bytes)
        attachments.check_quota(tx, self._owner, self._quota, size)
        attachments.check_remaining_quota(
            tx, self._owner, self._quota, awaited, self._upload_id or 0
        )
        upload_id = self._upload_id
        if upload_id is None:
            person_id = domain.files.attachments.person_of(self._owner)
            upload_id = storage.files.uploads.insert(tx, person_id)
        if not storage.files.uploads.refresh_expiry(tx, upload_id, awaited):
            raise UploadExpired()
        if piece:
            storage.files.uploads.add_piece(tx, upload_id, position, piece)
        return upload_id


def _media_info(tx: Tx, upload_id: int, size: int, declared: str) -> MediaInfo:
    """The type of an image. An unknown one of a type that browsers display is treated as bytes."""
    contents = io.BufferedReader(storage.files.uploads.Contents(tx, upload_id, size))
    unknown = MediaInfo(BYTES if declared in SHOWN else declared)
    return domain.files.images.image_info(contents) or unknown


def needs_sweep(tx: Tx) -> bool:
    return storage.files.uploads.any_untouched(tx, tx.now - WAIT_SECONDS)


def sweep(tx: Tx) -> bool:
    """Delete some pieces of an abandoned or deleted file. Returns whether there was one."""
    storage.files.uploads.mark_untouched_for_deletion(tx, tx.now - WAIT_SECONDS)
    return storage.files.uploads.sweep(tx, DELETED_PER_BATCH)
