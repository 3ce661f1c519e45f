"""The finder: an organization from memory, or loaded from the database on first use."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable

from tertulia import storage
from tertulia.database import Database
from tertulia.events.directory.log_updates import LogReader, LogUpdates
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations


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
        realm_id = await self._database.query(0, storage.organization.number_at, subdomain)
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
            org = await self._database.read_in_thread_in(realm_id, self._reader.load_if_exists)
            if org is not None:
                self._apply(LogUpdates(loaded=[org]))
                # Notices about events written during the load were ignored.
                await self._read_logs([realm_id])
            return self._organizations.get_and_touch(realm_id)
        finally:
            del self._loading[realm_id]
