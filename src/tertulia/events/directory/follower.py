"""The follower: keeps the organizations in memory at the head of their logs.

It reads the logs on any thread, in one transaction, and applies what it finds on the event loop.
If a log is not the one this server knew (it was restored, or a replica that lacks the last events
took over), the organization and its mailboxes are loaded again.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial

from tertulia import storage
from tertulia.caches.all_caches import Caches
from tertulia.database import Database
from tertulia.domain.messages.external_pictures import Shown
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory import loader
from tertulia.events.directory.applier import (
    LogApplier,
    OnEvent,
    OnReset,
    ReorderBuffer,
    UpdateGate,
)
from tertulia.events.directory.log_updates import LogActivity, LogReader, LogUpdates
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.directory.reloads import Reloads
from tertulia.events.directory.remote_sends import GAP_SECONDS, RemoteSends
from tertulia.events.directory.skipped_events import SkippedEvents

MAX_REFRESH_SECONDS = 1.0  # that a read waits for what peers have committed
LEASE_SECONDS = 10.0  # much longer than the interval between two reads


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
            early=self._early,
            skipped=self.skipped,
            reloads=self._reloads,
            on_event=on_event,
            on_reset=on_reset,
        )
        self._gate = UpdateGate(self._applier.apply)
        load = partial(
            loader.load,
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

    def needs_notices_of(self) -> Collection[int] | None:
        """None for all organizations: the jobs of the leader work for all, and the second one that
        exists matters to every server."""
        if self._database.leader.is_ours or len(self.organizations.first) < 2:
            return None
        return {*self.organizations.positions(), *self.finder.loading}

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

    async def refresh_from_peers(self) -> bool:
        """Apply what other servers have committed, so that clients read their own writes. False if
        this server has no peers.

        Servers notify each other after a commit, so a client can list at one server before that
        server knows what another one answered a moment ago. After MAX_REFRESH_SECONDS the read
        uses what is known, seconds old at most. A server without peers skips this.
        """
        if not self._database.may_have_peers:
            return False
        read = asyncio.create_task(self._try_refresh())
        await asyncio.wait([read], timeout=MAX_REFRESH_SECONDS)
        return True

    async def _try_refresh(self) -> None:
        with contextlib.suppress(ServiceUnavailable):
            await self.refresh()

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
        seen = await self._database.of(0).query(storage.log.log_ends, list(known))
        if version == self.organizations.first_version:
            self.organizations.first = seen.first
        moved = [each for each in known if not seen.is_at(each, known[each])]
        if moved or self._reloads.pending:
            await self._read_logs({*moved, *self._reloads.pending})

    async def _read_logs(self, realms: Collection[int]) -> None:
        applied = asyncio.Event()
        updates = await self._database.of(0).read(self.reader.fetch, list(realms))
        self._gate.deliver(updates, applied.set)
        await applied.wait()


class OrganizationFinder:
    """Finds organizations by id or subdomain. Concurrent callers share one load.

    Finding an organization marks it as used, which postpones its eviction.
    """

    def __init__(
        self,
        database: Database,
        organizations: Organizations,
        reader: LogReader,
        apply: Callable[[LogUpdates], None],
        read_logs: Callable[[Collection[int]], Awaitable[None]],
    ) -> None:
        self._database = database
        self._organizations = organizations
        self._reader = reader
        self._apply = apply
        self._read_logs = read_logs
        self._loading: dict[int, asyncio.Task[Organization | None]] = {}

    @property
    def loading(self) -> Collection[int]:
        return self._loading.keys()

    def cached(self, realm_id: int) -> Organization | None:
        """The organization if it is in memory."""
        return None if realm_id in self._loading else self._organizations.get_and_touch(realm_id)

    def cached_by_subdomain(self, subdomain: str) -> Organization | None:
        return self._organizations.get_by_subdomain(subdomain)

    async def find(self, realm_id: int) -> Organization | None:
        """The organization, loaded if it is not in memory; None if it does not exist."""
        if realm_id not in self._loading:
            org = self._organizations.get_and_touch(realm_id)
            if org is not None:
                return org
            loading = self._load(realm_id)
            self._loading[realm_id] = asyncio.get_running_loop().create_task(loading)
        return await asyncio.shield(self._loading[realm_id])

    async def find_by_subdomain(self, subdomain: str) -> Organization | None:
        cached = self.cached_by_subdomain(subdomain)
        if cached is not None:
            return cached
        realm_id = await self._database.of(0).query(
            storage.organization.realms.number_at, subdomain
        )
        org = None if realm_id is None else await self.find(realm_id)
        if org is not None and org.realm.subdomain == subdomain:
            self._organizations.set_subdomain(subdomain, org.realm.id)
        return org

    async def wait_for_loads(self, realms: Iterable[int]) -> None:
        """Return when no load of these organizations is under way."""
        for realm_id in realms:
            if realm_id in self._loading:
                await asyncio.wait([self._loading[realm_id]])

    async def _load(self, realm_id: int) -> Organization | None:
        try:
            await self._database.listen_to(realm_id)
            org = await self._database.of(realm_id).in_thread.read(self._reader.load_if_exists)
            if org is not None:
                self._apply(LogUpdates(loaded=[org]))
                # Notices about events written during the load were ignored.
                await self._read_logs([realm_id])
            return self._organizations.get_and_touch(realm_id)
        finally:
            del self._loading[realm_id]


class DirectoryLease:
    """Expires when this server has not read the log for LEASE_SECONDS. Until then it may answer
    from memory.

    A server that was paused or lost its database must not accept keys and permissions that were
    revoked meanwhile. A database that no other server uses needs no lease.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read_at = -LEASE_SECONDS

    def renew(self, read_at: float) -> None:
        """`read_at` is the monotonic time before the read of all logs began."""
        self._read_at = read_at

    @property
    def is_expired(self) -> bool:
        if not self._database.is_shared:
            return False
        connected_at = self._database.connected_at
        if connected_at is None or self._read_at < connected_at:
            return True  # other servers do not wait for us, or did not at the time of the read
        return time.monotonic() - self._read_at > LEASE_SECONDS

    @property
    def seconds(self) -> float:
        return LEASE_SECONDS
