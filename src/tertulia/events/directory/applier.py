"""The applier: changes the organizations in memory as the log says, on the event loop.

For each event the directory changes first; then `on_event` puts the event into mailboxes. So the
directory at the moment of the event decides who may see it. An event that this server cannot read
or apply makes the organization, and its mailboxes, be loaded again.
"""

import asyncio
import bisect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tertulia import log
from tertulia.caches.all_caches import Caches
from tertulia.database.log_position import LogPosition
from tertulia.events.directory.loader import Patch
from tertulia.events.directory.log_updates import LogUpdates
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.reloads import Reloads
from tertulia.events.directory.skipped_events import SkippedEvents
from tertulia.events.logged_event import LoggedEvent

OnEvent = Callable[[Organization, LoggedEvent], None]
OnReset = Callable[[Organization], None]
Answer = Callable[[], None]
MAX_BUFFERED_EVENTS = 256


class LogApplier:
    """Applies log updates to the registry of organizations and to the caches.

    Updates may overlap with what is applied already and may come out of order.
    """

    def __init__(
        self,
        organizations: Organizations,
        caches: Caches,
        *,
        early: "ReorderBuffer",
        skipped: SkippedEvents,
        reloads: Reloads,
        on_event: OnEvent,
        on_reset: OnReset,
    ) -> None:
        self._organizations = organizations
        self._caches = caches
        self._early = early
        self._skipped = skipped
        self._reloads = reloads
        self._on_event = on_event
        self._on_reset = on_reset

    def apply(self, updates: LogUpdates) -> None:
        if updates.first is not None:
            self._organizations.set_first(updates.first)
        for realm_id in updates.deleted:
            self._organizations.discard(realm_id)
        for loaded in updates.loaded:
            self._replace(loaded, loaded.realm.id in updates.replaced)
        updates.rename_epochs_in(self._organizations)
        for realm_id in updates.renamed:  # a peer's early events may be lost with the old primary
            self._early.drop(realm_id)
            self._caches.permits.drop_organization(realm_id, 0)  # their log has another name
        for realm_id, logged in updates.logged.items():
            self._apply_in_order(updates, realm_id, logged)
        for realm_id in updates.rewound:
            self._reloads.schedule_new_epoch(realm_id)

    def _replace(self, loaded: Organization, is_other_log: bool) -> None:
        """Add an organization that was just loaded, or replace the state of the one we have."""
        realm_id = loaded.realm.id
        known = self._organizations.get(realm_id)
        if known is None:
            self._organizations.add(loaded)
            self._reloads.pending.discard(realm_id)
            self._caches.drop_organization(realm_id, loaded.applied)
            return
        is_wanted = realm_id in self._reloads.pending and known.applied == loaded.applied
        if is_other_log and known.position != loaded.position:
            is_wanted = True
            log.log.error("events.log_replaced", realm_id=realm_id, known_seq=known.applied)
        is_renamed = known.position.epoch != loaded.position.epoch
        if is_wanted or known.applied < loaded.applied or is_renamed:
            known.replace_by(loaded)
            self._early.drop(realm_id)
            self._caches.drop_organization(realm_id, known.applied)
            self._reloads.pending.discard(realm_id)
            self._on_reset(known)

    def _apply_in_order(
        self, updates: LogUpdates, realm_id: int, logged: list[LoggedEvent]
    ) -> None:
        org, end = self._organizations.get(realm_id), updates.ends[realm_id]
        if (
            org is None
            or realm_id in self._reloads.pending
            or org.position.epoch != end.epoch
            or org.applied >= end.seq
        ):
            return
        if logged[0].seq > org.applied + 1:
            self._early.add(realm_id, logged)
            return
        self._apply_events(org, updates.patches.get(realm_id), logged)
        while batch := self._early.pop_next(realm_id, org.applied):
            self._apply_events(org, None, batch)

    def _apply_events(
        self, org: Organization, patch: Patch | None, batch: list[LoggedEvent]
    ) -> None:
        """Never raises: the events are committed, and other listeners must receive them."""
        logged = batch[0]
        try:
            batch = [each for each in batch if each.seq > org.applied]
            if patch is not None:
                patch.apply_to(org)
                for logged in reversed(batch):
                    logged.event.undo(org)
            for logged in batch:
                if logged.seq > org.applied:
                    self._apply_event(org, logged)
        except Exception as error:
            self._skipped.add(logged, error)
            self._reloads.schedule(org.realm.id)

    def _apply_event(self, org: Organization, logged: LoggedEvent) -> None:
        event = logged.event
        if event.invalidates_permits:
            org.rules_seq = logged.seq
        if event.affects_delivery():
            org.turned_at = logged.seq
        event.apply(org)
        org.channel_versions.note(logged.seq, logged.changed_channels())
        self._caches.invalidate(logged)
        org.position = LogPosition(logged.seq, org.position.epoch, logged.stamp)
        self._on_event(org, logged)


