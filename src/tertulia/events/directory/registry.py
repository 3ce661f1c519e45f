"""The registry: organizations that are in memory, each at its position in the log.

An organization is loaded on first use and evicted when it has no queue and no request for a while.
Eviction drops only the strong reference: the follower updates an organization for as long as a
request holds it.
"""

from collections.abc import Collection, Mapping
from weakref import WeakValueDictionary

from tertulia.database.log_position import LogPosition
from tertulia.events.directory.organization import Organization


class Organizations:
    """Changed on the event loop only; any thread may read."""

    def __init__(self) -> None:
        self.first: list[int] = []  # the first two organizations that exist, in memory or not
        self.first_version = 0  # counts `set_first`, so that an older read does not overwrite it
        self._followed: WeakValueDictionary[int, Organization] = WeakValueDictionary()
        self._in_use: dict[int, Organization] = {}
        self._requested: set[int] = set()  # since the last `unused`
        self._at: dict[str, int] = {}  # realm id by subdomain

    def __len__(self) -> int:
        return len(self.values())

    def __contains__(self, realm_id: int) -> bool:
        return self.get(realm_id) is not None

    def __getitem__(self, realm_id: int) -> Organization:
        return self._in_use.get(realm_id) or self._followed[realm_id]

    def get(self, realm_id: int) -> Organization | None:
        return self._in_use.get(realm_id) or self._followed.get(realm_id)

    def values(self) -> list[Organization]:
        found = (reference() for reference in self._followed.valuerefs())
        return [org for org in found if org is not None]

    def positions_in(self, realms: Collection[int]) -> dict[int, LogPosition]:
        """The log positions of those of the organizations that are in memory."""
        found = ((realm_id, self.get(realm_id)) for realm_id in realms)
        return {realm_id: org.position for realm_id, org in found if org is not None}

    def positions(self) -> dict[int, LogPosition]:
        return {org.realm.id: org.position for org in self.values()}

    @property
    def single(self) -> int | None:
        """The id of the organization if exactly one exists."""
        return self.first[0] if len(self.first) == 1 else None

    def set_first(self, realms: list[int]) -> None:
        self.first = realms
        self.first_version += 1

    def behind(self, ends: Mapping[int, int]) -> list[int]:
        """Those of which less is applied than `ends` says, or which are not in memory."""
        return [
            realm_id
            for realm_id, seq in ends.items()
            if (org := self.get(realm_id)) is None or org.applied < seq
        ]

    # --- use ---

    def get_and_touch(self, realm_id: int) -> Organization | None:
        """The organization if it is in memory; marks it as used, so that it stays."""
        org = self.get(realm_id)
        if org is not None:
            self._in_use[realm_id] = org
            self._requested.add(realm_id)
        return org

    def get_by_subdomain(self, subdomain: str) -> Organization | None:
        realm_id = self._at.get(subdomain)
        org = None if realm_id is None else self.get_and_touch(realm_id)
        return org if org is not None and org.realm.subdomain == subdomain else None

    def set_subdomain(self, subdomain: str, realm_id: int) -> None:
        self._at[subdomain] = realm_id

    # --- loading and eviction ---

    def add(self, org: Organization) -> None:
        self._followed[org.realm.id] = org
        self._in_use[org.realm.id] = org
        self._requested.add(org.realm.id)

    def discard(self, realm_id: int) -> None:
        self._followed.pop(realm_id, None)
        self._remove(realm_id)

    def unused(self) -> list[int]:
        """Organizations that were not used since the last call."""
        found = [realm_id for realm_id in self._in_use if realm_id not in self._requested]
        self._requested.clear()
        return found

    def evict(self, realm_id: int) -> None:
        """Drop the strong reference."""
        self._remove(realm_id)

    def _remove(self, realm_id: int) -> None:
        org = self._in_use.pop(realm_id, None)
        if org is not None:
            self._at.pop(org.realm.subdomain, None)
