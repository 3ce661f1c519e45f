"""Login cache: accounts whose API key was verified, by the `Authorization` header.

Saves the hashing of the key and the comparison of the address at each request of a program. An
entry is valid while the directory holds the same record of the account under the same key; the
caller checks that.
"""

from typing import NamedTuple

from tertulia.caches.cache import EntryCache
from tertulia.domain.people.user import User

MAX_HEADER_BYTES = 300  # a typical header has 100


class VerifiedLogin(NamedTuple):
    fingerprint: bytes  # of the key
    user: User


class LoginCache(EntryCache[str, VerifiedLogin]):
    """Holds one header for each key, since a header can be padded."""

    name = "logins"

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._headers: dict[bytes, str] = {}  # by fingerprint

    def put(self, key: str, entry: VerifiedLogin) -> None:
        if len(key) > MAX_HEADER_BYTES or not self.bound:
            return
        if entry.fingerprint in self._headers:
            self._entries.pop(self._headers[entry.fingerprint], None)
        elif len(self._headers) >= self.bound:
            self._entries.clear()
            self._headers.clear()
        self._headers[entry.fingerprint] = key
        self._entries[key] = entry
