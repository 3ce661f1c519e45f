"""Pacing: how much work a request for a public page may cause.

An unchanged page is answered with 304, and one that was sent before from the cache. Any other page
is rendered when it is its reader's turn, in short steps between which other requests go first.
While others send requests, the queue rests after each page.
"""

import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, storage
from tertulia.actions.messages.public_history import LongTopic
from tertulia.api.call import Services
from tertulia.caches.all_caches import PublicPage, PublicPageKey
from tertulia.caches.topic_starts import TopicOfChannel
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.database.yielding import LoopYieldPoint
from tertulia.documents import message_html, page_frame
from tertulia.documents.page_frame import PageFrame
from tertulia.documents.template_engine import DocumentTexts
from tertulia.errors.http import NotFound
from tertulia.events.directory.organization import Organization
from tertulia.fair_queue import FairQueue
from tertulia.http import compression
from tertulia.http.request import ApiRequest
from tertulia.memo import memoized
from tertulia.web import rendering, security_headers
from tertulia.web.public import addresses, feeds, pages
from tertulia.web.public.appearance import PublicAppearance, PublicDocument, Visit

# While others send requests, the queue rests this many times as long as a page took: pages then use
# half a percent of a CPU, and far fewer than one in a hundred of those requests meets a page.
BUSY_PAUSE_FACTOR = 199
MAX_PAUSE_SECONDS = 0.4  # so long that a page of a hundred messages is half a percent of it
MAX_YIELD_SECONDS = 0.05  # that a page waits in all while other requests are answered
STEP_SECONDS = 0.0005  # for which messages are rendered before other requests go first

# One slot, so that a crawler never renders two pages at once.
PAGES = FairQueue("public_pages", slots=1, max_waiting=20)

Answer: TypeAlias = PublicDocument | Response
Read: TypeAlias = Callable[[Tx, Visit], Answer]


def rest_after(used_seconds: float, *, is_busy: bool) -> float:
    """How long the queue rests after a page that took so much CPU time."""
    return min(used_seconds * BUSY_PAUSE_FACTOR, MAX_PAUSE_SECONDS) if is_busy else 0.0


async def join_in_steps(parts: Iterable[bytes], yield_point: LoopYieldPoint) -> bytes:
    """A page of a hundred long messages would block the event loop for 30 ms."""
    done: list[bytes] = []
    step_ends_at = time.perf_counter() + STEP_SECONDS
    for part in parts:
        done.append(part)
        if time.perf_counter() > step_ends_at:
            await yield_point.yield_to_requests()
            step_ends_at = time.perf_counter() + STEP_SECONDS
    return b"".join(done)


