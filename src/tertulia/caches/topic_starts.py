"""Starts of topic pages: the first message of each public page of a long topic.

The page of a topic of a million messages needs neither to count nor to skip them: 0.1 seconds of
CPU become some microseconds. A new message of the topic is added; any event that can move, delete
or restore messages drops the topics of its organization.
"""

from array import array
from typing import NamedTuple

from tertulia import domain
from tertulia.caches.cache import Applied, EntryCache

PAGE_MESSAGES = 100


class TopicOfChannel(NamedTuple):
    realm_id: int
    channel_id: int
    topic_key: str


class TopicStarts:
    """Where the pages of a topic start, and how many messages it has."""

    __slots__ = ("count", "last_id", "seq", "starts")

    def __init__(self, starts: list[int], count: int, last_id: int, seq: int) -> None:
        """`seq` is the last event that was seen."""
        self.starts = array("q", starts)
        self.count = count
        self.last_id = last_id
        self.seq = seq

    def append(self, message_id: int) -> None:
        if self.count % PAGE_MESSAGES == 0:
            self.starts.append(message_id)
        self.count += 1
        self.last_id = message_id


class TopicStartsCache(EntryCache[TopicOfChannel, TopicStarts]):
    """Starts are read while other messages arrive: `begin` before the read, `finish` after it."""

    name = "topic_starts"
    invalidated_by = frozenset({"sent", "invalidates_permits"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        # Messages that arrived during the read, as pairs of their event's number and their id.
        self._arrived: dict[TopicOfChannel, list[tuple[int, int]]] = {}

    def begin(self, key: TopicOfChannel) -> None:
        self._arrived[key] = []

    def finish(self, key: TopicOfChannel, starts: TopicStarts | None) -> None:
        """Keep what was read, unless that failed or messages were moved or deleted since."""
        arrived = self._arrived.pop(key, None)
        if arrived is None or starts is None:
            return
        self.put(key, starts)
        for seq, message_id in arrived:
            self._add(key, seq, message_id)

    def invalidate(self, applied: Applied) -> None:
        if not self._entries and not self._arrived:
            return
        if applied.event.invalidates_permits:
            self.drop_organization(applied.realm_id, applied.seq)
            return
        sent = applied.event.sent()
        if sent is None or sent.message.channel_id is None:
            return
        topic_key = domain.channels.topics.fold(sent.message.topic)
        key = TopicOfChannel(applied.realm_id, sent.message.channel_id, topic_key)
        if key in self._arrived:
            self._arrived[key].append((applied.seq, sent.message.id))
        self._add(key, applied.seq, sent.message.id)

    def drop_organization(self, realm_id: int, seq: int) -> None:
        for entries in (self._entries, self._arrived):
            for key in [key for key in entries if key.realm_id == realm_id]:
                del entries[key]

    def _add(self, key: TopicOfChannel, seq: int, message_id: int) -> None:
        found = self._entries.get(key)
        if found is None or seq <= found.seq:
            return
        if message_id > found.last_id:
            found.append(message_id)
        else:  # another server gave it a lower number
            del self._entries[key]
