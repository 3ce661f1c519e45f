"""The bytes of uploaded files, in pieces."""

import io
from typing import TYPE_CHECKING

from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

TO_DELETE = 0  # the time of the last piece of a file that is to be deleted


def insert(tx: Tx, person_id: int | None = None) -> int:
    return tx.insert_with_id("upload", touched_at=tx.now, person_id=person_id)


def refresh_expiry(tx: Tx, upload_id: int, expected_bytes: int) -> bool:
    """Record progress, and the announced size. Returns whether the upload is still open."""
    touched = tx.execute(
        "UPDATE upload SET touched_at = :now, expected_bytes = :awaited"
        " WHERE id = :id AND realm_id = :realm AND touched_at > :to_delete",
        now=tx.now,
        awaited=expected_bytes,
        id=upload_id,
        to_delete=TO_DELETE,
    )
    return touched > 0


def awaited(tx: Tx, *, besides: int, person_id: int | None = None) -> int:
    """The announced bytes of all other open uploads; of one person, if given."""
    return tx.number(
        "SELECT coalesce(sum(expected_bytes), 0) AS value FROM upload"
        " WHERE touched_at > :to_delete AND realm_id = :realm AND id <> :besides"
        " AND (CAST(:person AS BIGINT) IS NULL OR person_id = :person)",
        to_delete=TO_DELETE,
        besides=besides,
        person=person_id,
    )


def finish(tx: Tx, upload_id: int) -> bool:
    """Complete an upload. Returns whether it was still open."""
    return _set_touched(tx, upload_id, None)


def abort(tx: Tx, upload_id: int) -> bool:
    """Abort an upload, unless it is complete. Returns whether it was still open."""
    return _set_touched(tx, upload_id, TO_DELETE)


def _set_touched(tx: Tx, upload_id: int, at: float | None) -> bool:
    touched = tx.execute(
        "UPDATE upload SET touched_at = :at, person_id = NULL"
        " WHERE id = :id AND realm_id = :realm AND touched_at > :to_delete",
        at=at,
        id=upload_id,
        to_delete=TO_DELETE,
    )
    return touched > 0


def mark_for_deletion(tx: Tx, upload_id: int) -> None:
    """Mark a complete file for deletion."""
    tx.update("upload", upload_id, touched_at=TO_DELETE)


def add_piece(tx: Tx, upload_id: int, position: int, data: bytes) -> None:
    tx.insert_row("upload_piece", upload_id=upload_id, position=position, data=data)


def piece(tx: Tx, upload_id: int, position: int) -> bytes | None:
    found = tx.value(
        "SELECT data AS value FROM upload_piece WHERE upload_id = :upload"
        " AND position = :position AND realm_id = :realm",
        upload=upload_id,
        position=position,
    )
    return None if found is None else bytes(found)


def pieces(tx: Tx, upload_id: int, position: int, limit: int) -> list[bytes]:
    """Some pieces in a row."""
    rows = tx.all(
        "SELECT data FROM upload_piece WHERE upload_id = :upload AND realm_id = :realm"
        " AND position >= :position AND position < :end ORDER BY position",
        upload=upload_id,
        position=position,
        end=position + limit,
    )
    return [bytes(row["data"]) for row in rows]


# --- sweeping, in all organizations ---


def mark_untouched_for_deletion(tx: Tx, before: float) -> None:
    """Abort uploads without progress since a time."""
    tx.execute(
        "UPDATE upload SET touched_at = :to_delete, person_id = NULL"
        " WHERE touched_at > :to_delete AND touched_at < :before",
        to_delete=TO_DELETE,
        before=before,
    )


def any_untouched(tx: Tx, before: float) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM upload WHERE touched_at < :before LIMIT 1", before=before
    )


def sweep(tx: Tx, max_pieces: int) -> bool:
    """Delete some pieces of a file that is marked for deletion. Returns whether there was one."""
    upload_id = tx.value(
        "SELECT id AS value FROM upload WHERE touched_at = :to_delete AND place = '' LIMIT 1",
        to_delete=TO_DELETE,
    )
    if upload_id is None:
        return False
    swept = tx.execute(
        "DELETE FROM upload_piece WHERE upload_id = :upload AND position IN"
        " (SELECT position FROM upload_piece WHERE upload_id = :upload LIMIT :limit)",
        upload=upload_id,
        limit=max_pieces,
    )
    if swept < max_pieces:
        tx.execute("DELETE FROM upload WHERE id = :upload", upload=upload_id)
    return True


class Contents(io.RawIOBase):
    """A stored file as a readable file object; fetches only the pieces that are read."""

    def __init__(self, tx: Tx, upload_id: int, size: int) -> None:
        self._tx = tx
        self._upload_id = upload_id
        self._size = size
        self._at = 0
        self._known: tuple[int, bytes] = (-1, b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: "Buffer", /) -> int:
        room = memoryview(buffer).cast("B")
        position, begin = divmod(self._at, PIECE_BYTES)
        found = self._piece(position)[begin : begin + len(room)]
        room[: len(found)] = found
        self._at += len(found)
        return len(found)

    def _piece(self, position: int) -> bytes:
        if self._known[0] != position:
            self._known = (position, piece(self._tx, self._upload_id, position) or b"")
        return self._known[1]
