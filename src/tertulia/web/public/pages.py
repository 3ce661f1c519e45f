"""The public pages: organization, channel, topic, message, feeds, sitemap, robots.txt.

```
/public/                            channels and newest topics
/public/7-help/                     topics of a channel; ?before=ID continues
/public/7-help/Opening.20hours/     a topic, a hundred messages per page; ?page=2, ?as=text
/public/message/123                 redirects to the page of a message
…/feed.atom                         feed of the organization, a channel or a topic
/public/sitemap.xml                 index of the sitemaps /public/sitemap/7/1024-2048.xml
/robots.txt
```
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api, domain, storage
from tertulia.actions.messages.public_history import LongTopic, TopicPage
from tertulia.api.call import Services
from tertulia.caches.public_pages import PublicPage, PublicPageKey
from tertulia.caches.topic_starts import TopicOfChannel, TopicStarts
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.database.yielding import LoopYieldPoint
from tertulia.documents import message_html, page_frame, view_models
from tertulia.documents.page_frame import PageFrame
from tertulia.documents.texts import DocumentTexts
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message, TopicMessage
from tertulia.errors.http import NotFound
from tertulia.events.directory.organization import Organization
from tertulia.fair_queue import FairQueue
from tertulia.http import compression
from tertulia.http.parameter_rules import parse_id
from tertulia.http.request import ApiRequest
from tertulia.memo import memoized
from tertulia.storage.messages.topic_pages import TopicNeighbours
from tertulia.web import rendering, security_headers
from tertulia.web.public import addresses, sitemap
from tertulia.web.public.appearance import PublicAppearance

INDEX_TOPICS = 20
# While others send requests, the queue rests this many times as long as a page took: pages then use
# half a percent of a CPU, and far fewer than one in a hundred of those requests meets a page.
BUSY_PAUSE_FACTOR = 199
MAX_PAUSE_SECONDS = 0.4  # so long that a page of a hundred messages is half a percent of it
MAX_YIELD_SECONDS = 0.05  # that a page waits in all while other requests are answered
PARAMETERS = ("page", "before", "as")
STEP_SECONDS = 0.0003  # for which messages are rendered before other requests go first
STATIC = "/static/"
OPTIONAL_VALUES = (  # of a page of a topic
    "is_resolved",
    "page_of",
    "earlier",
    "later",
    "earlier_topic",
    "later_topic",
    "ask",
    "report",
)
HTML = "text/html; charset=utf-8"
ATOM = "application/atom+xml; charset=utf-8"
XML = "application/xml; charset=utf-8"
TEXT = "text/plain; charset=utf-8"

_NOT_IN_XML = re.compile("[\f\ufffe\uffff]")  # beside those that HTML forbids, too

# One slot, so that a crawler never renders two pages at once.
PAGES = FairQueue("public_pages", slots=1, max_waiting=20)


class Visit(msgspec.Struct, frozen=True):
    """A request for a public page of an organization that has them."""

    request: ApiRequest
    org: Organization
    site: str
    t: DocumentTexts
    look: PublicAppearance
    long_topics: dict[TopicOfChannel, TopicStarts] = {}  # read for this request
    contact: str = ""  # the email address for readers, if the server has one
    is_current: bool = False  # whether `org` knows everything that the transaction reads

    @property
    def channels(self) -> list[Channel]:
        """The channels with public pages, by name."""
        found = [each for each in self.org.channels.values() if is_public(each)]
        return sorted(found, key=lambda channel: channel.name.casefold())

    def channel(self, segment: str) -> Channel:
        channel_id = addresses.channel_id_of(segment)
        found = None if channel_id is None else self.org.channels.get(channel_id)
        if found is None or not is_public(found):
            raise NotFound()
        return found


class PublicDocument(msgspec.Struct, frozen=True):
    """A page to render, with its template's values."""

    template: str
    media_type: str
    values: dict[str, Any]
    headers: dict[str, str] = {}


class TopicDocument(msgspec.Struct, frozen=True):
    """A page of a topic to render."""

    found: TopicPage
    neighbours: TopicNeighbours
    path: str
    media_type: str = HTML
    headers: dict[str, str] = {}


Document: TypeAlias = PublicDocument | TopicDocument


