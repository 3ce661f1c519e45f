"""Session cache: saves the database query for a session at each request of a browser.

Any event that ends a session clears all sessions of its owner, on every server.
"""

from tertulia.caches.cache import Applied, EntryCache
from tertulia.domain.people.sessions import Session

Key = tuple[int, bytes]  # the organization and the fingerprint of the session's token


class SessionCache(EntryCache[Key, Session]):
    name = "sessions"
    invalidated_by = frozenset({"logged_out"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        # Counts invalidations; a session that was read before the last one is not cached.
        self.forgotten = 0

    def invalidate(self, applied: Applied) -> None:
        for user_id in applied.event.logged_out():
            self.forgotten += 1
            self._drop([key for key, each in self._entries.items() if each.user_id == user_id])

    def drop_organization(self, realm_id: int, seq: int) -> None:
        self.forgotten += 1
        self._drop([key for key in self._entries if key[0] == realm_id])

    def _drop(self, keys: list[Key]) -> None:
        for key in keys:
            del self._entries[key]
