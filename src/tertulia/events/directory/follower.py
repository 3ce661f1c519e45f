"""The follower: keeps the directory at the head of the log, whoever writes to it.

News are read on any thread, in one transaction, and taken in on the loop, one event at a time:
first the directory moves, then those who wait hear of it. So what somebody may see is decided
at the moment of the event.

Where that is impossible, because an event is in words that this server does not know or does not
fit what is there, the directory is read afresh, and so are the mailboxes. The same is done where
the log is not the one we knew: it was restored, or a copy took over that lacks the last events.
"""

import asyncio
import bisect
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from tertulia import events, log, storage
from tertulia.database import Database
from tertulia.domain.messages.external_pictures import Shown
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory.loader import Patch
from tertulia.events.directory.log_activity import LogActivity
from tertulia.events.directory.log_updates import LogReader, LogUpdates
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.skipped_events import SkippedEvents
from tertulia.events.history_cache.fragments import Shelf
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.message_locations import MessageLocations
from tertulia.events.snapshot.register_cache import RegisterCache

RETRY_SECONDS = 1
MAX_BUFFERED_EVENTS = 256
GAP_SECONDS = 0.02  # within which others tell what they have sent
LEASE_SECONDS = 10.0  # for so long what we know is good; the log is looked at more often

Heard = Callable[[Organization, LoggedEvent], None]
StartedOver = Callable[[Organization], None]


