"""Sessions that were asked for lately, so that the database is not asked at every request.

They are read when somebody first comes with them. Whatever ends a session is told in the log, and
then all that is known of its owner's sessions is forgotten, on every server.
"""

from tertulia.domain.people.sessions import Session

MOST = 10_000


class SessionCache:
    def __init__(self) -> None:
        self.forgotten = 0  # how often; what was read before the last time is not to be kept
        self._found: dict[bytes, Session] = {}

    def find(self, fingerprint: bytes) -> Session | None:
        return self._found.get(fingerprint)

    def keep(self, fingerprint: bytes, session: Session) -> None:
        """The one kept for longest makes room."""
        self._found.pop(fingerprint, None)
        self._found[fingerprint] = session
        if len(self._found) > MOST:
            del self._found[next(iter(self._found))]

    def forget(self, user_id: int) -> None:
        self.forgotten += 1
        for fingerprint in [f for f, each in self._found.items() if each.user_id == user_id]:
            del self._found[fingerprint]
