"""Downloads of uploaded files: the permission check, and the bytes in pieces."""

import io
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from tertulia import actions, api, domain, locale, storage
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Services
from tertulia.api.files.contents import FileReader
from tertulia.database import OrgDatabase
from tertulia.domain.files.attachments import (
    ANIMATED_THUMBNAIL,
    BYTES,
    THUMBNAIL,
    Attachment,
)
from tertulia.errors import ClientError
from tertulia.errors.files import FileAccessDenied, LinkExpired, NoSuchFile
from tertulia.errors.messages import BadImage
from tertulia.external.stores.file_stores import FileStores
from tertulia.fair_queue import FairQueue, Person
from tertulia.http import downloads
from tertulia.http.downloads import Part
from tertulia.http.request import ApiRequest
from tertulia.web import account_pages
from tertulia.web.convertors import REALM

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


class Downloads:
    """Routes under /user_uploads/."""

    def __init__(self, services: Services, auth: Authenticator) -> None:
        self._services = services
        self._auth = auth
        self._thumbnails = Thumbnails(services.stores)

    def routes(self) -> list[Route]:
        return [
            Route("/user_uploads/temporary/{token}/{name}", self.by_link),
            Route(f"/user_uploads/{REALM}/{{path:path}}", self.by_path),
            Route(f"/user_uploads/thumbnail/{REALM}/{{path:path}}", self.thumbnail),
        ]

    async def by_path(self, request: Request) -> Response:
        """Serve a file to a caller who may read it: logged in, or a spectator if the file is
        public.
        """
        try:
            db, found = await self._readable(request, request.path_params["path"])
        except (NoSuchFile, FileAccessDenied) as error:
            return _page(request, error)
        return await self._answer(request, db, found)

    async def thumbnail(self, request: Request) -> Response:
        """Serve a thumbnail. Animations and images that cannot be scaled are served as they are."""
        path, _, shape = request.path_params["path"].rpartition("/")
        try:
            db, found = await self._readable(request, path)
            if shape not in (THUMBNAIL, ANIMATED_THUMBNAIL) or not found.media.width:
                raise NoSuchFile()
        except (NoSuchFile, FileAccessDenied) as error:
            return _page(request, error)
        drawn = b"" if shape == ANIMATED_THUMBNAIL else await self._thumbnails.of(db, found)
        if not drawn:
            return await self._answer(request, db, found)
        return Response(drawn, headers=downloads.headers(shape, "image/webp", _etag(found)))

    async def _readable(self, request: Request, path: str) -> tuple[OrgDatabase, Attachment]:
        call = await self._auth.authenticate_media(ApiRequest(request.scope, request.receive))
        path_id = f"{request.path_params['realm_id']}/{path}"
        return call.db, await call.db.read(actions.files.attachments.readable, call.reader, path_id)

    async def by_link(self, request: Request) -> Response:
        """Serve a file to a caller with a temporary link."""
        try:
            token = request.path_params["token"]
            path_id = api.files.uploads.linked(self._services.vault, token, self._services.clock())
            realm_id = int(path_id.partition("/")[0])
            person = ApiRequest(request.scope, request.receive).person
            db = self._services.database.of(realm_id, person)
            found = await db.read(storage.files.attachments.find_by_path, path_id)
            if found is None:
                raise NoSuchFile()
        except (NoSuchFile, LinkExpired) as error:
            return _page(request, error)
        return await self._answer(request, db, found)

    async def _answer(self, request: Request, db: OrgDatabase, file: Attachment) -> Response:
        is_shown = file.shown_type != BYTES and "download" not in request.query_params
        headers = downloads.headers(file.name, file.shown_type, _etag(file), is_shown=is_shown)
        if downloads.is_known(_etag(file), request.headers.get("If-None-Match", "")):
            return Response(status_code=304, headers=headers)

        part = downloads.part(request.headers.get("Range", ""), file.size)
        if part is not None and part.size == 0:
            return Response(status_code=416, headers={"Content-Range": f"bytes */{file.size}"})
        if part is not None:
            headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{file.size}"
        status, part = (200, Part(0, file.size)) if part is None else (206, part)
        headers["Content-Length"] = str(part.size)
        if request.method == "HEAD" or not part.size:
            return Response(status_code=status, headers=headers)
        reader = FileReader(db, self._services.stores, file)
        first = await reader.read(part.start)
        if not first:
            return _page(request, NoSuchFile())
        return StreamingResponse(_bytes(reader, first, part), status, headers)


def _page(request: Request, error: ClientError) -> Response:
    """Say what is wrong in the language of the browser: people open such addresses in a tab."""
    t = locale.texts(locale.accepted(request.headers.get("accept-language")))
    text = account_pages.describe(ApiRequest(request.scope, request.receive), error)
    body = (
        f'<!doctype html><html lang="{t.language}" dir="{t.direction}">'
        f'<meta charset="utf-8"><title>{text}</title><p>{text}</p>'
    )
    return HTMLResponse(body, error.status, {"Cache-Control": "no-store"})


def _etag(file: Attachment) -> str:
    """Paths are random and never reused, so the path identifies the content."""
    return file.path_id.split("/")[2]


async def _bytes(reader: FileReader, first: bytes, part: Part) -> AsyncIterator[bytes]:
    at, found = part.start, first
    while found:  # deleted meanwhile: the client sees that the response is too short
        data = found[: part.end - at]
        at += len(data)
        yield data
        if at == part.end:
            return
        found = await reader.read(at)
