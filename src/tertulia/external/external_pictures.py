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
from tertulia.external.safe_http import RequestFailed
from tertulia.fair_queue import Person

MAX_BYTES = 5 << 20
MAX_PIXELS = 50_000_000
MAX_SECONDS = 10
MAX_REDIRECTS = 3
MAX_CACHED_BYTES = 16 << 20
CACHED_SECONDS = 600
MISSING_CACHED_SECONDS = 60
OVERHEAD_BYTES = 1000  # estimated memory of a cache entry besides its bytes

REQUEST_HEADERS = {"User-Agent": "Tertulia", "Accept": "image/*", "Accept-Encoding": "identity"}

RunInThread = Callable[..., Awaitable[Any]]
Slot = Callable[[Person], AbstractAsyncContextManager[object]]


class ExternalPicture(msgspec.Struct, frozen=True):
    """The result for an address; without bytes if it is not a picture."""

    content_type: str = ""
    data: bytes = b""


class CachedPicture(msgspec.Struct, frozen=True):
    picture: ExternalPicture
    until: float

    @property
    def size(self) -> int:
        return len(self.picture.data) + OVERHEAD_BYTES


class PictureFetcher:
    """`slot` waits for a reader's slot to fetch; `run` examines a picture in another thread."""

    def __init__(
        self, allowed: Networks, clock: Callable[[], float], slot: Slot, run: RunInThread
    ) -> None:
        self._allowed = tuple(allowed)
        self._clock = clock
        self._run = run
        self._slot = slot
        self._in_flight: dict[str, asyncio.Task[ExternalPicture]] = {}
        self._cached: OrderedDict[str, CachedPicture] = OrderedDict()
        self._cached_bytes = 0

    async def picture(self, address: str, reader: Person) -> ExternalPicture:
        cached = self._cached.get(address)
        if cached is not None and self._clock() < cached.until:
            self._cached.move_to_end(address)
            return cached.picture
        fetch = self._in_flight.get(address)
        if fetch is None:
            fetch = self._in_flight[address] = asyncio.create_task(self._fetch(address, reader))
            fetch.add_done_callback(lambda _: self._in_flight.pop(address))
        return await asyncio.shield(fetch)

    async def _fetch(self, address: str, reader: Person) -> ExternalPicture:
        async with self._slot(reader):
            data = await self._download(address, reader)
            info = None
            if data:
                info = await self._run(reader, domain.files.images.image_info, io.BytesIO(data))
        picture = ExternalPicture()
        if info is not None and info.width * info.height <= MAX_PIXELS:
            picture = ExternalPicture(info.content_type, data)
        self._store(address, picture)
        return picture

    async def _download(self, address: str, reader: Person) -> bytes:
        try:
            answer = await safe_http.get(
                address,
                REQUEST_HEADERS,
                seconds=MAX_SECONDS,
                max_bytes=MAX_BYTES,
                max_redirects=MAX_REDIRECTS,
                allowed=self._allowed,
                person=reader,
            )
        except RequestFailed:
            return b""
        return answer.body if answer.status == 200 else b""

    def _store(self, address: str, picture: ExternalPicture) -> None:
        seconds = CACHED_SECONDS if picture.data else MISSING_CACHED_SECONDS
        self._evict(address)
        self._cached[address] = cached = CachedPicture(picture, self._clock() + seconds)
        self._cached_bytes += cached.size + len(address)
        while self._cached_bytes > MAX_CACHED_BYTES:
            self._evict(next(iter(self._cached)))

    def _evict(self, address: str) -> None:
        cached = self._cached.pop(address, None)
        if cached is not None:
            self._cached_bytes -= cached.size + len(address)
