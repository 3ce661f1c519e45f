"""The follower: keeps the organizations in memory at the head of their logs.

It reads the logs on any thread, in one transaction, and applies what it finds on the event loop.
If a log is not the one this server knew (it was restored, or a replica that lacks the last events
took over), the organization and its mailboxes are loaded again.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial

from tertulia import events, storage
from tertulia.caches.table import Caches
from tertulia.database import Database
from tertulia.domain.messages.external_pictures import Shown
from tertulia.events.directory.applier import LogApplier, OnEvent, OnReset
from tertulia.events.directory.finder import OrganizationFinder
from tertulia.events.directory.lease import DirectoryLease
from tertulia.events.directory.log_activity import LogActivity
from tertulia.events.directory.log_updates import LogReader, LogUpdates
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.reloads import Reloads
from tertulia.events.directory.remote_sends import GAP_SECONDS, RemoteSends
from tertulia.events.directory.reorder_buffer import ReorderBuffer
from tertulia.events.directory.skipped_events import SkippedEvents
from tertulia.events.directory.update_gate import UpdateGate


class Follower:
    """Reads the logs and has the applier apply them; builds the parts that share the registry.

    `catch_up` reads what other servers and the command line wrote. The writer of this server
    delivers its own events.
    """

    def __init__(
        self,
        database: Database,
        email_domain: str,
        shown: Shown,
        caches: Caches,
        on_event: OnEvent,
        on_reset: OnReset,
    ) -> None:
        self.organizations = Organizations()
        self.activity = LogActivity()
        self.caches = caches
        self.skipped = SkippedEvents()
        self._database = database
        self._early = ReorderBuffer()
        self._lease = DirectoryLease(database)
        self._reloads = Reloads(database, self.organizations, self.catch_up)
        self._applier = LogApplier(
            self.organizations,
            self.caches,
            self._early,
            self.skipped,
            self._reloads,
            on_event,
            on_reset,
        )
        self._gate = UpdateGate(self._applier.apply)
        load = partial(
            events.directory.loader.load,
            email_domain=email_domain,
            clock=database.clock,
            shown=shown,
            records=caches.records,
        )
        self.reader = LogReader(
            self.organizations, self.activity, self.skipped, self._reloads.pending, load
        )
        self.finder = OrganizationFinder(
            database, self.organizations, self.reader, self._applier.apply, self._read_logs
        )
        self.remote_sends = RemoteSends(
            self.organizations, self.activity, self._early, self._gate, self._read_logs
        )
        self._refreshing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the logs, and load the organization if there is only one."""
        await self.catch_up()
        if self.organizations.single is not None:
            await self.finder.find(self.organizations.single)

    def evict(self, realm_id: int) -> None:
        """Free an organization that is not in use. The only one stays in memory."""
        if realm_id != self.organizations.single:
            org = self.organizations.get(realm_id)
            if org is not None:
                self.caches.drop_organization(realm_id, org.applied)
            self.organizations.evict(realm_id)
            self._early.drop(realm_id)
            self._gate.drop(realm_id)

    # --- applying ---

    def deliver(self, updates: LogUpdates | None, answer: Callable[[], None]) -> None:
        """Apply the updates, then answer the writes that caused them."""
        self._gate.deliver(updates, answer)

    def frozen(self, realm_id: int) -> AbstractAsyncContextManager[None]:
        """Keep an organization as it is while the caller reads the database."""
        return self._gate.frozen(realm_id)

    def apply_in_freeze(self, updates: LogUpdates) -> bool:
        """Apply updates that were read within `frozen`; False if they must be read again."""
        self._applier.apply(updates)
        return not any(realm_id in self._reloads.pending for realm_id in updates.logged)

    # --- reading ---

    async def catch_up(self, ends: Mapping[int, int] | None = None) -> None:
        """Read and apply what other servers and the command line wrote.

        `ends` says how far some logs go; then only those are read that go further than we know.
        """
        if ends is None:
            started_at = time.monotonic()
            await self._read_all()
            self._lease.renew(started_at)
            return
        self.activity.mark(ends)
        behind = self.organizations.behind(ends)
        if any(self._early.has_any(realm_id) for realm_id in behind):
            # Notices for the gap before the buffered events are probably on their way.
            await asyncio.sleep(GAP_SECONDS)
            behind = self.organizations.behind(ends)
        # An organization that is not in memory matters only if it may be the second one.
        is_alone = self.organizations.single is not None
        if any(is_alone or realm_id in self.organizations for realm_id in behind):
            await self._read_logs(behind)

    async def refresh(self) -> None:
        """Return after a read of all logs that began after this call; callers share such a read."""
        running = self._refreshing
        if running is not None and not running.done():
            await asyncio.wait([running])  # it may have read before what the caller has to see
        if self._refreshing is running:
            self._refreshing = asyncio.get_running_loop().create_task(self.catch_up())
        assert self._refreshing is not None
        await asyncio.shield(self._refreshing)

    async def apply_until(self, ends: Mapping[int, int]) -> bool:
        """Apply the logs of some organizations up to these events; False if that is not possible.

        An organization that is not in memory needs nothing: it is loaded on first use.
        """
        await self.finder.wait_for_loads(ends)
        known = {realm_id: seq for realm_id, seq in ends.items() if realm_id in self.organizations}
        if behind := self.organizations.behind(known):
            await self._read_logs(behind)
        return not self.organizations.behind(known)

    @property
    def is_stale(self) -> bool:
        """Whether the directory may be too old to answer by it."""
        return self._lease.is_expired

    @property
    def lease_seconds(self) -> float:
        return self._lease.seconds

    async def _read_all(self) -> None:
        """Compare the ends of all logs with what is applied, and read those that differ."""
        known, version = self.organizations.positions(), self.organizations.first_version
        stamped = {realm_id: self.organizations[realm_id].stamped[1] for realm_id in known}
        seen = await self._database.query(0, storage.log.log_ends, list(known))
        if version == self.organizations.first_version:
            self.organizations.first = seen.first
        moved = [each for each in known if not seen.is_at(each, known[each], stamped[each])]
        if moved or self._reloads.pending:
            await self._read_logs({*moved, *self._reloads.pending})

    async def _read_logs(self, realms: Collection[int]) -> None:
        applied = asyncio.Event()
        updates = await self._database.read_in(0, self.reader.fetch, list(realms))
        self._gate.deliver(updates, applied.set)
        await applied.wait()
