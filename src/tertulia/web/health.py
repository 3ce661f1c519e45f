"""`/health`: whether this server can read its database, and whether writes succeed."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tertulia import storage
from tertulia.api.call import Services
from tertulia.errors.http import ServiceUnavailable

MAX_SECONDS = 1.5  # that a check waits for the database


class HealthPage:
    def __init__(self, services: Services, slow_write_seconds: float) -> None:
        self._slow_write_seconds = slow_write_seconds
        self._database = services.database
        self._follower = services.delivery.follower
        self._read: asyncio.Future[Any] | None = None

    def routes(self) -> list[Route]:
        return [Route("/health", self._answer)]

    async def _answer(self, request: Request) -> Response:
        await self._check_readable()
        health = self._database.health
        if (why := health.failure) is not None:
            status = "damaged" if health.damage is not None else "ok"
            return JSONResponse({"status": status, "writes": "failing", "reason": why})
        is_waiting = self._database.busy_seconds > self._slow_write_seconds
        return JSONResponse({"status": "ok", "writes": "waiting" if is_waiting else "ok"})

    async def _check_readable(self) -> None:
        """Raises ServiceUnavailable if the database cannot be read.

        The threads that read may all be waiting. Then the server is well while its directory is not
        stale, and the next checks share this read.
        """
        read = self._read
        if read is None or read.done():
            first = self._database.of(0).query(storage.organization.realms.first)
            read = self._read = asyncio.ensure_future(first)
            # An error is no surprise if no check waits for it any more.
            read.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait([read], timeout=MAX_SECONDS)
        if done:
            read.result()
        elif self._follower.is_stale:
            raise ServiceUnavailable()
