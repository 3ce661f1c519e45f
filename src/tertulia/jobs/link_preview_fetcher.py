"""Fetches the pages that messages link, for the previews below them.

People take turns: the pages of one person's messages never delay another's. Private networks are
not reachable unless the settings name them. A page that cannot be fetched has no preview, and is
not fetched again for a week.
"""

import asyncio
from collections.abc import Sequence

from tertulia import actions, domain
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.messages.link_previews import LinkPreview
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.errors.http import ServiceUnavailable
from tertulia.external import safe_http
from tertulia.external.safe_http import RequestFailed
from tertulia.fair_queue import FairQueue
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log

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


class LinkPreviewFetcher:
    transport: Transport = "preview"
    max_claimed = 100
    max_claimed_per_person = MAX_CLAIMED_PER_PERSON

    def __init__(self, config: Config, database: Database, outbox: Outbox) -> None:
        self._config = config
        self._database = database
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
        task = await db.write(actions.messages.link_previews.take, item)
        if task is None:
            return
        fetched = []
        if self._config.link_previews:
            for url in task.urls:
                if url not in task.known:
                    fetched.append(await self._fetch(url, item.person))
        await db.write(actions.messages.link_previews.finish, item, task.urls, fetched)
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
        return await asyncio.to_thread(
            domain.messages.link_previews.read, url, content_type, response.body
        )