class Follower:
    def __init__(
        self,
        database: Database,
        email_domain: str,
        shown: Shown,
        shelf: Shelf,
        heard: Heard,
        started_over: StartedOver,
    ) -> None:
        self.organizations = Organizations()
        self.activity = LogActivity()
        self.shelf = shelf
        self.pages = events.history_cache.pages.PageCache()
        self.whereabouts = MessageLocations()
        self.recollections = RegisterCache()
        self.passed_over = SkippedEvents()
        self._database = database
        self._out_of_step: set[int] = set()  # organizations that have to be read afresh
        load = partial(
            events.directory.loader.load,
            email_domain=email_domain,
            clock=database.clock,
            shown=shown,
        )
        self.news = LogReader(
            self.organizations, self.activity, self.passed_over, self._out_of_step, load
        )
        self._heard = heard
        self._started_over = started_over
        self._went_back: set[int] = set()  # whose logs do not know yet that they went back
        self._mending: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._loading: dict[int, asyncio.Task[Organization | None]] = {}
        self._first_told = 0  # how often the first organizations were others
        self._filling: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        self._early: dict[int, list[list[LoggedEvent]]] = {}  # what does not follow yet
        self._looked_at = -LEASE_SECONDS
        self._turns: dict[int, asyncio.Lock] = {}
        # What has come to organizations that are held still.
        self._held_back: dict[int, list[tuple[LogUpdates, Callable[[], None]]]] = {}

    # --- finding organizations ---

    async def start(self) -> None:
        """Look at the log, and read the organization that everybody will ask for if it is the only
        one."""
        await self.catch_up()
        if self.organizations.single is not None:
            await self.find(self.organizations.single)

    def known(self, realm_id: int) -> Organization | None:
        """An organization, if it need not be read first."""
        return None if realm_id in self._loading else self.organizations.use(realm_id)

    def known_at(self, subdomain: str) -> Organization | None:
        return self.organizations.get_by_subdomain(subdomain)

    async def find(self, realm_id: int) -> Organization | None:
        """An organization, read now if we do not know it; None if there is none."""
        if realm_id not in self._loading:
            org = self.organizations.use(realm_id)
            if org is not None:
                return org
            reading = self._bring_in(realm_id)
            self._loading[realm_id] = asyncio.get_running_loop().create_task(reading)
        return await asyncio.shield(self._loading[realm_id])

    async def find_at(self, subdomain: str) -> Organization | None:
        known = self.known_at(subdomain)
        if known is not None:
            return known
        realm_id = await self._database.query(0, storage.organization.number_at, subdomain)
        org = None if realm_id is None else await self.find(realm_id)
        if org is not None and org.realm.subdomain == subdomain:
            self.organizations.remember_at(subdomain, org.realm.id)
        return org

    async def _bring_in(self, realm_id: int) -> Organization | None:
        try:
            org = await self._database.read_aside_in(realm_id, self.news.load_if_exists)
            if org is not None:
                self._apply(LogUpdates(newcomers=[org]))
                # What was written meanwhile was told to us while we knew of no such organization.
                await self._take_in([realm_id])
            return self.organizations.use(realm_id)
        finally:
            del self._loading[realm_id]

    def let_go(self, realm_id: int) -> None:
        """Nobody needs an organization any more; the only one is needed by whoever comes next."""
        if realm_id != self.organizations.single:
            self.organizations.let_go(realm_id)
            self._early.pop(realm_id, None)
            turn = self._turns.get(realm_id)
            if turn is not None and not turn.locked():
                del self._turns[realm_id]

    # --- following ---

    def hear(self, notice: str) -> None:
        """Take in what another server tells of its plain sends."""
        try:
            appended = list(events.notify_payloads.read(notice))
        except (KeyError, msgspec.DecodeError):  # from a server that knows more than we do
            return
        for known, happening in appended:
            # One by one: others may have written in between.
            news = LogUpdates(is_appended=True)
            news.happenings[happening.realm_id] = [happening]
            news.ends[happening.realm_id] = known
            self.deliver(news, _nothing)
        self.activity.note({happening.realm_id for _, happening in appended})
        waiting = {
            happening.realm_id: known.seq
            for known, happening in appended
            if self._early.get(happening.realm_id)
        }
        if waiting and self._filling is None:
            loop = asyncio.get_running_loop()
            self._filling = loop.call_later(GAP_SECONDS, self._fill_gaps, waiting)

    def _fill_gaps(self, waiting: Mapping[int, int]) -> None:
        """Read what nobody has told, if something that we were told still waits for it."""
        self._filling = None
        if self._behind(waiting):
            self._reading = asyncio.get_running_loop().create_task(self._try_to_read(waiting))

    async def _try_to_read(self, waiting: Mapping[int, int]) -> None:
        with contextlib.suppress(ServiceUnavailable):  # it is looked at again in a second
            await self._take_in(self._behind(waiting))

    def absorb(self, news: LogUpdates) -> bool:
        """Take in news read while the directory was held still; False to read them once more."""
        self._apply(news)
        return not any(realm_id in self._out_of_step for realm_id in news.happenings)

    def deliver(self, news: LogUpdates | None, answer: Callable[[], None]) -> None:
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

    def _apply(self, news: LogUpdates) -> None:
        if news.first is not None:
            self.organizations.first = news.first
            self._first_told += 1
        for realm_id in news.gone:
            self.organizations.discard(realm_id)
        for fresh in news.newcomers:
            known = self.organizations.get(fresh.realm.id)
            if known is None:
                self.organizations.put(fresh)
                self._out_of_step.discard(fresh.realm.id)
                self._forget_messages(fresh)
            else:
                self._begin_afresh(known, fresh, fresh.realm.id in news.replaced)
        news.rename_in(self.organizations)
        for realm_id in news.renamed:  # what peers announced early may be lost with the old primary
            self._early.pop(realm_id, None)
        for realm_id, happenings in news.happenings.items():
            org, end = self.organizations.get(realm_id), news.ends[realm_id]
            # It may have been read before something that we have taken in already.
            if (
                org is not None
                and realm_id not in self._out_of_step
                and org.epoch == end.epoch
                and org.applied < end.seq
            ):
                if happenings[0].seq > org.applied + 1:
                    self._buffer_early(realm_id, happenings)
                else:
                    self._move(org, news.patches.get(realm_id), happenings)
                    self._drain_early(org)
        for realm_id in news.went_back - self._went_back:
            log.log.error("the log of an organization has gone back", realm_id=realm_id)
            self._went_back.add(realm_id)
            self._mend_soon()

    def _begin_afresh(self, known: Organization, fresh: Organization, is_other_log: bool) -> None:
        realm_id = known.realm.id
        is_wanted = realm_id in self._out_of_step and known.applied == fresh.applied
        if is_other_log and known.stamped != fresh.stamped:
            is_wanted = True
            log.log.error("log.replaced", realm_id=realm_id, known_seq=known.applied)
        if is_wanted or known.applied < fresh.applied or known.epoch != fresh.epoch:
            known.replace_by(fresh)
            self._early.pop(realm_id, None)
            self._forget_messages(known)
            self._out_of_step.discard(realm_id)
            self._started_over(known)

    def _forget_messages(self, org: Organization) -> None:
        self.shelf.begin_afresh(org.realm.id, org.applied)
        self.whereabouts.forget_all(org.realm.id, org.applied)

    def _move(self, org: Organization, patch: Patch | None, happenings: list[LoggedEvent]) -> None:
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
                    if happening.event.invalidates_permits:
                        org.settled.forget()
                        org.rules_seq = happening.seq
                    if happening.event.affects_delivery():
                        org.turned_at = happening.seq
                    happening.event.move(org)
                    self._remember(org.realm.id, happening)
                    org.applied = happening.seq
                    org.stamped = (happening.seq, happening.stamp)
                    self._heard(org, happening)
        except Exception as error:
            self.passed_over.note(happening, error)
            self._out_of_step.add(org.realm.id)
            self._mend_soon()

    def _buffer_early(self, realm_id: int, happenings: list[LoggedEvent]) -> None:
        """We know what we have appended before we know what others wrote in between, of which they
        are about to tell us."""
        early = self._early.setdefault(realm_id, [])
        if len(early) >= MAX_BUFFERED_EVENTS:
            early.clear()  # it is all in the log
        bisect.insort(early, happenings, key=lambda each: each[0].seq)

    def _drain_early(self, org: Organization) -> None:
        """Take in what came too early, as far as it follows now."""
        early = self._early.get(org.realm.id)
        while early and early[0][0].seq <= org.applied + 1:
            happenings = early.pop(0)
            if happenings[-1].seq > org.applied:
                self._move(org, None, happenings)

    def _mend_soon(self) -> None:
        self._mending = asyncio.get_running_loop().create_task(self._mend())

    def _remember(self, realm_id: int, happening: LoggedEvent) -> None:
        """Keep what is known of messages true to an event."""
        sent, rewritten = happening.event.sent(), happening.event.rewritten()
        self.pages.note(realm_id, happening.seq, sent, rewritten)
        if sent is not None:
            self.whereabouts.note_sent(sent)
        if rewritten:
            self.shelf.forget(realm_id, happening.seq, rewritten)
        if (
            rewritten and happening.event.invalidates_permits
        ):  # a reaction leaves them where they stand
            self.whereabouts.forget(realm_id, happening.seq, rewritten)

    async def _mend(self) -> None:
        """Read afresh what is out of step, however long the database takes to answer."""
        while self._out_of_step or self._went_back:
            self._out_of_step &= {*self.organizations.places()}
            try:
                for realm_id in list(self._went_back):
                    org = self.organizations.get(realm_id)
                    if org is not None:
                        await self._database.write_in(realm_id, storage.log.end_epoch, org.epoch)
                    self._went_back.discard(realm_id)
                await self.catch_up()
            except ServiceUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def catch_up(self, ends: Mapping[int, int] | None = None) -> None:
        """Take in what others have written: another server, or the command line.

        Where it is known how far logs go, only those are looked at of which we know less.
        """
        if ends is None:
            began = time.monotonic()
            await self._look()
            self._looked_at = began
        else:
            self.activity.note(ends)
            behind = self._behind(ends)
            if any(self._early.get(realm_id) for realm_id in behind):
                # Others are about to tell what lies before what we were told already.
                await asyncio.sleep(GAP_SECONDS)
                behind = self._behind(ends)
            # Of those that we do not know it matters only whether there is more than one.
            is_alone = self.organizations.single is not None
            if any(is_alone or realm_id in self.organizations for realm_id in behind):
                await self._take_in(behind)

    def _behind(self, ends: Mapping[int, int]) -> list[int]:
        """The organizations of whose log we know less than this, or nothing."""
        known = self.organizations
        return [
            realm_id
            for realm_id, seq in ends.items()
            if (org := known.get(realm_id)) is None or org.applied < seq
        ]

    async def _look(self) -> None:
        """Look how far all logs go that we follow."""
        known, told = self.organizations.places(), self._first_told
        stamped = {realm_id: self.organizations[realm_id].stamped[1] for realm_id in known}
        seen = await self._database.query(0, storage.log.glance, list(known))
        if told == self._first_told:
            self.organizations.first = seen.first
        moved = [each for each in known if not seen.is_at(each, known[each], stamped[each])]
        if moved or self._out_of_step:
            await self._take_in({*moved, *self._out_of_step})

    async def _take_in(self, realms: Collection[int]) -> None:
        taken_in = asyncio.Event()
        news = await self._database.read_in(0, self.news.fetch, list(realms))
        self.deliver(news, taken_in.set)
        await taken_in.wait()

    @property
    def is_stale(self) -> bool:
        """Whether what we know may be too old to answer anybody by it.

        A server that was paused, or cut off from its database, must not go by keys that were
        revoked and rights that were taken away meanwhile.
        """
        if not self._database.is_shared:
            return False
        connected_at = self._database.connected_at
        if connected_at is None or self._looked_at < connected_at:
            return True  # others do not wait for us, or did not when we looked
        return time.monotonic() - self._looked_at > LEASE_SECONDS

    @property
    def lease_seconds(self) -> float:
        return LEASE_SECONDS

    async def apply_until(self, ends: Mapping[int, int]) -> bool:
        """Apply the logs of some organizations up to these events; False if that is not possible.

        An organization that is not in memory is read when somebody asks for it.
        """
        for realm_id in ends:
            if realm_id in self._loading:
                await asyncio.wait([self._loading[realm_id]])
        known = {realm_id: seq for realm_id, seq in ends.items() if realm_id in self.organizations}
        if behind := self._behind(known):
            await self._take_in(behind)
        return not self._behind(known)

    async def refresh(self) -> None:
        """Look at the log from now on, together with all others who wait for that."""
        begun = self._looking
        if begun is not None and not begun.done():
            await asyncio.wait([begun])  # it may have looked before what we are to find
        if self._looking is begun:
            self._looking = asyncio.get_running_loop().create_task(self.catch_up())
        assert self._looking is not None
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


def _nothing() -> None:
    """Whoever waited has been answered."""
