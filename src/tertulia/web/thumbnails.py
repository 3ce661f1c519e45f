"""Thumbnails of uploaded images, made on the first request.

The result is stored with the file; an image that cannot be scaled is served as it is. The server
fetches one file at a time for scaling, so at most one is in memory. Clients take turns.
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

MAX_FILE_BYTES = 32 << 20  # largest file that is scaled

THUMBNAILS = FairQueue("thumbnails", slots=1, max_waiting=200)  # a page may show many images


class Thumbnails:
    def __init__(self, stores: FileStores) -> None:
        self._stores = stores

    async def of(self, db: OrgDatabase, file: Attachment) -> bytes:
        """The thumbnail as WebP, or None if the image cannot be scaled."""
        known = await db.read(storage.files.attachments.thumbnail, file.id)
        if known is not None:
            return known
        async with THUMBNAILS.slot(db.person):
            known = await db.read(storage.files.attachments.thumbnail, file.id)
            if known is not None:
                return known
            drawn = await _drawn(db.person, file, FileReader(db, self._stores, file))
            await db.write(storage.files.attachments.store_thumbnail, file.id, drawn)
            return drawn


async def _drawn(person: Person, file: Attachment, reader: FileReader) -> bytes:
    if not file.media.width or file.size > MAX_FILE_BYTES:
        return b""
    contents = io.BytesIO()
    while contents.tell() < file.size and (found := await reader.read(contents.tell())):
        contents.write(found)
    if contents.tell() < file.size:
        raise NoSuchFile()
    contents.seek(0)
    try:
        return await api.files.pictures.process(person, domain.files.images.thumbnail, contents)
    except BadImage:
        return b""
