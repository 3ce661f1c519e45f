"""Previews of linked pages below messages.

A message with links gets an item in the outbox. The pages are fetched outside of any transaction;
then the HTML of the message is replaced, which clients get as an edit of the rendering only. People
take turns: the pages of one person's messages never delay another's. Private networks are not
reachable unless the settings name them. A page that cannot be fetched has no preview, and is not
fetched again for a week. The core finds links and previews in a message by
`domain/messages/link_previews.py`.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape, unescape
from urllib.parse import urljoin, urlsplit

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call, Services
from tertulia.database.tx import Tx
from tertulia.domain.html_tokens import StartTag
from tertulia.domain.messages.link_previews import MAX_URL_LENGTH, START
from tertulia.domain.messages.message import Message
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.user import User
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.types.messages.edits import RenderingUpdated
from tertulia.external import safe_http
from tertulia.external.safe_http import RequestFailed
from tertulia.fair_queue import FairQueue
from tertulia.features.feature import Feature
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Job, described, leader_job
from tertulia.log import log
from tertulia.storage.record import Record
from tertulia.wire_fields import (
    MessageId,
)

CACHED_SECONDS = 7 * 86_400.0
MAX_CLAIMED_PER_PERSON = 4
MAX_PAGE_BYTES = 1 << 20
MAX_SECONDS = 8.0
MAX_REDIRECTS = 3
REQUEST_HEADERS = {
    "User-Agent": "Tertulia (link preview)",
    "Accept": "text/html, application/xhtml+xml",
    "Accept-Encoding": "identity",
}

FETCHES = FairQueue(
    "link_previews", slots=16, slots_per_person=2, max_waiting=MAX_CLAIMED_PER_PERSON
)

MAX_TITLE_LENGTH = 200
MAX_DESCRIPTION_LENGTH = 400
_CHARSET = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4096

# Character sets of pages. Python knows more encodings: some take minutes for a large page
# (punycode), some fail for most texts (idna), some give what cannot be stored (unicode_escape).
CHARSETS = frozenset(
    (
        *("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii", "latin1"),
        *(f"iso-8859-{number}" for number in range(1, 17) if number != 12),
        *(f"windows-{number}" for number in range(1250, 1259)),
        *("cp874", "tis-620", "koi8-r", "koi8-u", "ibm866", "macintosh"),
        *("gb2312", "gbk", "gb18030", "big5", "big5-hkscs"),
        *("euc-jp", "iso-2022-jp", "shift-jis", "sjis", "cp932", "euc-kr"),
    )
)


class LinkPreview(Record, frozen=True, table="link_preview"):
    """What a page said about itself. Without a title if it has none, or is no page."""

    url: str
    title: str = ""
    description: str = ""
    image: str = ""


def with_previews(rendered: str, previews: list[LinkPreview]) -> str:
    shown = "".join(_html(each) for each in previews if each.title)
    return domain.messages.link_previews.without_previews(rendered) + shown


def read(url: str, content_type: str, body: bytes) -> LinkPreview:
    """What a page says about itself: Open Graph, else its title and description."""
    if not content_type.lower().startswith(("text/html", "application/xhtml+xml")):
        return LinkPreview(url)
    text = _decoded(content_type, body)
    meta: dict[str, str] = {}
    for token in domain.html_tokens.tokenize(text):
        if isinstance(token, StartTag) and token.name == "meta":
            name = token.attributes.get("property") or token.attributes.get("name") or ""
            meta.setdefault(name.lower(), token.attributes.get("content", ""))
        elif isinstance(token, StartTag) and token.name == "body":
            break
    title = meta.get("og:title") or meta.get("twitter:title") or _title(text)
    description = meta.get("og:description") or meta.get("description", "")
    image = meta.get("og:image") or meta.get("twitter:image", "")
    return LinkPreview(
        url,
        _one_line(title, MAX_TITLE_LENGTH),
        _one_line(description, MAX_DESCRIPTION_LENGTH),
        _image_address(url, image),
    )


def _decoded(content_type: str, body: bytes) -> str:
    named = _CHARSET.search(content_type.encode()) or _CHARSET.search(body[:_HEAD_BYTES])
    charset = named[1].decode().lower().replace("_", "-") if named else ""
    return body.decode(charset if charset in CHARSETS else "utf-8", errors="replace")


def _title(text: str) -> str:
    start = text.lower().find("<title")
    start = text.find(">", start) if start >= 0 else -1
    if start < 0:
        return ""
    return unescape(text[start + 1 : start + 2000].partition("<")[0])


def _one_line(text: str, length: int) -> str:
    text = " ".join(text.replace("\0", "").split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _image_address(page: str, image: str) -> str:
    try:
        address = urljoin(page, image.strip()) if image.strip() else ""
        is_usable = urlsplit(address).scheme in ("http", "https")
    except ValueError:
        return ""
    is_clean = address.isprintable() and not set(address) & set(" \"'()\\<>")
    return address if is_usable and is_clean and len(address) <= MAX_URL_LENGTH else ""


def _html(preview: LinkPreview) -> str:
    url, title = escape(preview.url), escape(preview.title)
    image = ""
    if preview.image:
        style = escape(f'background-image: url("{preview.image}")')
        image = f'<a class="message_embed_image" href="{url}" style="{style}"></a>'
    return (
        f'{START}{image}<div class="data-container"><div class="message_embed_title">'
        f'<a href="{url}" title="{title}">{title}</a></div>'
        f'<div class="message_embed_description">{escape(preview.description)}</div></div></div>'
    )


def _fetched(tx: Tx, urls: Sequence[str]) -> dict[str, LinkPreview]:
    """By address, if they were fetched lately."""
    found = LinkPreview.all(
        tx, "url IN :urls AND fetched_at >= :since", urls=urls, since=tx.now - CACHED_SECONDS
    )
    return {each.url: each for each in found}


def delete_old(tx: Tx) -> None:
    """Delete what was fetched long ago, in all organizations. The previews below messages stay."""
    tx.execute(
        "DELETE FROM link_preview WHERE fetched_at < :before", before=tx.now - CACHED_SECONDS
    )


def _remove_from(tx: Tx, message_id: int) -> None:
    """Show no previews below this message from now on."""
    tx.execute(
        "INSERT INTO removed_link_preview (message_id, realm_id) VALUES (:id, :realm)"
        " ON CONFLICT DO NOTHING",
        id=message_id,
    )


def _are_removed_from(tx: Tx, message_id: int) -> bool:
    return tx.has_row("removed_link_preview", message_id=message_id)


# --- actions ---


class PreviewTask(msgspec.Struct, frozen=True):
    """A message, the addresses in it, and what is already known of them."""

    message: Message
    urls: list[str]
    known: dict[str, LinkPreview]


def take(tx: Tx, item: OutboxItem) -> PreviewTask | None:
    """Claim an item. None if another server has, or there is nothing to do any more."""
    if not actions.outbox.claim(tx, [item]):
        return None
    _, message_id = item.subjects
    message = storage.messages.table.find(tx, message_id)
    is_wanted = storage.organization.realms.current(tx).setting("inline_url_embed_preview")
    if (
        message is None
        or not is_wanted
        or _are_removed_from(tx, message_id)
        or not (urls := domain.messages.link_previews.links_in(message.rendered))
    ):
        storage.outbox.delete(tx, item)
        return None
    return PreviewTask(message, urls, _fetched(tx, urls))


def finish(tx: Tx, item: OutboxItem, urls: list[str], fetched: list[LinkPreview]) -> None:
    """Store what was fetched, and show it below the message if that still has the same links."""
    for each in fetched:
        columns = msgspec.structs.asdict(each)
        LinkPreview.upsert(tx, ("realm_id", "url"), **columns, fetched_at=tx.now)
    storage.outbox.delete(tx, item)
    _, message_id = item.subjects
    message = storage.messages.table.find(tx, message_id)
    if message is None or _are_removed_from(tx, message_id):
        return
    if domain.messages.link_previews.links_in(message.rendered) != urls:
        return  # edited meanwhile; the edit has its own item
    found = _fetched(tx, urls)
    previews = [found[url] for url in urls if url in found]
    _show(tx, message, with_previews(message.rendered, previews))


def remove(tx: Tx, user: User, message_id: int) -> None:
    """Remove the previews of a message for good. Its sender and users who may delete it can."""
    message = actions.messages.deletion.find_removable(tx, user, message_id)
    _remove_from(tx, message.id)
    _show(tx, message, domain.messages.link_previews.without_previews(message.rendered))


def _show(tx: Tx, message: Message, rendered: str) -> None:
    if rendered == message.rendered:
        return
    storage.messages.table.set_html(tx, message.id, rendered)
    at = message.channel_id
    channel = None if at is None else storage.channels.table.find(tx, at)
    events.log.announce(
        tx,
        RenderingUpdated(message.id, message.channel_id, tx.now),
        to=actions.messages.access.holders(tx, message, channel),
    )


# --- endpoint ---


async def remove_all(call: Call, message_id: MessageId) -> None:
    """Remove the previews of linked pages below a message for good."""
    await call.db.write(remove, call.user, message_id)


# --- job ---


class LinkPreviewFetcher:
    transport: Transport = "preview"
    job_name = "link previews"
    every_seconds = 0.5
    max_claimed = 100
    max_claimed_per_person = MAX_CLAIMED_PER_PERSON

    def __init__(self, services: Services, outbox: Outbox) -> None:
        self._config = services.config
        self._database = services.database
        self._outbox = outbox

    def lane_of(self, item: OutboxItem) -> int | None:
        return item.message_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        (item,) = items
        async with FETCHES.slot(item.person):
            try:
                await self._preview(item)
            except ServiceUnavailable:
                raise
            except Exception:
                db = self._database.of(item.realm_id)
                given_up = await db.write(actions.outbox.record_results, [], [item])
                self._outbox.given_up["preview"] += len(given_up)
                raise
        return False

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("previews.fetch_failed", message_id=item.message_id, **described(error))

    async def _preview(self, item: OutboxItem) -> None:
        db = self._database.of(item.realm_id)
        task = await db.write(take, item)
        if task is None:
            return
        fetched = []
        if self._config.link_previews:
            for url in task.urls:
                if url not in task.known:
                    fetched.append(await self._fetch(url, item.person))
        await db.write(finish, item, task.urls, fetched)
        self._outbox.sent["preview"] += 1

    async def _fetch(self, url: str, person: int) -> LinkPreview:
        try:
            response = await safe_http.get(
                url,
                REQUEST_HEADERS,
                seconds=MAX_SECONDS,
                max_bytes=MAX_PAGE_BYTES,
                max_redirects=MAX_REDIRECTS,
                allowed=self._config.link_preview_networks,
                person=person,
            )
        except RequestFailed:
            return LinkPreview(url)
        if response.status != 200:
            return LinkPreview(url)
        content_type = response.headers.get("content-type", "")
        return await asyncio.to_thread(read, url, content_type, response.body)


def _jobs(services: Services) -> Iterator[Job]:
    yield leader_job("old link previews", 3600, partial(services.database.of(0).write, delete_old))


FEATURE = Feature(
    jobs=_jobs,
    add_senders=lambda services, outbox: outbox.add(LinkPreviewFetcher(services, outbox)),
)
