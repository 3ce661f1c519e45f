"""The follower: keeps the directory at the head of the log, whoever writes to it.

News are read on any thread, in one transaction, and taken in on the loop, one event at a time:
first the directory moves, then those who wait hear of it. So what somebody may see is decided
at the moment of the event.

Where that is impossible, because an event is in words that this server does not know or does not
fit what is there, the directory is read afresh, and so are the mailboxes. The same is done where
the log is not the one we knew: it was restored, or a copy took over that lacks the last events.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from tertulia import events, storage
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory import Organization
from tertulia.events.fragments import Shelf
from tertulia.events.happening import Happening
from tertulia.events.loading import Patch, Touched
from tertulia.events.passed_over import PassedOver
from tertulia.events.whereabouts import Whereabouts
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx
from tertulia.storage.log import LogPlace

PAGE = 1000
RETRY_SECONDS = 1
MOST_EARLY = 256
LEASE_SECONDS = 10.0  # for so long what we know is good; the log is looked at more often

logger = structlog.get_logger()

Heard = Callable[[Organization, Happening], None]
StartedOver = Callable[[Organization], None]


@dataclass(slots=True)
class News:
    """What the log holds beyond what we knew, read at one moment."""

    ends: dict[int, LogPlace] = field(default_factory=dict)
    happenings: dict[int, list[Happening]] = field(default_factory=dict)
    patches: dict[int, Patch] = field(default_factory=dict)
    newcomers: list[Organization] = field(default_factory=list)
    went_back: set[int] = field(default_factory=set)  # whose logs lack what we have seen
    gone: set[int] = field(default_factory=set)  # organizations that were deleted
    is_appended: bool = False  # nothing but plain sends, whose senders need not wait for us

    def realms(self) -> set[int]:
        newcomers = (org.realm.id for org in self.newcomers)
        return {*self.happenings, *self.went_back, *self.gone, *newcomers}

    def rewritten(self, realm_id: int) -> frozenset[int] | None:
        """The messages that were rewritten meanwhile; None if nobody knows which."""
        if self.newcomers or realm_id in self.went_back:
            return None
        happened = self.happenings.get(realm_id, ())
        return frozenset(each for one in happened for each in one.event.rewritten())


class Follower:
    def __init__(
        self,
        database: Database,
        email_domain: str,
        shelf: Shelf,
        heard: Heard,
        started_over: StartedOver,
    ) -> None:
        self.organizations: dict[int, Organization] = {}
        self.shelf = shelf
        self.whereabouts = Whereabouts()
        self.passed_over = PassedOver()
        self._database = database
        self._email_domain = email_domain
        self._heard = heard
        self._started_over = started_over
        self._out_of_step: set[int] = set()  # organizations that have to be read afresh
        self._went_back: set[int] = set()  # whose logs do not know yet that they went back
        self._mending: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._early: dict[int, list[list[Happening]]] = {}  # what does not follow yet
        self._looked_at = -LEASE_SECONDS
        self._turns: dict[int, asyncio.Lock] = {}
        # What has come to organizations that are held still.
        self._held_back: dict[int, list[tuple[News, Callable[[], None]]]] = {}

    def fetch_news(self, tx: Tx, realms: Collection[int] = ()) -> News:
        """Read what is new in these organizations; in all of them, if none is named.

        It may overlap with what `apply` has taken in meanwhile.
        """
        news = News()
        known = {realm_id: org.place for realm_id, org in list(self.organizations.items())}
        ends = storage.log.ends(tx, list(realms))
        news.gone = set() if realms else known.keys() - ends.keys()
        for realm_id, end in ends.items():
            place, here = known.get(realm_id), tx.for_realm(realm_id)
            if place is None or place.epoch != end.epoch or realm_id in self._out_of_step:
                news.newcomers.append(self._load(here))
            elif end.seq > place.seq:
                self._fetch_since(here, place, news)
            elif end.seq < place.seq:
                news.went_back.add(realm_id)
        return news

    def _fetch_since(self, tx: Tx, place: LogPlace, news: News) -> None:
        applied = place.seq
        found: list[Happening] = []
        touched = Touched()
        page_is_full = True
        while page_is_full:
            page = events.log.read(tx, applied, PAGE)
            page_is_full = len(page) == PAGE
            if page and page[0].seq != applied + 1:
                # We were away for so long that the log was trimmed meanwhile: begin afresh.
                news.newcomers.append(self._load(tx))
                return
            for happening in page:
                if not happening.event.is_readable:
                    self.passed_over.note(happening)
                touched.add(happening.event.touched())
                applied = happening.seq
            found.extend(page)
        if touched.everything:
            news.newcomers.append(self._load(tx))
            return
        if found:
            news.happenings[tx.realm_id] = found
            news.ends[tx.realm_id] = LogPlace(applied, place.epoch)
        if touched:
            news.patches[tx.realm_id] = events.loading.read_patch(tx, touched)

    def compose_news(self, appended: list[tuple[LogPlace, Happening]]) -> News:
        """News that need not be read, because their writer knows them: nothing but messages.

        Of each it is said where in the log its rules were known.
        """
        news = News(is_appended=True)
        for known, happening in appended:
            realm_id = happening.realm_id
            news.happenings.setdefault(realm_id, []).append(happening)
            news.ends[realm_id] = LogPlace(happening.seq, known.epoch)
        return news

    def _load(self, tx: Tx) -> Organization:
        return events.loading.load(tx, self._email_domain, self._database.clock)

    def absorb(self, news: News) -> bool:
        """Take in news read while the directory was held still; False to read them once more."""
        self._apply(news)
        return not any(realm_id in self._out_of_step for realm_id in news.happenings)

    def deliver(self, news: News | None, answer: Callable[[], None]) -> None:
        """Take in the news, then answer those whose writes made them."""
        still = [] if news is None else [each for each in news.realms() if each in self._held_back]
        if still and news is not None:
            if news.is_appended:
                answer()
            self._held_back[still[0]].append((news, _nothing if news.is_appended else answer))
            return
        if news is not None:
            self._apply(news)
        answer()

    def _apply(self, news: News) -> None:
        for realm_id in news.gone:
            self.organizations.pop(realm_id, None)
        for org in news.newcomers:
            known = self.organizations.setdefault(org.realm.id, org)
            if known is not org:
                self._begin_afresh(known, org)
        for realm_id, happenings in news.happenings.items():
            org, end = self.organizations[realm_id], news.ends[realm_id]
            # It may have been read before something that we have taken in already.
            if (
                realm_id not in self._out_of_step
                and org.epoch == end.epoch
                and org.applied < end.seq
            ):
                if happenings[0].seq > org.applied + 1:
                    self._put_aside(realm_id, happenings)
                else:
                    self._move(org, news.patches.get(realm_id), happenings)
                    self._take_up(org)
        for realm_id in news.went_back - self._went_back:
            logger.error("the log of an organization has gone back", realm_id=realm_id)
            self._went_back.add(realm_id)
            self._mend_soon()

    def _begin_afresh(self, known: Organization, fresh: Organization) -> None:
        realm_id = known.realm.id
        is_wanted = realm_id in self._out_of_step and known.applied == fresh.applied
        if is_wanted or known.applied < fresh.applied or known.epoch != fresh.epoch:
            known.replace_by(fresh)
            self._early.pop(realm_id, None)
            self.shelf.forget_all(realm_id, known.applied)
            self.whereabouts.forget_all(realm_id, known.applied)
            self._out_of_step.discard(realm_id)
            self._started_over(known)

    def _move(self, org: Organization, patch: Patch | None, happenings: list[Happening]) -> None:
        """Whatever goes wrong, what was written is written, and others have to hear of it."""
        happening = happenings[0]
        try:
            happenings = [each for each in happenings if each.seq > org.applied]
            if patch is not None:
                patch.apply_to(org)
                for happening in reversed(happenings):
                    happening.event.rewind(org)
            for happening in happenings:
                if happening.seq > org.applied:
                    if happening.event.changes_rules:
                        org.settled.forget()
                    happening.event.move(org)
                    self._remember(org.realm.id, happening)
                    org.applied = happening.seq
                    self._heard(org, happening)
        except Exception as error:
            self.passed_over.note(happening, error)
            self._out_of_step.add(org.realm.id)
            self._mend_soon()

    def _put_aside(self, realm_id: int, happenings: list[Happening]) -> None:
        """We know what we have appended before we know what others wrote in between, of which they
        are about to tell us."""
        early = self._early.setdefault(realm_id, [])
        if len(early) >= MOST_EARLY:
            early.clear()  # it is all in the log
        early.append(happenings)

    def _take_up(self, org: Organization) -> None:
        """Take in what came too early, as far as it follows now."""
        early = self._early.get(org.realm.id)
        while early and early[0][0].seq <= org.applied + 1:
            happenings = early.pop(0)
            if happenings[-1].seq > org.applied:
                self._move(org, None, happenings)

    def _mend_soon(self) -> None:
        self._mending = asyncio.get_running_loop().create_task(self._mend())

    def _remember(self, realm_id: int, happening: Happening) -> None:
        """Keep what is known of messages true to an event."""
        sent, rewritten = happening.event.sent(), happening.event.rewritten()
        if sent is not None:
            self.whereabouts.note_sent(sent)
        if rewritten:
            self.shelf.forget(realm_id, happening.seq, rewritten)
            self.whereabouts.forget(realm_id, happening.seq, rewritten)

    async def _mend(self) -> None:
        """Read afresh what is out of step, however long the database takes to answer."""
        while self._out_of_step or self._went_back:
            try:
                for realm_id in list(self._went_back):
                    epoch = self.organizations[realm_id].epoch
                    await self._database.write_in(realm_id, _begin_epoch_after, epoch)
                    self._went_back.discard(realm_id)
                await self.catch_up()
            except ServiceUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def catch_up(self, ends: Mapping[int, int] | None = None) -> None:
        """Take in what others have written: another server, or the command line.

        Where it is known how far logs go, only those are looked at of which we know less.
        """
        known = self.organizations
        behind = [
            realm_id
            for realm_id, seq in (ends or {}).items()
            if realm_id not in known or known[realm_id].applied < seq
        ]
        if ends is not None and not behind:
            return
        began = time.monotonic()
        taken_in = asyncio.Event()
        self.deliver(await self._database.read_in(0, self.fetch_news, behind), taken_in.set)
        await taken_in.wait()
        if ends is None:
            self._looked_at = began

    @property
    def is_stale(self) -> bool:
        """Whether what we know may be too old to answer anybody by it.

        A server that was paused, or cut off from its database, must not go by keys that were
        revoked and rights that were taken away meanwhile.
        """
        return self._database.is_shared and time.monotonic() - self._looked_at > LEASE_SECONDS

    async def look_afresh(self) -> None:
        """Look at the log, together with all others who wait for that."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self.catch_up())
        await asyncio.shield(self._looking)

    @asynccontextmanager
    async def still(self, realm_id: int) -> AsyncIterator[None]:
        """Hold an organization at one moment while the database is read; one at a time.

        Writers wait for their answers meanwhile, so between two of these they get them.
        """
        async with self._turns.setdefault(realm_id, asyncio.Lock()):
            self._held_back[realm_id] = []
            try:
                yield
            finally:
                for news, answer in self._held_back.pop(realm_id):
                    self.deliver(news, answer)


def _begin_epoch_after(tx: Tx, epoch: str) -> None:
    """Unless another server was first."""
    if storage.log.end(tx).epoch == epoch:
        storage.log.begin_epoch(tx)


def _nothing() -> None:
    """Whoever waited has been answered."""
