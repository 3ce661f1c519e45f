"""Uploaded pictures made small, when somebody first asks for one.

What came of it is kept with the file; a picture that cannot be drawn is shown as it is. One file at
a time is fetched for drawing, so that no more than one waits in memory. Readers are served in turn.
"""

import io

from tertulia import api, domain, storage
from tertulia.api.files.contents import FileReader
from tertulia.database import OrgDatabase
from tertulia.domain.files.attachments import Attachment
from tertulia.errors.files import NoSuchFile
from tertulia.errors.messages import BadImage
from tertulia.external.stores.file_stores import FileStores
from tertulia.fair_queue import FairQueue, Person

LARGEST_BYTES = 32 << 20  # of a file that is drawn

THUMBNAILS = FairQueue("thumbnails", slots=1, max_waiting=200)  # a page may show many


class Thumbnails:
    def __init__(self, stores: FileStores) -> None:
        self._stores = stores

    async def of(self, db: OrgDatabase, file: Attachment) -> bytes:
        """The picture as WebP; nothing if there cannot be one."""
        known = await db.read(storage.files.attachments.thumbnail, file.id)
        if known is not None:
            return known
        async with THUMBNAILS.slot(db.person):
            known = await db.read(storage.files.attachments.thumbnail, file.id)
            if known is not None:
                return known
            drawn = await _drawn(db.person, file, FileReader(db, self._stores, file))
            await db.write(storage.files.attachments.put_thumbnail, file.id, drawn)
            return drawn


async def _drawn(person: Person, file: Attachment, reader: FileReader) -> bytes:
    if not file.looks.width or file.size > LARGEST_BYTES:
        return b""
    contents = io.BytesIO()
    while contents.tell() < file.size and (found := await reader.read(contents.tell())):
        contents.write(found)
    if contents.tell() < file.size:
        raise NoSuchFile()
    contents.seek(0)
    try:
        return await api.files.pictures.drawn(person, domain.files.images.thumbnail, contents)
    except BadImage:
        return b""
