"""Uploaded pictures made small, when somebody first asks for one.

What came of it is kept with the file; a picture that cannot be drawn is shown as it is. One file at
a time is fetched for drawing, so that no more than one waits in memory.
"""

import asyncio
import io

from tertulia import api, domain, storage
from tertulia.domain.files.attachments import PIECE_BYTES, Attachment
from tertulia.errors.messages import BadImage
from tertulia.storage.database import Bound

LARGEST_BYTES = 32 << 20  # of a file that is drawn


class Thumbnails:
    def __init__(self) -> None:
        self._drawing = asyncio.Lock()

    async def of(self, db: Bound, file: Attachment) -> bytes:
        """The picture as WebP; nothing if there cannot be one."""
        known = await db.read(storage.files.attachments.thumbnail, file.id)
        if known is not None:
            return known
        async with self._drawing:
            known = await db.read(storage.files.attachments.thumbnail, file.id)
            if known is not None:
                return known
            drawn = await _drawn(db, file)
            await db.write(storage.files.attachments.put_thumbnail, file.id, drawn)
            return drawn


async def _drawn(db: Bound, file: Attachment) -> bytes:
    if not file.looks.width or file.size > LARGEST_BYTES:
        return b""
    contents = io.BytesIO()
    for position in range(-(-file.size // PIECE_BYTES)):
        piece = await db.read_aside(storage.files.uploads.piece, file.upload_id, position)
        contents.write(piece or b"")
    contents.seek(0)
    try:
        return await api.files.pictures.drawn(domain.files.images.thumbnail, contents)
    except BadImage:
        return b""
