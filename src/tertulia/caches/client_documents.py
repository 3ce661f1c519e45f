"""Client document cache: agents that are described at a URL, for as long as its server allows.

A consent page and its answer need one request to the other server instead of two. An entry ends by
its age; a document that is not valid is not cached.
"""

from tertulia.caches.cache import EntryCache
from tertulia.domain.people.agents import Client


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
