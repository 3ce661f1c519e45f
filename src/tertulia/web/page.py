"""The browser client's page: its HTML with the snapshot, the service worker and the manifest.

The server sends the HTML before the snapshot is ready, so that the browser loads the page's files
meanwhile.
"""

import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tertulia import api, locale
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call, Services
from tertulia.http import compression
from tertulia.http.request import ApiRequest
from tertulia.log import log
from tertulia.web import (
    account_pages,
    assets,
    bootstrap,
    first_run,
    rendering,
    security_headers,
)
from tertulia.web.assets import Assets
from tertulia.web.first_run import FirstRunPages

STATE = b"@state@"  # placeholder in shell.html
NO_STATE = b"null"  # the page reloads itself
HTML = "text/html; charset=utf-8"


class WebPage:
    def __init__(
        self,
        services: Services,
        auth: Authenticator,
        assets: Assets,
        first_run: FirstRunPages,
    ) -> None:
        self._services = services
        self._auth = auth
        self._first_run = first_run
        self._assets = assets

    def routes(self) -> list[Route]:
        return [
            Route("/", self._show),
            Route("/sw.js", self._worker),
            Route("/manifest.webmanifest", self._manifest),
            *self._assets.routes(),
        ]

    async def _show(self, request: Request) -> Response:
        """Serve the page, or redirect to the login page if spectators are not allowed, or to the
        first-run page if there are no accounts."""
        call = await self._auth.open_page(ApiRequest(request.scope, request.receive))
        is_open = call.found_org is not None and api.call.has_public_access(call.config, call.org)
        if call.caller is None and not is_open:
            if await self._first_run.is_needed():
                return first_run.redirect()
            return account_pages.redirect("/login/")
        shell = await self._shell(call)
        headers = {
            "Cache-Control": "no-store",
            "Vary": "Accept-Encoding, Accept-Language",
            **call.request.reply_headers,
            **security_headers.of_page(scripts=True),
        }
        parts = _parts(call, shell)
        if compression.is_accepted(call.request.header("accept-encoding"), len(shell)):
            headers["Content-Encoding"] = "gzip"
            parts = _compressed(call, parts)
        return StreamingResponse(parts, headers=headers, media_type=HTML)

    async def _shell(self, call: Call) -> bytes:
        language = _language(call)
        await self._assets.prepare(language)
        await rendering.load()
        files = self._assets.page_files(language)
        name = call.org.realm.name
        text = rendering.text(
            "shell.html",
            language=language,
            direction=locale.direction(language),
            name=name,
            files=files,
        )
        return text.encode()

    async def _worker(self, request: Request) -> Response:
        """Serve the service worker, with the paths of the page's files in one language in it."""
        language = request.query_params.get("language", "")
        if language not in locale.LANGUAGES:
            language = locale.accepted(request.headers.get("accept-language"))
        await self._assets.prepare(language)
        known = self._assets.page_files(language).all
        text = assets.service_worker().replace('["files"]', json.dumps(sorted(set(known))))
        headers = {"Cache-Control": "no-cache", **security_headers.of_page(scripts=True)}
        return Response(text, media_type="text/javascript; charset=utf-8", headers=headers)

    async def _manifest(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        org = await api.call.find_organization(self._services, api_request.host)
        name = "Tertulia" if org is None else org.realm.name
        icon = {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png"}
        manifest = {
            "name": name,
            "short_name": name[:12],
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": "#fdfdfb",
            "theme_color": "#1d5a45",
            "icons": [icon, {**icon, "purpose": "maskable"}],
        }
        return Response(json.dumps(manifest), media_type="application/manifest+json")


async def _parts(call: Call, shell: bytes) -> AsyncIterator[bytes]:
    before, _, after = shell.partition(STATE)
    yield before
    try:
        state = await bootstrap.state(call)
    except Exception:  # the response has begun, so the error is reported inside the page
        log.exception("web.state_failed")
        state = NO_STATE
    yield state + after


async def _compressed(call: Call, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    gzip = compression.GzipInParts()
    yield gzip.begin(await anext(parts))
    yield await gzip.end(call.person, await anext(parts))


def _language(call: Call) -> str:
    """The language that the person has set if there is a translation, else the browser's."""
    chosen = "" if call.caller is None else str(call.caller.prefers("default_language"))
    chosen = locale.closest(chosen)
    if chosen != "en":
        return chosen
    return locale.accepted(call.request.header("accept-language"))
