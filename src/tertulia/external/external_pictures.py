"""Fetches pictures of other sites for users who read a message that shows one.

Only what is a picture by its bytes is served. Results are cached, also negative ones, so that many
readers of a channel cause one request to the other site.
"""

import asyncio
import io
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec

from tertulia import domain
from tertulia.domain.addresses import Networks
from tertulia.external import safe_http
from tertulia.external.safe_http import CallFailed
from tertulia.fair_queue import Person

MAX_BYTES = 5 << 20
MAX_PIXELS = 50_000_000
MAX_SECONDS = 10
MAX_REDIRECTS = 3
KEPT_BYTES = 16 << 20
KEPT_SECONDS = 600
NONE_KEPT_SECONDS = 60
OVERHEAD_BYTES = 1000  # estimated memory of a cache entry besides its bytes

ASKING = {"User-Agent": "Tertulia", "Accept": "image/*", "Accept-Encoding": "identity"}

Drawn = Callable[..., Awaitable[Any]]
Turn = Callable[[Person], AbstractAsyncContextManager[None]]


class ExternalPicture(msgspec.Struct, frozen=True):
    """The result for an address; without bytes if it is not a picture."""

    content_type: str = ""
    data: bytes = b""


class Visited(msgspec.Struct, frozen=True):
    picture: ExternalPicture
    until: float

    @property
    def size(self) -> int:
        return len(self.picture.data) + OVERHEAD_BYTES


class PictureFetcher:
    """`turn` waits for a reader's slot to fetch; `drawn` examines a picture in another thread."""

    def __init__(
        self, allowed: Networks, clock: Callable[[], float], turn: Turn, drawn: Drawn
    ) -> None:
        self._allowed = tuple(allowed)
        self._clock = clock
        self._drawn = drawn
        self._turn = turn
        self._under_way: dict[str, asyncio.Task[ExternalPicture]] = {}
        self._kept: OrderedDict[str, Visited] = OrderedDict()
        self._kept_bytes = 0

    async def picture(self, address: str, reader: Person) -> ExternalPicture:
        kept = self._kept.get(address)
        if kept is not None and self._clock() < kept.until:
            self._kept.move_to_end(address)
            return kept.picture
        visit = self._under_way.get(address)
        if visit is None:
            visit = self._under_way[address] = asyncio.create_task(self._visit(address, reader))
            visit.add_done_callback(lambda _: self._under_way.pop(address))
        return await asyncio.shield(visit)

    async def _visit(self, address: str, reader: Person) -> ExternalPicture:
        async with self._turn(reader):
            data = await self._fetched(address, reader)
            looks = None
            if data:
                looks = await self._drawn(reader, domain.files.images.image_info, io.BytesIO(data))
        picture = ExternalPicture()
        if looks is not None and looks.width * looks.height <= MAX_PIXELS:
            picture = ExternalPicture(looks.content_type, data)
        self._keep(address, picture)
        return picture

    async def _fetched(self, address: str, reader: Person) -> bytes:
        try:
            answer = await safe_http.get(
                address,
                ASKING,
                seconds=MAX_SECONDS,
                max_bytes=MAX_BYTES,
                max_redirects=MAX_REDIRECTS,
                allowed=self._allowed,
                person=reader,
            )
        except CallFailed:
            return b""
        return answer.body if answer.status == 200 else b""

    def _keep(self, address: str, picture: ExternalPicture) -> None:
        seconds = KEPT_SECONDS if picture.data else NONE_KEPT_SECONDS
        self._forget(address)
        self._kept[address] = kept = Visited(picture, self._clock() + seconds)
        self._kept_bytes += kept.size + len(address)
        while self._kept_bytes > KEPT_BYTES:
            self._forget(next(iter(self._kept)))

    def _forget(self, address: str) -> None:
        kept = self._kept.pop(address, None)
        if kept is not None:
            self._kept_bytes -= kept.size + len(address)