class PublicPages:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._others = 0  # requests that needed no turn, until the last page
        seconds = services.config.public_pages_max_age_seconds
        self._caching = {"Cache-Control": f"public, max-age={seconds}" if seconds else "no-cache"}
        self._headers = {
            **security_headers.of_page(),
            **self._caching,
            "Vary": "Accept-Encoding",
        }

    def routes(self) -> list[Route]:
        page = self._endpoint
        sitemap = "/public/sitemap/{channel_id:int}/{first:int}-{last:int}.xml"
        return [
            # First, because most requests are for topics.
            Route("/public/{channel}/{topic}/", page(pages.topic)),
            Route("/robots.txt", self._robots),
            Route("/public/", page(pages.index, in_thread=True)),
            Route("/public/feed.atom", page(feeds.feed)),
            Route("/public/sitemap.xml", page(feeds.sitemap_index)),
            Route(sitemap, page(feeds.sitemap, in_thread=True)),
            Route("/public/message/{message_id:int}", page(pages.message, in_thread=True)),
            Route("/public/{channel}/", page(pages.channel, in_thread=True)),
            Route("/public/{channel}/feed.atom", page(feeds.feed)),
            Route("/public/{channel}/{topic}/feed.atom", page(feeds.feed)),
        ]

    def _endpoint(
        self, read: Read, *, in_thread: bool = False
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            api_request = ApiRequest(request.scope, request.receive)
            org = await self._find_organization(api_request)
            if org is None:
                return await self._not_found(api_request, DocumentTexts.of("en"))
            visit = self._visit(request, api_request, org)
            try:
                return await self._answer(api_request, visit, read, in_thread=in_thread)
            except NotFound:
                return await self._not_found(api_request, visit.t)

        return answer

    async def _robots(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        org = await self._find_organization(api_request)
        site = None if org is None else api.call.site(self._services.config, api_request, org)
        return Response(feeds.robots(site), media_type=pages.TEXT, headers=self._caching)

    async def _find_organization(self, request: ApiRequest) -> Organization | None:
        """The organization of the host, if it shows its web-public channels as pages."""
        await self._services.delivery.follower.refresh_from_peers()
        org = await api.call.find_organization(self._services, request.host)
        has_pages = (
            org is not None
            and not org.realm.deactivated
            and api.call.has_public_access(self._services.config, org)
            and org.realm.setting("enable_public_pages")
        )
        return org if has_pages else None

    def _visit(self, request: Request, api_request: ApiRequest, org: Organization) -> Visit:
        return Visit(
            request,
            api_request.person,
            org,
            api.call.site(self._services.config, api_request, org),
            DocumentTexts.of(str(org.realm.setting("default_language"))),
            PublicAppearance(org),
            self._services.config.public_contact_email,
            self._services.caches.topic_starts,
        )

    async def _answer(
        self, request: ApiRequest, visit: Visit, read: Read, *, in_thread: bool
    ) -> Response:
        # NotFound is raised before a 304, which would tell whether a private channel has changed.
        etag = _etag(visit)
        if _matches(etag, request.header("if-none-match") or ""):
            return Response(status_code=304, headers={"ETag": etag, **self._caching})
        cache = self._services.caches.public_pages
        key = PublicPageKey(
            visit.org.realm.id,
            visit.site,
            addresses.cache_key(visit.request),
            compression.is_accepted(request.header("accept-encoding"), compression.MIN_BYTES),
        )
        page = cache.find_current(key, etag)
        if page is not None:
            return _response(page)
        await rendering.load()
        document, body, is_current = await self._render_in_turn(visit, read, in_thread=in_thread)
        if etag != _etag(visit):  # changed while the page waited
            is_current = False
        if isinstance(document, Response):
            return document
        headers = {**self._headers, **document.headers}
        if is_current:
            headers["ETag"] = etag
        reply = await rendering.answer(request, body, document.media_type, headers=headers)
        if is_current:
            cache.put(key, PublicPage(etag, bytes(reply.body), tuple(reply.raw_headers)))
        return reply

    async def _render_in_turn(
        self, visit: Visit, read: Read, *, in_thread: bool
    ) -> tuple[Answer, bytes, bool]:
        """The document, its body, and whether the directory knows everything that was read."""
        requests = self._services.database.requests
        requests.request_queued()
        try:
            async with PAGES.slot(visit.person) as slot:
                # Counts other work of this thread, too: on a busy server pages wait longer.
                started_at = time.thread_time()
                yield_point = LoopYieldPoint(requests, MAX_YIELD_SECONDS)
                await yield_point.yield_to_requests()
                document, is_current = await self._read(visit, read, in_thread=in_thread)
                body = b""
                if not isinstance(document, Response):
                    body = await _render(visit, document, yield_point)
                used = time.thread_time() - started_at
                slot.rest_seconds = rest_after(used, is_busy=self._has_other_requests())
        finally:
            requests.request_resumed()
        return document, body, is_current

    def _has_other_requests(self) -> bool:
        """Whether requests arrived since the last page that need no turn in its queue."""
        before, self._others = self._others, self._services.database.requests.urgent
        return before != self._others

    async def _read(self, visit: Visit, read: Read, *, in_thread: bool) -> tuple[Answer, bool]:
        """The document, and whether the directory knows everything that was read."""

        def read_all(tx: Tx) -> tuple[Answer, bool]:
            is_current = storage.log.end(tx).matches(visit.org.position)
            return read(tx, replace(visit, is_current=is_current)), is_current

        db = self._services.database.of(visit.org.realm.id, visit.person)
        run = (db.in_thread if in_thread else db).read
        try:
            return await run(read_all)
        except LongTopic as found:
            await self._read_starts(visit, db, found.key)
            return await run(read_all)

    async def _read_starts(self, visit: Visit, db: OrgDatabase, key: TopicOfChannel) -> None:
        cache, starts = self._services.caches.topic_starts, None
        cache.begin(key)
        try:
            starts = await db.in_thread.read(actions.messages.public_history.starts_of, key)
            visit.long_topics[key] = starts
        finally:
            cache.finish(key, starts)

    async def _not_found(self, request: ApiRequest, t: DocumentTexts) -> Response:
        """The same page whether the thing does not exist or is not public."""
        await rendering.load()
        body = rendering.text("public/not_found.html", t=t).encode()
        headers = {**security_headers.of_page(), "Cache-Control": "no-cache"}
        return await rendering.answer(request, body, pages.HTML, 404, headers)


async def _render(visit: Visit, document: PublicDocument, yield_point: LoopYieldPoint) -> bytes:
    await yield_point.yield_to_requests()
    if document.messages:
        shown = message_html.of_all(visit.t, visit.look, document.messages)
        messages = await join_in_steps(shown, yield_point)
        body = _fill(visit.t, document, messages)
    else:
        text = rendering.text(document.template, **document.values)
        if document.media_type in (feeds.ATOM, feeds.XML):
            text = feeds.without_forbidden(text)
        body = text.encode()
    return page_frame.without_controls(body)


def _fill(t: DocumentTexts, document: PublicDocument, messages: bytes) -> bytes:
    values = document.values | {"messages": messages, "t": None}
    present = {name: value for name, value in values.items() if value is not None}
    frame = _frame(document.template, t, frozenset(present), frozenset(values))
    return frame.fill(page_frame.escaped(present))


@memoized("page_frames", 256)
def _frame(
    template: str, t: DocumentTexts, present: frozenset[str], names: frozenset[str]
) -> PageFrame:
    """The frame of a page that has these of its template's values."""
    values: dict[str, Any] = dict.fromkeys(names) | page_frame.marks(present) | {"t": t}
    return PageFrame(rendering.text(template, **values))


def _etag(visit: Visit) -> str:
    """Raises NotFound if the address names a channel that is not public."""
    segment = visit.params.get("channel")
    channels = visit.channels if segment is None else [visit.channel(segment)]
    seq = visit.org.channel_versions.newest([each.id for each in channels])
    # Hashed, because a position in the log tells how much happens in private channels.
    version = f"{rendering.fingerprint()}-{visit.contact}-{visit.org.position.epoch}-{seq}"
    return f'W/"{hashlib.sha256(version.encode()).hexdigest()[:24]}"'


def _matches(etag: str, if_none_match: str) -> bool:
    """Whether a page is as the client knows it. A `*` is not answered with 304: the page may not
    exist."""
    known = {each.strip().removeprefix("W/") for each in if_none_match.split(",")}
    return etag.removeprefix("W/") in known


def _response(page: PublicPage) -> Response:
    """A page as it was sent last. Its headers are encoded already."""
    response = Response(page.body)
    response.raw_headers = list(page.headers)
    return response
