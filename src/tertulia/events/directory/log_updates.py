"""Log updates: what the logs hold after the position this server has applied."""

import time
from collections.abc import Callable, Collection, Iterable, Set

import msgspec
from msgspec import field

from tertulia import storage
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.events import log
from tertulia.events.directory import loader
from tertulia.events.directory.loader import Invalidated, Patch
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.skipped_events import SkippedEvents
from tertulia.events.log import PAGE
from tertulia.events.logged_event import LoggedEvent
from tertulia.storage.log import Head

MAX_REPLAYED_EVENTS = 5000  # after a longer absence a full load costs no more
FULL_SCAN_SECONDS = 60.0


class LogUpdates(msgspec.Struct):
    """Everything new in some logs, read in one transaction."""

    ends: dict[int, LogPosition] = field(default_factory=dict)
    logged: dict[int, list[LoggedEvent]] = field(default_factory=dict)
    patches: dict[int, Patch] = field(default_factory=dict)
    loaded: list[Organization] = field(default_factory=list)
    rewound: set[int] = field(default_factory=set)  # logs that lack events we have applied
    replaced: set[int] = field(default_factory=set)  # logs that hold another event at our position
    # The old and new name of an epoch that was renamed while the log stayed the same.
    renamed: dict[int, tuple[str, str]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)  # organizations
    first: list[int] | None = None  # the first two organizations that exist, if they were read
    is_appended: bool = False  # only fast-path sends, whose senders need not wait

    def realms(self) -> set[int]:
        loaded = (org.realm.id for org in self.loaded)
        return {*self.logged, *self.rewound, *self.deleted, *self.renamed, *loaded}

    def rename_epochs_in(self, organizations: Organizations) -> None:
        """Continue in logs whose epoch was renamed."""
        for realm_id, (before, epoch) in self.renamed.items():
            org = organizations.get(realm_id)
            if org is not None and org.position.epoch == before:
                org.position = org.position._replace(epoch=epoch)

    def rewritten(self, realm_id: int) -> frozenset[int] | None:
        """The messages that these events rewrote; None if that is unknown."""
        if self.loaded or realm_id in self.rewound:
            return None
        happened = self.logged.get(realm_id, ())
        return frozenset(each for one in happened for each in one.event.rewritten())


class LogReader:
    """Reads log updates in a transaction, on any thread."""

    def __init__(
        self,
        organizations: Organizations,
        activity: "LogActivity",
        skipped: SkippedEvents,
        to_reload: Set[int],
        load: Callable[[Tx], Organization],
    ) -> None:
        """`to_reload` are the organizations that must be loaded again; the follower changes it."""
        self._organizations = organizations
        self._activity = activity
        self._skipped = skipped
        self._to_reload = to_reload
        self._load = load

    def load_if_exists(self, tx: Tx) -> Organization | None:
        return None if storage.organization.realms.find(tx, tx.realm_id) is None else self._load(tx)

    def fetch_relevant(self, tx: Tx, head: Head) -> LogUpdates:
        """Read what is new in one organization, unless it does not change the directory.

        Most events are messages, and those do not.
        """
        org = self._organizations.get(tx.realm_id)
        known = None if org is None else org.position
        if (
            known is not None
            and known.epoch == head.position.epoch
            and head.rules_seq <= known.seq <= head.position.seq
            and tx.realm_id not in self._to_reload
        ):
            return LogUpdates()
        return self.fetch(tx, [tx.realm_id])

    def fetch(self, tx: Tx, realms: Collection[int]) -> LogUpdates:
        """Read what is new in those of the organizations that are in memory.

        The result may overlap with events that were applied meanwhile.
        """
        updates = LogUpdates()
        known = self._organizations.positions_in(realms)
        followed = [realm_id for realm_id in realms if realm_id in known]
        ends, first = seen = storage.log.log_ends(tx, followed)
        if len(followed) < len(realms):
            updates.first = first  # an organization may be new
        self._activity.mark(
            realm_id
            for realm_id in realms
            if realm_id not in known or not seen.is_at(realm_id, known[realm_id])
        )
        updates.deleted = {each for each in followed if each not in ends}
        for realm_id, end in ends.items():
            position, org_tx = known[realm_id], tx.for_realm(realm_id)
            is_far = end.seq - position.seq > MAX_REPLAYED_EVENTS
            if position.stamp:
                is_same = storage.log.holds(org_tx, position)
            else:
                is_same = position.epoch == end.epoch
            if not is_same:
                updates.replaced.add(realm_id)
            is_continued = is_same and position.is_in_epoch_of(end)
            if not is_continued or realm_id in self._to_reload or is_far:
                updates.loaded.append(self._load(org_tx))
                continue
            if position.epoch != end.epoch:
                updates.renamed[realm_id] = (position.epoch, end.epoch)
            if end.seq > position.seq:
                self._fetch_since(org_tx, LogPosition(position.seq, end.epoch), updates)
            elif end.seq < position.seq:
                updates.rewound.add(realm_id)
        return updates

    def _fetch_since(self, tx: Tx, position: LogPosition, updates: LogUpdates) -> None:
        applied = position.seq
        found: list[LoggedEvent] = []
        touched = Invalidated()
        page_is_full = True
        while page_is_full:
            page = log.read(tx, applied, PAGE)
            page_is_full = len(page) == PAGE
            if page and page[0].seq != applied + 1:
                # The log was trimmed beyond our position.
                updates.loaded.append(self._load(tx))
                return
            for each in page:
                if not each.event.is_readable:
                    self._skipped.add(each)
                touched.add(each.event.touched())
                applied = each.seq
            found.extend(page)
        if touched.everything:
            updates.loaded.append(self._load(tx))
            return
        if found:
            updates.logged[tx.realm_id] = found
            updates.ends[tx.realm_id] = LogPosition(applied, position.epoch)
        if touched:
            updates.patches[tx.realm_id] = loader.read_patch(tx, touched)

    def compose(self, appended: list[tuple[LogPosition, LoggedEvent]]) -> LogUpdates:
        """The updates of fast-path sends, made without a read because the writer has the events.

        Each comes with the log position at which its permit was checked.
        """
        updates = LogUpdates(is_appended=True)
        for known, each in appended:
            realm_id = each.realm_id
            updates.logged.setdefault(realm_id, []).append(each)
            updates.ends[realm_id] = LogPosition(each.seq, known.epoch)
        self._activity.mark(updates.logged)
        return updates


class DirtyLogs:
    """The organizations with new events since one reader last asked."""

    def __init__(self) -> None:
        self._realms: set[int] = set()
        self._checked_at = -FULL_SCAN_SECONDS

    def mark(self, realms: Iterable[int]) -> None:
        self._realms.update(realms)

    def take_all(self) -> list[int] | None:
        """Return and clear them. None if the reader must look at all logs, because it has not
        for long."""
        found, self._realms = self._realms, set()
        now = time.monotonic()
        if now - self._checked_at >= FULL_SCAN_SECONDS:
            self._checked_at = now
            return None
        return sorted(found)


class LogActivity:
    """Which organizations have new events, for jobs that read the logs later.

    The writer and the notifications of other servers report here, on any thread. Each reader scans
    all logs every FULL_SCAN_SECONDS, in case a notification was lost.
    """

    def __init__(self) -> None:
        self._readers: list[DirtyLogs] = []

    def reader(self) -> DirtyLogs:
        reader = DirtyLogs()
        self._readers.append(reader)
        return reader

    def mark(self, realms: Iterable[int]) -> None:
        dirty = list(realms)
        for reader in self._readers:
            reader.mark(dirty)
