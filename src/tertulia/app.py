"""Puts the parts together; the one module that knows all the others."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia import metrics
from tertulia.api.avatars import find_user
from tertulia.api.call import Gate, Services, find_organization, site
from tertulia.api.routes import ROUTES
from tertulia.config import Config
from tertulia.domain import images, version
from tertulia.domain.keys import Vault
from tertulia.downloads import Downloads
from tertulia.errors import ClientError, ServiceUnavailable
from tertulia.events.delivery import Delivery
from tertulia.events.types.users import avatar_url
from tertulia.http.dispatch import Api
from tertulia.http.openapi import describe
from tertulia.http.replies import encode_error
from tertulia.http.request import Request as ApiRequest
from tertulia.jobs import housekeeping, presence
from tertulia.jobs.preparing import Preparation
from tertulia.jobs.rerendering import rerender
from tertulia.jobs.runner import Job, Runner
from tertulia.jobs.searching import Indexing
from tertulia.jobs.sending import REMINDERS, SCHEDULED, send_due
from tertulia.markdown import emoji_names
from tertulia.storage import avatars, emoji, realms
from tertulia.storage.database import Database
from tertulia.storage.tx import Tx
from tertulia.web import pages
from tertulia.web.pictures import identicon

TABLE_HEADERS = {"Cache-Control": "public, max-age=86400", "Access-Control-Allow-Origin": "*"}
PICTURE_HEADERS = {"Cache-Control": "public, max-age=86400"}
FILE_NAME = re.compile(r"[0-9a-z-]{1,100}\.(png|gif)")  # as we name pictures
FIXED_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
}


class Application:
    """The server as one ASGI application: the API, and a few pages around it."""

    def __init__(
        self,
        config: Config,
        database: Database,
        vault: Vault,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.delivery = Delivery(database, config.email_domain, config.heartbeat_seconds)
        self.services = Services(
            config, database, self.delivery, vault, clock, started_at=int(clock())
        )
        self.indexing = Indexing(database, self.delivery)
        self.runner = Runner(self._jobs())
        self.metrics = metrics.Metrics(self.delivery, self.runner, self.indexing)
        self._gate = Gate(self.services)
        self._downloads = Downloads(self.services, self._gate)
        self._api = Api(ROUTES, self._gate.admit, config, observe=self.metrics.observe)
        description = describe(ROUTES, title="Tertulia", version=version.VERSION)
        self._description = msgspec.json.encode(description)
        self._pages = self._build_pages()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["path"].startswith("/api/")
            and scope["path"] != "/api/v1/openapi.json"
        ):
            await self._api(scope, receive, send)
        else:
            await self._pages(scope, receive, send)

    # --- running ---

    @asynccontextmanager
    async def running(self, _: Any = None) -> AsyncIterator[None]:
        """Everything that lives while the server does."""
        database, follower = self.services.database, self.delivery.follower
        database.start(follower.fetch_news, follower.deliver)
        await follower.catch_up()
        tasks = [
            asyncio.create_task(database.dialect.watch(follower.catch_up, self.delivery.overhear)),
            asyncio.create_task(self.runner.run()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(ServiceUnavailable):
                await presence.write_down(database, self.delivery)
            database.stop()

    def _jobs(self) -> list[Job]:
        database, delivery, config = self.services.database, self.delivery, self.services.config
        both = (database, delivery)
        remembered = config.send_key_hours * 3600
        watch = housekeeping.Watch(self.services.clock)
        return [
            Job("scheduled messages", 0.5, partial(send_due, *both, SCHEDULED), at_once=True),
            Job("reminders", 0.5, partial(send_due, *both, REMINDERS), at_once=True),
            Job("search", 0.5, self.indexing.look, at_once=True),
            Job("preparation", 5, Preparation(delivery).go_on, at_once=True),
            Job("positions", 30, partial(housekeeping.keep_positions, *both, watch)),
            Job("log", 300, partial(housekeeping.trim_logs, *both)),
            Job("retention", 300, partial(housekeeping.delete_old_messages, *both)),
            Job("send keys", 600, partial(housekeeping.forget_send_keys, database, remembered)),
            Job("rerendering", 3600, partial(rerender, *both), at_once=True),
            Job("deleted files", 5, partial(housekeeping.sweep_files, database), at_once=True),
            Job("sent messages", 600, partial(housekeeping.forget_sent, database)),
            Job("presence", 2, partial(presence.write_down, *both)),
            Job("stale presence", 3600, partial(presence.forget_stale, *both)),
            Job("traffic", 60, partial(housekeeping.count_traffic, *both)),
            Job("full members", 60, partial(housekeeping.welcome_full_members, *both)),
        ]

    def say_goodbye(self) -> None:
        """Answer every waiting poll, because the server is about to stop."""
        self.delivery.stop_waiting()

    # --- pages ---

    def _build_pages(self) -> ASGIApp:
        return Starlette(
            lifespan=self.running,
            exception_handlers={ClientError: _refuse},
            routes=[
                Route("/", self._home),
                Route("/health", self._health),
                Route("/metrics", self._metrics),
                Route("/api/v1/openapi.json", self._openapi),
                Route("/static/logo.svg", _logo),
                Route("/static/icon.png", _icon),
                Route("/static/emoji.json", _emoji),
                Route("/user_avatars/{realm_id:int}/{name}", self._avatar),
                Route("/user_avatars/{realm_id:int}/emoji/images/{name}", self._emoji),
                Route("/user_avatars/{realm_id:int}/emoji/images/still/{name}", self._still_emoji),
                Route("/user_uploads/temporary/{token}/{name}", self._downloads.by_link),
                Route("/user_uploads/{realm_id:int}/{path:path}", self._downloads.by_path),
                Route(
                    "/user_uploads/thumbnail/{realm_id:int}/{path:path}", self._downloads.thumbnail
                ),
                Route("/avatar/{who}", self._avatar_of),
                Route("/avatar/{who}/medium", self._medium_avatar_of),
            ],
        )

    async def _home(self, request: Request) -> Response:
        org = find_organization(self.services, request.headers.get("host", ""))
        if org is None:
            return HTMLResponse("There is no organization at this address.", status_code=404)
        asked = ApiRequest(request.scope, request.receive)
        where = site(self.services.config, asked, org)
        return HTMLResponse(pages.home(org.realm.name, where, version.VERSION))

    async def _health(self, request: Request) -> Response:
        await self.services.database.read_in(0, realms.all_of_them)
        return JSONResponse({"status": "ok"})

    async def _metrics(self, request: Request) -> Response:
        if not metrics.may_read(self.services.config.metrics, request):
            return Response("Not found", status_code=404)
        return Response(self.metrics.text(), media_type=metrics.CONTENT_TYPE)

    async def _avatar(self, request: Request) -> Response:
        """A picture that we have drawn by somebody's number, or one that they have uploaded."""
        realm_id: int = request.path_params["realm_id"]
        file_name: str = request.path_params["name"]
        if not FILE_NAME.fullmatch(file_name) or not file_name.endswith(".png"):
            return Response("Not found", status_code=404)
        stem = file_name.removesuffix(".png")
        name, is_medium = stem.removesuffix("-medium"), stem.endswith("-medium")
        if name.isdecimal():
            pixels = images.MEDIUM_AVATAR_EDGE if is_medium else images.AVATAR_EDGE
            return _picture(f"{realm_id}/{name}", pixels)
        data = None
        if realm_id in self.delivery.organizations:
            read = partial(avatars.find, medium=is_medium)
            data = await self.services.database.read_in(realm_id, read, name)
        if data is None:
            return Response("Not found", status_code=404)
        return Response(data, media_type="image/png", headers=FIXED_HEADERS)

    async def _avatar_of(self, request: Request) -> Response:
        return self._redirect_to_avatar(request, medium=False)

    async def _medium_avatar_of(self, request: Request) -> Response:
        return self._redirect_to_avatar(request, medium=True)

    def _redirect_to_avatar(self, request: Request, *, medium: bool) -> Response:
        """By number or address; where the picture is may be another place a moment later."""
        call = self._gate.let_look(ApiRequest(request.scope, request.receive))
        user = find_user(call, request.path_params["who"])
        url = avatar_url(call.org, user, client_gravatar=False, medium=medium)
        assert url is not None
        return RedirectResponse(
            url, status_code=302, headers={"Cache-Control": "private, no-cache"}
        )

    async def _emoji(self, request: Request) -> Response:
        return await self._emoji_picture(request, emoji.picture)

    async def _still_emoji(self, request: Request) -> Response:
        return await self._emoji_picture(request, emoji.still)

    async def _emoji_picture(
        self, request: Request, read: Callable[[Tx, str], bytes | None]
    ) -> Response:
        """A picture whose address nobody can guess; it never changes."""
        name: str = request.path_params["name"]
        realm_id: int = request.path_params["realm_id"]
        data = None
        if realm_id in self.delivery.organizations and FILE_NAME.fullmatch(name):
            data = await self.services.database.read_in(realm_id, read, name)
        if data is None:
            return Response("Not found", status_code=404)
        kind = "image/gif" if name.endswith(".gif") else "image/png"
        return Response(data, media_type=kind, headers=FIXED_HEADERS)

    async def _openapi(self, request: Request) -> Response:
        return Response(
            self._description,
            media_type="application/json",
            headers={"Access-Control-Allow-Origin": "*"},
        )


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClientError)
    return Response(
        encode_error(error), error.status, error.reply_headers(), media_type="application/json"
    )


async def _logo(request: Request) -> Response:
    return Response(pages.LOGO, media_type="image/svg+xml", headers=PICTURE_HEADERS)


async def _icon(request: Request) -> Response:
    return _picture("tertulia", 100)


async def _emoji(request: Request) -> Response:
    return Response(_emoji_table(), media_type="application/json", headers=TABLE_HEADERS)


@cache
def _emoji_table() -> bytes:
    """Every emoji by its code, with its names, the one that clients show first."""
    return msgspec.json.encode({"code_to_names": dict(emoji_names.all_emoji())})


def _picture(seed: str, pixels: int) -> Response:
    return Response(identicon(seed, pixels), media_type="image/png", headers=PICTURE_HEADERS)