def is_public(channel: Channel) -> bool:
    return channel.is_web_public and not channel.archived


def rest_after(used_seconds: float, *, is_busy: bool) -> float:
    """How long the queue rests after a page that took so much CPU time."""
    return min(used_seconds * BUSY_PAUSE_FACTOR, MAX_PAUSE_SECONDS) if is_busy else 0.0


def has_pages(services: Services, org: Organization) -> bool:
    """Whether an organization shows its web-public channels as pages."""
    return (
        not org.realm.deactivated
        and api.call.has_public_access(services.config, org)
        and bool(org.realm.setting("enable_public_pages"))
    )


class PublicPages:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._others = 0  # requests that needed no turn, until the last page
        self._headers = {
            **security_headers.of_page(),
            **self._caching(),
            "Vary": "Accept-Encoding",
        }

    def routes(self) -> list[Route]:
        return [
            Route("/public/{channel}/{topic}/", self._topic),  # first: most requests are for topics
            Route("/robots.txt", self._robots),
            Route("/public/", self._index),
            Route("/public/feed.atom", self._feed),
            Route("/public/sitemap.xml", self._sitemap_index),
            Route("/public/sitemap/{channel_id:int}/{first:int}-{last:int}.xml", self._sitemap),
            Route("/public/message/{message_id:int}", self._message),
            Route("/public/{channel}/", self._channel),
            Route("/public/{channel}/feed.atom", self._feed),
            Route("/public/{channel}/{topic}/feed.atom", self._feed),
        ]

    # --- pages ---

    async def _index(self, request: Request) -> Response:
        def read(tx: Tx, visit: Visit) -> PublicDocument:
            channels, extent = visit.channels, actions.messages.public_history.extent
            found = actions.messages.public_history.newest_topics(
                tx, [each.id for each in channels], INDEX_TOPICS
            )
            return self._document(
                visit,
                "index.html",
                addresses.ROOT,
                channels=[
                    visit.look.channel(visit.t, each, extent(tx, each.id)) for each in channels
                ],
                topics=[visit.look.topic(visit.t, line) for line in found],
                description=visit.org.realm.setting("description")
                or visit.t("public.description-index", name=visit.org.realm.name),
                feed=f"{addresses.ROOT}feed.atom",
                may_register=_may_register(visit.org),
            )

        return await self._answer(request, read, in_thread=True)

    async def _channel(self, request: Request) -> Response:
        before = _number(request, "before")

        def read(tx: Tx, visit: Visit) -> PublicDocument | Response:
            channel = visit.channel(request.path_params["channel"])
            path = addresses.channel_path(channel.id, channel.name)
            if request.scope["path"] != path:
                return _redirect(visit, path, request)
            found = actions.messages.public_history.topics(tx, channel.id, before)
            return self._document(
                visit,
                "channel.html",
                path if before is None else f"{path}?before={before}",
                channel=channel,
                topics=[visit.look.topic(visit.t, line) for line in found.topics],
                older=found.next_before and f"{path}?before={found.next_before}",
                about=view_models.description(channel),
                description=view_models.description(channel)
                or visit.t(
                    "public.description-channel", channel=channel.name, name=visit.org.realm.name
                ),
                feed=f"{path}feed.atom",
            )

        return await self._answer(request, read, in_thread=True)

    async def _topic(self, request: Request) -> Response:
        number = _number(request, "page") or 1
        is_text = _parameters(request).get("as") == "text"

        def read(tx: Tx, visit: Visit) -> Document | Response:
            channel = visit.channel(request.path_params["channel"])
            topic = addresses.topic_of(request.path_params["topic"])
            if topic is None:
                raise NotFound()
            if not visit.is_current:  # else the directory is as the database
                channel = actions.messages.public_history.public(tx, channel.id)
            found = actions.messages.public_history.topic_page(
                tx,
                channel,
                topic,
                number,
                partial(self._find_starts, visit),
                with_content=is_text,
            )
            path = addresses.topic_path(channel.id, channel.name, found.topic)
            if request.scope["path"] != path:
                return _redirect(visit, path, request)
            if is_text:
                return _as_text(visit, found)
            neighbours = actions.messages.public_history.neighbours(tx, found)
            return TopicDocument(found, neighbours, path)

        return await self._answer(request, read)

    async def _message(self, request: Request) -> Response:
        """Redirect the permanent address of a message to the page that has it now."""

        def read(tx: Tx, visit: Visit) -> Response:
            message_id = request.path_params["message_id"]
            if message_id >= 1 << 62:
                raise NotFound()
            channel, topic, page = actions.messages.public_history.locate(tx, message_id)
            path = addresses.topic_path(channel.id, channel.name, topic, page)
            return RedirectResponse(f"{path}#m{message_id}", 302, {"Cache-Control": "no-cache"})

        return await self._answer(request, read, in_thread=True)

    # --- for programs ---

    async def _feed(self, request: Request) -> Response:
        def read(tx: Tx, visit: Visit) -> PublicDocument:
            params = request.path_params
            channels, title, path, topic = (
                visit.channels,
                visit.org.realm.name,
                addresses.ROOT,
                None,
            )
            if "channel" in params:
                channel = visit.channel(params["channel"])
                channels, title = [channel], f"{channel.name} · {title}"
                path = addresses.channel_path(channel.id, channel.name)
                if "topic" in params:
                    topic = addresses.topic_of(params["topic"])
                    if topic is None:
                        raise NotFound()
                    path = addresses.topic_path(channel.id, channel.name, topic)
                    title = f"{view_models.titled(visit.t, topic)[0]} · {title}"
            found = actions.messages.public_history.newest(
                tx, [each.id for each in channels], topic
            )
            values = {
                "title": title,
                "path": path,
                "visit": visit,
                "updated": view_models.iso(max((_changed_at(each) for each in found), default=0)),
                "entries": [_entry(visit, each) for each in found],
            }
            return PublicDocument("public/feed.atom", ATOM, values)

        return await self._answer(request, read)

    async def _sitemap_index(self, request: Request) -> Response:
        def read(tx: Tx, visit: Visit) -> PublicDocument:
            parts = [part for each in visit.channels for part in sitemap.parts_of(tx, each.id)]
            return PublicDocument("public/sitemap_index.xml", XML, {"visit": visit, "parts": parts})

        return await self._answer(request, read)

    async def _sitemap(self, request: Request) -> Response:
        params = request.path_params

        def read(tx: Tx, visit: Visit) -> PublicDocument:
            part = sitemap.SitemapPart(params["channel_id"], params["first"], params["last"])
            channel = visit.channel(str(part.channel_id))
            topics = sitemap.topics_of(tx, channel, part)
            return PublicDocument("public/sitemap.xml", XML, {"visit": visit, "topics": topics})

        return await self._answer(request, read, in_thread=True)

    async def _robots(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        await self._services.delivery.follower.refresh_from_peers()
        org = await api.call.find_organization(self._services, api_request.host)
        lines = ["User-agent: *"]
        if org is not None and has_pages(self._services, org):
            site = api.call.site(self._services.config, api_request, org)
            lines += [f"Allow: {path}" for path in ("/public/", "/static/", "/user_uploads/")]
            lines += ["Disallow: /", f"Sitemap: {site}/public/sitemap.xml"]
        else:
            lines.append("Disallow: /")
        return Response("\n".join(lines) + "\n", media_type=TEXT, headers=self._caching())

    # --- answering ---

    async def _answer(
        self,
        request: Request,
        read: Callable[[Tx, Visit], Document | Response],
        *,
        in_thread: bool = False,
    ) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        await self._services.delivery.follower.refresh_from_peers()
        org = await api.call.find_organization(self._services, api_request.host)
        if org is None or not has_pages(self._services, org):
            return await self._not_found(api_request, DocumentTexts.of("en"))
        site = api.call.site(self._services.config, api_request, org)
        visit = Visit(
            api_request,
            org,
            site,
            DocumentTexts.of(str(org.realm.setting("default_language"))),
            PublicAppearance(org),
            contact=self._services.config.public_contact_email,
        )
        channel = request.path_params.get("channel")
        try:
            etag = self._etag(visit, channel)
        except NotFound:  # before a 304, which would tell whether a private channel has changed
            return await self._not_found(api_request, visit.t)
        if _matches(etag, api_request.header("if-none-match") or ""):
            return Response(status_code=304, headers={"ETag": etag, **self._caching()})
        kept = self._services.caches.public_pages
        key = PublicPageKey(
            org.realm.id,
            site,
            _address(request),
            compression.is_accepted(api_request.header("accept-encoding"), compression.MIN_BYTES),
        )
        page = kept.find_current(key, etag)
        if page is not None:
            return _response(page)
        await rendering.load()
        try:
            document, body, is_current = await self._render_in_turn(
                visit, read, in_thread=in_thread
            )
            if etag != self._etag(visit, channel):  # changed while the page waited
                is_current = False
        except NotFound:
            return await self._not_found(api_request, visit.t)
        if isinstance(document, Response):
            return document
        headers = {**self._headers, **document.headers}
        if is_current:
            headers["ETag"] = etag
        reply = await rendering.answer(api_request, body, document.media_type, headers=headers)
        if is_current:
            kept.put(key, PublicPage(etag, bytes(reply.body), tuple(reply.raw_headers)))
        return reply

    async def _render_in_turn(
        self,
        visit: Visit,
        read: Callable[[Tx, Visit], Document | Response],
        *,
        in_thread: bool,
    ) -> tuple[Document | Response, bytes, bool]:
        """The document, its body, and whether the directory knows everything that was read."""
        requests = self._services.database.requests
        requests.request_queued()
        try:
            async with PAGES.slot(visit.request.person) as slot:
                # Counts other work of this thread, too: on a busy server pages wait longer.
                started_at = time.thread_time()
                yield_point = LoopYieldPoint(requests, MAX_YIELD_SECONDS)
                await yield_point.yield_to_requests()
                document, is_current = await self._read(visit, read, in_thread=in_thread)
                body = b""
                if not isinstance(document, Response):
                    body = await self._render(visit, document, yield_point)
                used = time.thread_time() - started_at
                slot.rest_seconds = rest_after(used, is_busy=self._has_other_requests())
        finally:
            requests.request_resumed()
        return document, body, is_current

    def _has_other_requests(self) -> bool:
        """Whether requests arrived since the last page that need no turn in its queue."""
        before, self._others = self._others, self._services.database.requests.urgent
        return before != self._others

    async def _read(
        self,
        visit: Visit,
        read: Callable[[Tx, Visit], Document | Response],
        *,
        in_thread: bool,
    ) -> tuple[Document | Response, bool]:
        """The document, and whether the directory knows everything that was read."""

        def both(tx: Tx) -> tuple[Document | Response, bool]:
            is_current = storage.log.end(tx).matches(visit.org.position)
            return read(tx, replace(visit, is_current=is_current)), is_current

        db = self._services.database.of(visit.org.realm.id, visit.request.person)
        read_all = (db.in_thread if in_thread else db).read
        try:
            return await read_all(both)
        except LongTopic as found:
            await self._read_starts(visit, db, found.key)
            return await read_all(both)

    async def _read_starts(self, visit: Visit, db: OrgDatabase, key: TopicOfChannel) -> None:
        cache, starts = self._services.caches.topic_starts, None
        cache.begin(key)
        try:
            starts = await db.in_thread.read(actions.messages.public_history.starts_of, key)
            visit.long_topics[key] = starts
        finally:
            cache.finish(key, starts)

    def _find_starts(self, visit: Visit, key: TopicOfChannel) -> TopicStarts | None:
        """Those of the cache may lack the last events: then a page starts a message too late, and
        is not cached."""
        return visit.long_topics.get(key) or self._services.caches.topic_starts.find(key)

    async def _render(self, visit: Visit, document: Document, yield_point: LoopYieldPoint) -> bytes:
        """Render in steps of a fraction of a millisecond, so that other requests do not wait."""
        await yield_point.yield_to_requests()
        if isinstance(document, PublicDocument):
            text = rendering.text(document.template, **document.values)
            if document.media_type in (ATOM, XML):
                text = _NOT_IN_XML.sub("", text)
            return page_frame.without_controls(text.encode())
        shown = message_html.of_all(visit.t, visit.look, document.found.messages)
        parts: list[bytes] = []
        step_ends_at = time.perf_counter() + STEP_SECONDS
        for part in shown:
            parts.append(part)
            if time.perf_counter() > step_ends_at:
                await yield_point.yield_to_requests()
                step_ends_at = time.perf_counter() + STEP_SECONDS
        await yield_point.yield_to_requests()
        return page_frame.without_controls(_topic_page(visit, document, b"".join(parts)))

    async def _not_found(self, api_request: ApiRequest, t: DocumentTexts) -> Response:
        """The same page whether the thing does not exist or is not public."""
        await rendering.load()
        text = rendering.text("public/not_found.html", t=t)
        headers = {**security_headers.of_page(), "Cache-Control": "no-cache"}
        return await rendering.answer(api_request, text.encode(), HTML, 404, headers)

    def _etag(self, visit: Visit, channel: str | None) -> str:
        found = visit.channels if channel is None else [visit.channel(channel)]
        concerned = [each.id for each in found]
        seq = visit.org.channel_versions.newest(concerned)
        # Hashed, because a position in the log tells how much happens in private channels.
        version = f"{rendering.fingerprint()}-{visit.contact}-{visit.org.position.epoch}-{seq}"
        return f'W/"{hashlib.sha256(version.encode()).hexdigest()[:24]}"'

    def _caching(self) -> dict[str, str]:
        seconds = self._services.config.public_pages_max_age_seconds
        return {"Cache-Control": f"public, max-age={seconds}" if seconds else "no-cache"}

    def _document(
        self,
        visit: Visit,
        template: str,
        path: str,
        **values: Any,
    ) -> PublicDocument:
        own = {
            "visit": visit,
            "t": visit.t,
            "canonical": f"{visit.site}{path}",
            "organization": visit.org.realm.name,
            "home": addresses.ROOT,
            "static": STATIC,
            **dict.fromkeys(("ask", "report")),
            **_contact(visit, f"{visit.site}{path}"),
        }
        return PublicDocument(f"public/{template}", HTML, {**own, "chat": "/", **values})


def _response(page: PublicPage) -> Response:
    """A page as it was sent last. Its headers are encoded already."""
    response = Response(page.body)
    response.raw_headers = list(page.headers)
    return response


def _redirect(visit: Visit, path: str, request: Request) -> Response:
    """To the current name of a channel or topic."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}{query}", 302, {"Cache-Control": "no-cache"})


def _parameters(request: Request) -> Mapping[str, str]:
    return request.query_params if request.scope["query_string"] else {}


def _address(request: Request) -> tuple[str | None, ...]:
    """The address of a page without parameters that change nothing, as advertisers add them."""
    found = _parameters(request)
    return request.scope["path"], *(found.get(name) for name in PARAMETERS)


def _number(request: Request, name: str) -> int | None:
    """A positive number of the query; anything else counts as not given."""
    return parse_id(_parameters(request).get(name, "")) or None


def _matches(etag: str, if_none_match: str) -> bool:
    """Whether a page is as the client knows it. A `*` is not answered with 304: the page may not
    exist."""
    known = {each.strip().removeprefix("W/") for each in if_none_match.split(",")}
    return etag.removeprefix("W/") in known


def _may_register(org: Organization) -> bool:
    return not org.realm.setting("invite_required")


def _contact(visit: Visit, canonical: str) -> dict[str, str]:
    """Links that write to the server's contact: to report the page, and to ask for an invitation
    if the organization requires one."""
    if not visit.contact:
        return {}
    write, t = f"mailto:{quote(visit.contact, safe='@')}?subject=", visit.t
    links = {"report": write + quote(t("public.report-subject", address=canonical), safe="")}
    if not _may_register(visit.org):
        links["ask"] = write + quote(t("public.ask-subject", name=visit.org.realm.name), safe="")
    return links


def _topic_page(visit: Visit, document: TopicDocument, messages: bytes) -> bytes:
    found, path, t, organization = (
        document.found,
        document.path,
        visit.t,
        visit.org.realm.name,
    )
    channel, number, pages = found.channel, found.number, found.pages
    title, is_resolved = view_models.titled(t, found.topic)
    snippet = view_models.snippet(visit.look, found.messages[0])
    canonical = f"{visit.site}{_numbered(path, number)}"
    values = {
        "organization": organization,
        "channel": channel.name,
        "channel_path": addresses.channel_path(channel.id, channel.name),
        "title": title,
        "description": snippet
        or t("public.description-topic", topic=title, channel=channel.name, name=organization),
        "canonical": canonical,
        "extent": _extent(t, found),
        "chat": f"/{domain.messages.links.topic_link(channel.id, channel.name, found.topic)}",
        "feed": f"{path}feed.atom",
        "text_path": f"{path}?as=text",
        **_contact(visit, canonical),
    }
    if is_resolved:
        values["is_resolved"] = ""
    if pages > 1:
        values["page_of"] = t("public.page-of", number=number, pages=pages)
    if number > 1:
        values["earlier"] = _numbered(path, number - 1)
    if number < pages:
        values["later"] = _numbered(path, number + 1)
    for name, topic in (
        ("earlier_topic", document.neighbours.earlier),
        ("later_topic", document.neighbours.later),
    ):
        if topic is not None:
            values[name] = addresses.topic_path(channel.id, channel.name, topic)
            values[f"{name}_title"] = view_models.titled(t, topic)[0]
    encoded = page_frame.escaped(values)
    encoded["posting"] = _json_ld(visit, title, canonical, found, snippet).encode()
    encoded["messages"] = messages
    return _topic_frame(t, frozenset(values)).fill(encoded)


@memoized("topic_frames", 256)
def _topic_frame(t: DocumentTexts, present: frozenset[str]) -> PageFrame:
    """The frame of a page of a topic that has these of its values."""
    values: dict[str, str | None] = dict.fromkeys(OPTIONAL_VALUES)
    values |= page_frame.marks([*present, "posting", "messages"])
    rendered = rendering.text(
        "public/topic.html", t=t, home=addresses.ROOT, static=STATIC, **values
    )
    return PageFrame(rendered)


def _numbered(path: str, page: int) -> str:
    """The address of a page of a topic."""
    return path if page == 1 else f"{path}?page={page}"


def _extent(t: DocumentTexts, found: TopicPage) -> str:
    """How many messages a topic has; if they are on one page, by how many people; and when."""
    count = t.count(found.count)
    if found.pages == 1:
        senders = len({message.sender_id for message in found.messages})
        count += f" {t('public.by-people', count=senders)}"
    return f"{count}, {_span_of_dates(t, found.messages[0], found.messages[-1])}"


def _span_of_dates(t: DocumentTexts, first: TopicMessage, last: TopicMessage) -> str:
    dates = t.day(first.sent_at), t.day(last.sent_at)
    return dates[0] if dates[0] == dates[1] else f"{dates[0]} – {dates[1]}"


def _as_text(visit: Visit, found: TopicPage) -> PublicDocument:
    values = {
        "page": found,
        "title": view_models.titled(visit.t, found.topic)[0],
        "lines": [
            (
                visit.look.person(each.sender_id).name,
                view_models.iso(each.sent_at),
                visit.look.text(each.content),
            )
            for each in found.messages
        ],
    }
    return PublicDocument("public/topic.txt", TEXT, values, {"X-Robots-Tag": "noindex"})


def _changed_at(message: Message | TopicMessage) -> float:
    return message.edited_at or message.sent_at


def _entry(visit: Visit, message: Message) -> dict[str, Any]:
    assert message.channel_id is not None
    sender = visit.look.person(message.sender_id)
    return {
        "url": f"{visit.site}{addresses.message_path(message.id)}",
        "title": view_models.titled(visit.t, message.topic)[0],
        "author": sender.name,
        "channel": visit.org.channels[message.channel_id].name,
        "published": view_models.iso(message.sent_at),
        "updated": view_models.iso(_changed_at(message)),
        "html": view_models.html_of(visit.look, message, sender),
    }


def _json_ld(
    visit: Visit,
    title: str,
    canonical: str,
    found: TopicPage,
    snippet: str,
) -> str:
    """The topic for search engines (schema.org), as JSON that is safe inside a script element."""
    first, last = found.messages[0], found.messages[-1]
    posting = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "headline": title,
        "url": canonical,
        "author": {"@type": "Person", "name": visit.look.person(first.sender_id).name},
        "datePublished": view_models.iso(first.sent_at),
        "dateModified": view_models.iso(_changed_at(last)),
        "text": snippet,
        "commentCount": max(0, found.count - 1),
        "isPartOf": {"@type": "WebPage", "name": found.channel.name},
    }
    encoded = msgspec.json.encode(posting).decode()
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