class UpdateGate:
    """Applies updates at once, or after `frozen` ends if their organization is frozen.

    The writes that caused an update are answered after it is applied. Fast-path sends are answered
    at once: their senders need not see the directory change.
    """

    def __init__(self, apply: Callable[[LogUpdates], None]) -> None:
        self._apply = apply
        self._locks: dict[int, asyncio.Lock] = {}  # one freeze at a time in an organization
        self._held: dict[int, list[tuple[LogUpdates, Answer]]] = {}

    def deliver(self, updates: LogUpdates | None, answer: Answer) -> None:
        """Apply the updates, then answer the writes that caused them."""
        if updates is not None:
            frozen = [realm_id for realm_id in updates.realms() if realm_id in self._held]
            if frozen:
                if updates.is_appended:
                    answer()
                    answer = _already_answered
                self._held[frozen[0]].append((updates, answer))
                return
            self._apply(updates)
        answer()

    @asynccontextmanager
    async def frozen(self, realm_id: int) -> AsyncIterator[None]:
        """Keep an organization as it is while the caller reads the database.

        Writers wait for their answers meanwhile. They get them between two freezes.
        """
        async with self._locks.setdefault(realm_id, asyncio.Lock()):
            self._held[realm_id] = []
            try:
                yield
            finally:
                for updates, answer in self._held.pop(realm_id):
                    self.deliver(updates, answer)

    def drop(self, realm_id: int) -> None:
        """Free the lock of an organization that was evicted."""
        lock = self._locks.get(realm_id)
        if lock is not None and not lock.locked():
            del self._locks[realm_id]


def _already_answered() -> None:
    pass


class ReorderBuffer:
    """Keeps batches of events per organization, ordered by seq, until the gap before them closes.

    A server knows its own fast-path sends before it learns what other servers wrote in between.
    Everything here is also in the log, so dropping a batch costs a read and nothing else.
    """

    def __init__(self) -> None:
        self._batches: dict[int, list[list[LoggedEvent]]] = {}

    def has_any(self, realm_id: int) -> bool:
        return bool(self._batches.get(realm_id))

    def add(self, realm_id: int, batch: list[LoggedEvent]) -> None:
        batches = self._batches.setdefault(realm_id, [])
        if len(batches) >= MAX_BUFFERED_EVENTS:
            batches.clear()
        bisect.insort(batches, batch, key=lambda each: each[0].seq)

    def pop_next(self, realm_id: int, applied: int) -> list[LoggedEvent] | None:
        """Remove and return the first batch that continues the log after `applied`."""
        batches = self._batches.get(realm_id)
        while batches and batches[0][0].seq <= applied + 1:
            batch = batches.pop(0)
            if batch[-1].seq > applied:
                return batch
        return None

    def drop(self, realm_id: int) -> None:
        self._batches.pop(realm_id, None)
