"""Proxy for images of other sites. It fetches only URLs that this server has signed.

Apps load images without a login, so the signature is the permission.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tertulia import api
from tertulia.domain.messages.external_pictures import PLACE, ExternalPictures
from tertulia.external.external_pictures import PictureFetcher
from tertulia.fair_queue import FairQueue
from tertulia.http.exchange import BLOCK_BYTES
from tertulia.http.memory_quota import MemoryQuota
from tertulia.http.ratelimit import address_bucket
from tertulia.http.request import ApiRequest

# Fetches from other sites, by the client's network address.
FETCHES = FairQueue("external_pictures", slots=16, max_waiting=200, slots_per_person=8)

HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox"}
PICTURE_HEADERS = {
    **HEADERS,
    "Cache-Control": "public, max-age=86400",
    "Content-Disposition": "inline",
}
MISSING_HEADERS = {**HEADERS, "Cache-Control": "public, max-age=60"}


class ExternalPicturePages:
    def __init__(self, services: api.call.Services, pictures: ExternalPictures) -> None:
        allowed = services.config.external_picture_networks
        self._fetcher = PictureFetcher(
            allowed, services.clock, FETCHES.slot, api.files.pictures.process
        )
        self._pictures = pictures
        self._memory = MemoryQuota()

    def routes(self) -> list[Route]:
        return [Route(f"{PLACE}/{{signature}}/{{written}}", self._picture)]

    async def _picture(self, request: Request) -> Response:
        address = self._pictures.address(**request.path_params)
        if address is None:
            return Response(status_code=403, headers=MISSING_HEADERS)
        api_request = ApiRequest(request.scope, request.receive)
        reader = address_bucket(api_request.client_address)
        picture = await self._fetcher.picture(address, reader)
        if not picture.data:
            return Response(status_code=404, headers=MISSING_HEADERS)
        size = len(picture.data)
        headers = {
            **PICTURE_HEADERS,
            "Content-Type": picture.content_type,
            "Content-Length": str(size),
        }
        if request.method == "HEAD":
            return Response(headers=headers)
        return QuotaResponse(self._memory.reserve(reader, size), picture.data, headers)


class QuotaResponse(StreamingResponse):
    """A response that counts against the client's memory quota until it is sent."""

    def __init__(
        self, holding: AbstractContextManager[None], data: bytes, headers: dict[str, str]
    ) -> None:
        super().__init__(_blocks(data), headers=headers)
        self._holding = holding

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._holding:
            await super().__call__(scope, receive, send)


async def _blocks(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), BLOCK_BYTES):
        yield data[start : start + BLOCK_BYTES]
