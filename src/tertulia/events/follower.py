"""The follower: keeps the directory at the head of the log, whoever writes to it.

News are read on any thread, in one transaction, and taken in on the loop, one event at a time:
first the directory moves, then those who wait hear of it. So what somebody may see is decided
at the moment of the event.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from tertulia.events import loading, log
from tertulia.events.directory import Organization
from tertulia.events.loading import Patch, Touched
from tertulia.events.log import Happening
from tertulia.storage import log as stored_log
from tertulia.storage.database import Database
from tertulia.storage.tx import Tx

PAGE = 1000

logger = structlog.get_logger()

Heard = Callable[[Organization, Happening], None]


@dataclass(slots=True)
class News:
    """What the log holds beyond what we knew, read at one moment."""

    heads: dict[int, int] = field(default_factory=dict)
    happenings: dict[int, list[Happening]] = field(default_factory=dict)
    patches: dict[int, Patch] = field(default_factory=dict)
    newcomers: list[Organization] = field(default_factory=list)


class Follower:
    def __init__(self, database: Database, email_domain: str, heard: Heard) -> None:
        self.organizations: dict[int, Organization] = {}
        self._database = database
        self._email_domain = email_domain
        self._heard = heard
        self._is_still = False
        self._turn = asyncio.Lock()
        self._held_back: list[tuple[News, Callable[[], None]]] = []

    def fetch_news(self, tx: Tx, realms: Collection[int] = ()) -> News:
        """Read what is new in these organizations; in all of them, if none is named.

        It may overlap with what `apply` has taken in meanwhile.
        """
        news = News()
        for realm_id in realms or self._behind(tx):
            org, here = self.organizations.get(realm_id), tx.for_realm(realm_id)
            if org is None:
                news.newcomers.append(self._load(here))
            else:
                self._fetch_since(here, org.applied, news)
        return news

    def _behind(self, tx: Tx) -> list[int]:
        """The organizations of which there is more than we know."""
        known = self.organizations
        return [
            realm_id
            for realm_id, head in stored_log.heads(tx).items()
            if realm_id not in known or known[realm_id].applied < head
        ]

    def _fetch_since(self, tx: Tx, applied: int, news: News) -> None:
        found: list[Happening] = []
        touched = Touched()
        page_is_full = True
        while page_is_full:
            page = log.read(tx, tx.realm_id, applied, PAGE)
            page_is_full = len(page) == PAGE
            if page and page[0].seq != applied + 1:
                # We were away for so long that the log was trimmed meanwhile: begin afresh.
                news.newcomers.append(self._load(tx))
                return
            for happening in page:
                touched.add(happening.event.touched())
                applied = happening.seq
            found.extend(page)
        if found:
            news.happenings[tx.realm_id] = found
            news.heads[tx.realm_id] = applied
        if touched:
            news.patches[tx.realm_id] = loading.read_patch(tx, touched)

    def _load(self, tx: Tx) -> Organization:
        return loading.load(tx, self._email_domain, self._database.clock)

    def absorb(self, news: News) -> None:
        """Take in news read while the directory was held still."""
        self._apply(news)

    def deliver(self, news: News | None, answer: Callable[[], None]) -> None:
        """Take in the news, then answer those whose writes made them."""
        if news is None:
            answer()
        elif self._is_still:
            self._held_back.append((news, answer))
        else:
            self._take_in(news, answer)

    def _take_in(self, news: News, answer: Callable[[], None]) -> None:
        """Whatever goes wrong in telling others, what was written is written: answer."""
        try:
            self._apply(news)
        except Exception:
            logger.exception("news could not be taken in")
        answer()

    def _apply(self, news: News) -> None:
        for org in news.newcomers:
            known = self.organizations.setdefault(org.realm.id, org)
            if known.applied < org.applied:
                known.replace_by(org)
        for realm_id, happenings in news.happenings.items():
            org = self.organizations[realm_id]
            if news.heads[realm_id] <= org.applied:
                continue  # read before something that we have taken in already
            if realm_id in news.patches:
                news.patches[realm_id].apply_to(org)
            for happening in happenings:
                if happening.seq > org.applied:
                    happening.event.move(org)
                    org.applied = happening.seq
                    self._heard(org, happening)

    async def catch_up(self) -> None:
        """Take in what others have written: another server, or the command line."""
        taken_in = asyncio.Event()
        self.deliver(await self._database.read_in(0, self.fetch_news), taken_in.set)
        await taken_in.wait()

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Hold the directory at one moment while the database is read; one at a time.

        Writers wait for their answers meanwhile, so between two of these they get them.
        """
        async with self._turn:
            self._is_still = True
            try:
                yield
            finally:
                self._is_still = False
                held_back, self._held_back = self._held_back, []
                for news, answer in held_back:
                    self._take_in(news, answer)
