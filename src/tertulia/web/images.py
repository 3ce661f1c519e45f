"""Image endpoints: avatars, emoji, icons and logos of organizations."""

import hashlib
import re
import struct
import zlib
from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import api, domain, events, features, storage
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Services
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.http.request import ApiRequest
from tertulia.memo import memoized
from tertulia.web.convertors import REALM

_CELLS = 5
_BACKGROUND = (240, 240, 240)


@memoized("identicons", 256)
def identicon(seed: str, pixels: int) -> bytes:
    """A symmetric pattern in one colour, as a PNG; the same seed always gives the same one."""
    digest = hashlib.blake2b(seed.encode(), digest_size=16).digest()
    color = tuple(64 + byte // 2 for byte in digest[:3])
    half = (_CELLS + 1) // 2
    bits = int.from_bytes(digest[4:8], "big")
    cell = pixels // (_CELLS + 1)
    margin = (pixels - cell * _CELLS) // 2
    rows = []
    for row in range(_CELLS):
        left = [bits >> (row * half + column) & 1 for column in range(half)]
        filled = left + left[-2::-1]
        line = bytes(_BACKGROUND) * margin
        for on in filled:
            line += bytes(color if on else _BACKGROUND) * cell
        line += bytes(_BACKGROUND) * (pixels - margin - cell * _CELLS)
        rows.extend([line] * cell)
    empty = bytes(_BACKGROUND) * pixels
    above = [empty] * margin
    below = [empty] * (pixels - margin - cell * _CELLS)
    return _png(above + rows + below, pixels)


def _png(rows: list[bytes], pixels: int) -> bytes:
    raw = b"".join(b"\0" + row for row in rows)
    header = struct.pack(">IIBBBBB", pixels, len(rows), 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(raw, 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


PICTURE_HEADERS = {"Cache-Control": "public, max-age=86400"}
FIXED_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}
FILE_NAME = re.compile(r"[0-9a-z-]{1,100}\.(png|gif)")  # file names of avatars


class ImagePages:
    def __init__(self, services: Services, auth: Authenticator) -> None:
        self._database = services.database
        self._finder = services.delivery.follower.finder
        self._auth = auth

    def routes(self) -> list[Route]:
        emoji, here = storage.organization.custom_emoji, f"/user_avatars/{REALM}"
        fixed = {
            f"{here}/emoji/images/{{name}}": emoji.picture,
            f"{here}/emoji/images/still/{{name}}": emoji.find_still,
            f"{here}/realm/{{name}}": _named_as_png,
        }
        return [
            Route(f"{here}/{{name}}", self._avatar),
            *(Route(path, partial(self._fixed_picture, read=read)) for path, read in fixed.items()),
            Route("/avatar/{who}", self._avatar_of),
            Route("/avatar/{who}/medium", partial(self._avatar_of, medium=True)),
        ]

    async def _avatar(self, request: Request) -> Response:
        """Serve a generated or an uploaded avatar."""
        realm_id: int = request.path_params["realm_id"]
        file_name: str = request.path_params["name"]
        if not FILE_NAME.fullmatch(file_name) or not file_name.endswith(".png"):
            return _missing()
        stem = file_name.removesuffix(".png")
        name, is_medium = stem.removesuffix("-medium"), stem.endswith("-medium")
        if name.isdecimal():
            pixels = (
                domain.files.images.MEDIUM_AVATAR_EDGE
                if is_medium
                else domain.files.images.AVATAR_EDGE
            )
            return generated_avatar(f"{realm_id}/{name}", pixels)
        data = None
        if await self._finder.find(realm_id) is not None:
            read = partial(storage.people.avatars.find, medium=is_medium)
            data = await self._database_for(request, realm_id).read(read, name)
        if data is None:
            return _missing()
        return Response(data, media_type="image/png", headers=FIXED_HEADERS)

    def _database_for(self, request: Request, realm_id: int) -> OrgDatabase:
        return self._database.of(realm_id, ApiRequest(request.scope, request.receive).person)

    async def _avatar_of(self, request: Request, *, medium: bool = False) -> Response:
        """Redirect to the present avatar of an account, by id or email. It may change any time."""
        call = await self._auth.authenticate_media(ApiRequest(request.scope, request.receive))
        user = api.people.avatars.find_user(call, request.path_params["who"])
        url = events.types.people.user.avatar_url(
            call.org, user, client_gravatar=False, medium=medium
        )
        assert url is not None
        return RedirectResponse(
            url, status_code=302, headers={"Cache-Control": "private, no-cache"}
        )

    async def _fixed_picture(
        self, request: Request, *, read: Callable[[Tx, str], bytes | None]
    ) -> Response:
        """Serve an image at a random path. It never changes."""
        name: str = request.path_params["name"]
        realm_id: int = request.path_params["realm_id"]
        data = None
        if FILE_NAME.fullmatch(name) and await self._finder.find(realm_id) is not None:
            data = await self._database_for(request, realm_id).read(read, name)
        if data is None:
            return _missing()
        kind = "image/gif" if name.endswith(".gif") else "image/png"
        return Response(data, media_type=kind, headers=FIXED_HEADERS)


def generated_avatar(seed: str, pixels: int) -> Response:
    """The identicon of a seed."""
    return Response(identicon(seed, pixels), media_type="image/png", headers=PICTURE_HEADERS)


def _named_as_png(tx: Tx, file_name: str) -> bytes | None:
    return features.organization_pictures.find_picture(tx, file_name.removesuffix(".png"))


def _missing() -> Response:
    return Response("Not found", status_code=404)
