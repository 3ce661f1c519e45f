"""Session cache: saves the database query for a session at each request.

A session is cached on first use. Any event that ends a session clears all sessions of its owner, on
every server.
"""

from tertulia.domain.people.sessions import Session

MAX_SESSIONS = 10_000


class SessionCache:
    def __init__(self) -> None:
        # Counts invalidations; a session that was read before the last one is not cached.
        self.forgotten = 0
        self._found: dict[bytes, Session] = {}

    def find(self, fingerprint: bytes) -> Session | None:
        return self._found.get(fingerprint)

    def keep(self, fingerprint: bytes, session: Session) -> None:
        """Evicts the oldest entry when full."""
        self._found.pop(fingerprint, None)
        self._found[fingerprint] = session
        if len(self._found) > MAX_SESSIONS:
            del self._found[next(iter(self._found))]

    def forget(self, user_id: int) -> None:
        self.forgotten += 1
        for fingerprint in [f for f, each in self._found.items() if each.user_id == user_id]:
            del self._found[fingerprint]
