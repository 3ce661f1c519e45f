"""The browser client's page: its HTML with the snapshot, the service worker and the manifest.

The server sends the HTML before the snapshot is ready, so that the browser loads the page's files
meanwhile.
"""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tertulia import api, events, locale
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call, Services
from tertulia.events.listener import Capabilities, Options
from tertulia.events.snapshot.snapshot_data import RequestedParts
from tertulia.http import compression
from tertulia.http.request import ApiRequest
from tertulia.log import log
from tertulia.web import account_pages, assets, first_run, rendering, security_headers
from tertulia.web.assets import Assets
from tertulia.web.first_run import FirstRunPages

IDLE_SECONDS = 43_200  # a laptop may sleep overnight

# The same as `REGISTER` in event_poller.js, which the page sends when its queue is gone.
OPTIONS = Options(
    apply_markdown=True,
    client_gravatar=False,
    slim_presence=True,
    include_subscribers="false",
    capabilities=Capabilities(
        notification_settings_null=True,
        bulk_message_deletion=True,
        user_avatar_url_field_optional=False,
        stream_typing_notifications=True,
        user_settings_object=True,
        linkifier_url_template=True,
        user_list_incomplete=True,
        include_deactivated_groups=True,
        archived_channels=True,
        empty_topic_name=True,
        simplified_presence_events=True,
        streamed_answers=True,
        calls=True,
    ),
)


UNREAD = (
    "realm_bots",
    "realm_user_settings_defaults",
    "stop_words",
)

# `people.js` has the same defaults. In place of a picture that the person has not chosen, the page
# shows a letter.
_ORDINARY = re.compile(
    rb',"(?:(?:is_owner|is_admin|is_guest|is_bot|is_imported_stub)":false|bot_type":null|role":400'
    rb'|timezone":""|profile_data":\{\}|avatar_version":\d+|email":"user\d+@[^"]*"'
    rb'|avatar_url":"/user_avatars/\d+/\d+\.png[^"]*")'
)


async def state(call: Call) -> bytes:
    """The snapshot as JSON for the page, with the id of its last event."""
    log_position, snapshot = await api.events.register_queue(
        call, OPTIONS, RequestedParts(None), IDLE_SECONDS
    )
    position = events.delivery.mailbox.event_id(log_position.seq + 1) - 1
    text = b"".join(
        events.snapshot.encoded_list.encoded({**_shortened(snapshot), "position": position})
    )
    return text.replace(b"<", b"\\u003c")


def _shortened(snapshot: dict[str, Any]) -> dict[str, Any]:
    left = {key: value for key, value in snapshot.items() if key not in UNREAD}
    for key in ("realm_users", "realm_non_active_users"):
        if key in left:
            left[key] = msgspec.Raw(_ORDINARY.sub(b"", b"".join(left[key].pieces())))
    if "subscriptions" in left:  # the lists of subscriptions contain all channels, with more fields
        left.pop("streams", None)
    return left


STATE = b"@state@"  # placeholder in shell.html
NO_STATE = b"null"  # the page reloads itself
HTML = "text/html; charset=utf-8"
MANIFEST = "application/manifest+json"
# The service worker takes what is shared, also offline (sw.js).
SHARE_TARGET = {
    "action": "/share",
    "method": "POST",
    "enctype": "multipart/form-data",
    "params": {
        "title": "title",
        "text": "text",
        "url": "url",
        "files": [{"name": "files", "accept": ["image/*", "video/*", "audio/*", "text/*", "*/*"]}],
    },
}


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
            Route("/share", _share, methods=["POST"]),
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
            **security_headers.of_page(scripts=True, devices=True),
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
        t = locale.texts(language)
        words = {
            "reply": t("menu.reply"),
            "read": t("rowmenu.mark-read"),
            "mute": t("push.mute"),
            "more": t("head.more"),
            "unsent": t("push.unsent"),
        }
        text = assets.service_worker().replace('["files"]', json.dumps(sorted(set(known))))
        text = re.sub(r"(?<=WORDS=)\{.*?\}", lambda _: json.dumps(words), text)
        headers = {"Cache-Control": "no-cache", **security_headers.of_page(scripts=True)}
        return Response(text, media_type="text/javascript; charset=utf-8", headers=headers)

    async def _manifest(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        org = await api.call.find_organization(self._services, api_request.host)
        name = "Tertulia" if org is None else org.realm.name
        language = locale.accepted(request.headers.get("accept-language"))
        t = locale.texts(language)
        shortcuts = (
            (t("view.inbox"), "/#inbox"),
            (t("new.direct"), "/#new"),
            (t("view.mentioned"), "/#narrow/is/mentioned"),
        )
        manifest = {
            "id": "/",
            "name": name,
            "short_name": name[:12],
            "description": t("phone.install-text"),
            "lang": language,
            "dir": locale.direction(language),
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "orientation": "any",
            "launch_handler": {"client_mode": ["navigate-existing", "auto"]},
            "background_color": "#fdfdfb",
            "theme_color": "#1d5a45",
            "icons": [
                _picture("icon-192", 192),
                _picture("icon-512", 512),
                _picture("icon-512", 512, purpose="maskable"),
                _picture("icon-mono", 96, purpose="monochrome"),
            ],
            "screenshots": [
                _picture("screenshot-wide", 1440, 900, form_factor="wide", label=name),
                _picture("screenshot-narrow", 390, 844, form_factor="narrow", label=name),
            ],
            "share_target": SHARE_TARGET,
            "shortcuts": [
                {"name": words, "url": url, "icons": [_picture("icon-192", 192)]}
                for words, url in shortcuts
            ],
        }
        headers = {"Vary": "Accept-Language"}
        return Response(json.dumps(manifest), headers=headers, media_type=MANIFEST)


async def _share(request: Request) -> Response:
    """Without a service worker nothing is kept: the page asks to share once more."""
    return RedirectResponse("/#share", 303)


def _picture(name: str, width: int, height: int = 0, **more: str) -> dict[str, str]:
    size = f"{width}x{height or width}"
    return {"src": f"/static/{name}.png", "sizes": size, "type": "image/png", **more}


async def _parts(call: Call, shell: bytes) -> AsyncIterator[bytes]:
    before, _, after = shell.partition(STATE)
    yield before
    try:
        snapshot = await state(call)
    except Exception:  # the response has begun, so the error is reported inside the page
        log.exception("web.state_failed")
        snapshot = NO_STATE
    yield snapshot + after


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
