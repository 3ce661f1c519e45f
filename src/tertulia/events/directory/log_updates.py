"""News: what the log holds beyond what is known here, read on any thread, at one moment."""

from collections.abc import Callable, Collection, Set
from dataclasses import dataclass, field

from tertulia import events, storage
from tertulia.database.tx import Later, Tx
from tertulia.events.directory.loader import Invalidated, Patch
from tertulia.events.directory.log_activity import LogActivity
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.skipped_events import SkippedEvents
from tertulia.events.log import PAGE
from tertulia.events.logged_event import LoggedEvent
from tertulia.storage.log import Head, LogPosition

MAX_REPLAYED_EVENTS = 5000  # events; whoever was away for more begins afresh, which costs no more


@dataclass(slots=True)
class LogUpdates:
    """What the log holds beyond what we knew, read at one moment."""

    ends: dict[int, LogPosition] = field(default_factory=dict)
    happenings: dict[int, list[LoggedEvent]] = field(default_factory=dict)
    patches: dict[int, Patch] = field(default_factory=dict)
    newcomers: list[Organization] = field(default_factory=list)
    went_back: set[int] = field(default_factory=set)  # whose logs lack what we have seen
    replaced: set[int] = field(default_factory=set)  # whose logs hold something else in its place
    # Whose epoch has another name, before and now, though the log is the same.
    renamed: dict[int, tuple[str, str]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)  # organizations that were deleted
    first: list[int] | None = None  # organizations that there are, if that was looked at
    is_appended: bool = False  # nothing but plain sends, whose senders need not wait for us

    def realms(self) -> set[int]:
        newcomers = (org.realm.id for org in self.newcomers)
        return {*self.happenings, *self.went_back, *self.gone, *self.renamed, *newcomers}

    def rename_in(self, organizations: Organizations) -> None:
        """Go on in logs whose epoch has another name; send permits contain the name."""
        for realm_id, (before, epoch) in self.renamed.items():
            org = organizations.get(realm_id)
            if org is not None and org.epoch == before:
                org.epoch = epoch
                org.settled.forget()

    def rewritten(self, realm_id: int) -> frozenset[int] | None:
        """The messages that were rewritten meanwhile; None if nobody knows which."""
        if self.newcomers or realm_id in self.went_back:
            return None
        happened = self.happenings.get(realm_id, ())
        return frozenset(each for one in happened for each in one.event.rewritten())


class LogReader:
    """Reads news for the follower, who takes them in."""

    def __init__(
        self,
        organizations: Organizations,
        activity: LogActivity,
        passed_over: SkippedEvents,
        out_of_step: Set[int],
        load: Callable[[Tx], Organization],
    ) -> None:
        """`out_of_step` are the organizations that have to be read afresh just then."""
        self._organizations = organizations
        self._activity = activity
        self._passed_over = passed_over
        self._out_of_step = out_of_step
        self._load = load

    def load_if_exists(self, tx: Tx) -> Organization | None:
        return None if storage.organization.find(tx, tx.realm_id) is None else self._load(tx)

    def fetch_relevant(self, tx: Tx, head: Head) -> LogUpdates:
        """Read what is new in one organization, if its directory is not the same without that.

        Messages are most of what happens, and none of what a directory tells.
        """
        org = self._organizations.get(tx.realm_id)
        known = None if org is None else org.place
        if (
            known is not None
            and known.epoch == head.place.epoch
            and head.rules_seq <= known.seq <= head.place.seq
            and tx.realm_id not in self._out_of_step
        ):
            return LogUpdates()
        return self.fetch(tx, [tx.realm_id])

    def fetch(self, tx: Tx, realms: Collection[int]) -> LogUpdates:
        """Read what is new in these organizations, as far as we know them.

        It may overlap with what `apply` has taken in meanwhile.
        """
        news = LogUpdates()
        known = self._organizations.places_in(realms)
        followed = [realm_id for realm_id in realms if realm_id in known]
        same = self._recognized(tx, followed)
        ends, first, _ = storage.log.glance(tx, followed)
        if len(followed) < len(realms):
            news.first = first  # it may be a new one
        self._activity.note(
            realm_id
            for realm_id in realms
            if realm_id not in ends or ends[realm_id] != known[realm_id]
        )
        news.gone = {each for each in followed if each not in ends}
        for realm_id, end in ends.items():
            place, here = known[realm_id], tx.for_realm(realm_id)
            is_far = end.seq - place.seq > MAX_REPLAYED_EVENTS
            is_same = same[realm_id]() if realm_id in same else place.epoch == end.epoch
            if not is_same:
                news.replaced.add(realm_id)
            is_begun = storage.log.branch(place.epoch) != storage.log.branch(end.epoch)
            if not is_same or is_begun or realm_id in self._out_of_step or is_far:
                news.newcomers.append(self._load(here))
                continue
            if place.epoch != end.epoch:
                news.renamed[realm_id] = (place.epoch, end.epoch)
            if end.seq > place.seq:
                self._fetch_since(here, LogPosition(place.seq, end.epoch), news)
            elif end.seq < place.seq:
                news.went_back.add(realm_id)
        return news

    def _recognized(self, tx: Tx, realms: Collection[int]) -> dict[int, Later[bool]]:
        """Whether logs hold the last event that we know, of those where it has a stamp."""
        found: dict[int, Later[bool]] = {}
        for realm_id in realms:
            org = self._organizations.get(realm_id)
            if org is not None and org.stamped[1]:
                found[realm_id] = tx.for_realm(realm_id).later(storage.log.holds, *org.stamped)
        return found

    def _fetch_since(self, tx: Tx, place: LogPosition, news: LogUpdates) -> None:
        applied = place.seq
        found: list[LoggedEvent] = []
        touched = Invalidated()
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
                    self._passed_over.note(happening)
                touched.add(happening.event.touched())
                applied = happening.seq
            found.extend(page)
        if touched.everything:
            news.newcomers.append(self._load(tx))
            return
        if found:
            news.happenings[tx.realm_id] = found
            news.ends[tx.realm_id] = LogPosition(applied, place.epoch)
        if touched:
            news.patches[tx.realm_id] = events.directory.loader.read_patch(tx, touched)

    def compose(self, appended: list[tuple[LogPosition, LoggedEvent]]) -> LogUpdates:
        """News that need not be read, because their writer knows them: nothing but messages.

        Of each it is said where in the log its rules were known.
        """
        news = LogUpdates(is_appended=True)
        for known, happening in appended:
            realm_id = happening.realm_id
            news.happenings.setdefault(realm_id, []).append(happening)
            news.ends[realm_id] = LogPosition(happening.seq, known.epoch)
        self._activity.note(news.happenings)
        return news
