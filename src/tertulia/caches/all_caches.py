"""The table of all caches: one attribute each, and one switch.

To add a cache, write a class with the interface of `Cache`, give it an attribute here and a row in
`docs/performance.md`. `/metrics` and the laws find it in `all`.
"""

from typing import Any, NamedTuple, Protocol

import msgspec

from tertulia.caches.cache import Applied, Cache, EntryCache, Invalidating
from tertulia.caches.encoded_records import EncodedRecordsCache
from tertulia.caches.history import FragmentCache
from tertulia.caches.message_locations import MessageLocations
from tertulia.caches.send_permits import SendPermits
from tertulia.caches.sessions import SessionCache
from tertulia.caches.topic_starts import TopicStartsCache
from tertulia.domain.people.agents import Client
from tertulia.domain.people.user import User

MAX_PAGE_BYTES = 1 << 17


class PublicPageKey(NamedTuple):
    realm_id: int
    site: str  # the addresses in a page begin with it
    address: tuple[str | None, ...]  # the path and the parameters of a page
    is_compressed: bool


class PublicPage(msgspec.Struct, frozen=True):
    etag: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]


class PublicPageCache(EntryCache[PublicPageKey, PublicPage]):
    name = "public_pages"

    def find_current(self, key: PublicPageKey, etag: str) -> PublicPage | None:
        page = self._entries.get(key)
        if page is not None and page.etag == etag:
            self.hits += 1
            return page
        self.misses += self.is_on
        return None

    def put(self, key: PublicPageKey, entry: PublicPage) -> None:
        if len(entry.body) <= MAX_PAGE_BYTES:
            super().put(key, entry)


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


MAX_AGE_SECONDS = 600


class Count(Protocol):
    @property
    def as_of(self) -> int: ...


class UsageCache(EntryCache[tuple[int, int], Count]):
    """By organization and number of days."""

    name = "usage"

    def recent(self, key: tuple[int, int], now: float) -> Count | None:
        found = self.find(key)
        return found if found is not None and now - found.as_of < MAX_AGE_SECONDS else None


# The organization, the user, and whether the client supports topics without a name.
Key = tuple[int, int, bool]


class RegisterCache(EntryCache[Key, Any]):
    """A user with a thousand channels takes some 150 kB."""

    name = "registers"

    def drop_organization(self, realm_id: int, seq: int) -> None:
        for key in [key for key in self._entries if key[0] == realm_id]:
            del self._entries[key]


class ClientDocumentCache(EntryCache[str, tuple[Client, float]]):
    """By URL: the program, and until when the document may be used."""

    name = "client_documents"

    def current(self, url: str, now: float) -> Client | None:
        entry = self._entries.get(url)
        if entry is not None and now < entry[1]:
            self.hits += 1
            return entry[0]
        self.misses += self.is_on
        return None


DEFAULT_HISTORY_BYTES = 16 << 20


class Caches:
    """The caches of a server. With `is_on=False` each of them stays empty."""

    def __init__(self, history_bytes: int = DEFAULT_HISTORY_BYTES, *, is_on: bool = True) -> None:
        history_bytes = history_bytes if is_on else 0
        self.fragments = FragmentCache(history_bytes)
        self.public_pages = PublicPageCache(64 if is_on else 0)
        self.topic_starts = TopicStartsCache(64 if is_on else 0)
        self.locations = MessageLocations(1 << 20 if is_on else 0)
        self.registers = RegisterCache(100 if is_on else 0)
        self.records = EncodedRecordsCache(1_000_000 if is_on else 0)
        self.permits = SendPermits(10_000 if is_on else 0)
        self.sessions = SessionCache(10_000 if is_on else 0)
        self.logins = LoginCache(10_000 if is_on else 0)
        self.usage = UsageCache(100 if is_on else 0)
        self.client_documents = ClientDocumentCache(256 if is_on else 0)
        self.all: list[Cache] = [each for each in vars(self).values() if isinstance(each, Cache)]
        self._by_event_type: dict[type[Invalidating], list[Cache]] = {}

    def invalidate(self, applied: Applied) -> None:
        """Called for every event, after it was applied to the directory."""
        event_type = type(applied.event)
        concerned = self._by_event_type.get(event_type)
        if concerned is None:
            facts = event_type.facts()
            concerned = [each for each in self.all if not each.invalidated_by.isdisjoint(facts)]
            self._by_event_type[event_type] = concerned
        for each in concerned:
            each.invalidate(applied)

    def drop_organization(self, realm_id: int, seq: int) -> None:
        for each in self.all:
            each.drop_organization(realm_id, seq)
