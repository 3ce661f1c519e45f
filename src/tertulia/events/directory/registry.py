"""The organizations that this server knows just now, each as it stands in the log.

One is read when somebody comes, and let go when nobody has come for a while and nobody listens.
Whoever holds on to one has it followed all the same: it is gone when they are done with it.
"""

from collections.abc import Collection, Mapping
from weakref import WeakValueDictionary

from tertulia.database.log_position import LogPosition
from tertulia.events.directory.organization import Organization


class Organizations:
    """They come and go on the loop only; any thread may look."""

    def __init__(self) -> None:
        self.first: list[int] = []  # the first two organizations that exist, in memory or not
        self.first_version = 0  # counts `set_first`, so that an older read does not overwrite it
        self._followed: WeakValueDictionary[int, Organization] = WeakValueDictionary()
        self._in_use: dict[int, Organization] = {}
        self._asked_for: set[int] = set()  # since we last looked who is
        self._at: dict[str, int] = {}  # by subdomain

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

    def places_in(self, realms: Collection[int]) -> dict[int, LogPosition]:
        """How far the logs of these are followed, as far as we know them."""
        found = ((realm_id, self.get(realm_id)) for realm_id in realms)
        return {realm_id: org.place for realm_id, org in found if org is not None}

    def places(self) -> dict[int, LogPosition]:
        """How far the log of each is followed."""
        return {org.realm.id: org.place for org in self.values()}

    @property
    def single(self) -> int | None:
        """The number of the only organization that there is, if there is but one."""
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

    # --- using ---

    def use(self, realm_id: int) -> Organization | None:
        """One that somebody has come to, if we know it; it stays for a while."""
        org = self.get(realm_id)
        if org is not None:
            self._in_use[realm_id] = org
            self._asked_for.add(realm_id)
        return org

    def get_by_subdomain(self, subdomain: str) -> Organization | None:
        realm_id = self._at.get(subdomain)
        org = None if realm_id is None else self.use(realm_id)
        return org if org is not None and org.realm.subdomain == subdomain else None

    def remember_at(self, subdomain: str, realm_id: int) -> None:
        self._at[subdomain] = realm_id

    # --- coming and going ---

    def put(self, org: Organization) -> None:
        self._followed[org.realm.id] = org
        self._in_use[org.realm.id] = org
        self._asked_for.add(org.realm.id)

    def discard(self, realm_id: int) -> None:
        self._followed.pop(realm_id, None)
        self._forget(realm_id)

    def unused(self) -> list[int]:
        """Those to which nobody has come since this was asked the last time."""
        found = [realm_id for realm_id in self._in_use if realm_id not in self._asked_for]
        self._asked_for.clear()
        return found

    def let_go(self, realm_id: int) -> None:
        """Nobody needs one any more; but for those who are still at it."""
        self._forget(realm_id)

    def _forget(self, realm_id: int) -> None:
        org = self._in_use.pop(realm_id, None)
        if org is not None:
            self._at.pop(org.realm.subdomain, None)
