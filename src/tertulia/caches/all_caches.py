"""The table of all caches: one attribute each, and one switch.

To add a cache, write a class with the interface of `Cache`, give it an attribute here and a row in
`docs/performance.md`. `/metrics` and the laws find it in `all`.
"""

from tertulia.caches.cache import Applied, Cache, Invalidating
from tertulia.caches.client_documents import ClientDocumentCache
from tertulia.caches.encoded_records import EncodedRecordsCache
from tertulia.caches.history import FragmentCache
from tertulia.caches.logins import LoginCache
from tertulia.caches.message_locations import MessageLocations
from tertulia.caches.public_pages import PublicPageCache
from tertulia.caches.registers import RegisterCache
from tertulia.caches.send_permits import SendPermits
from tertulia.caches.sessions import SessionCache
from tertulia.caches.topic_starts import TopicStartsCache
from tertulia.caches.usage import UsageCache

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
