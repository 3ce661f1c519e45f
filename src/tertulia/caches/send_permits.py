"""Send permits: cache of "this sender may post here, with these consequences".

A user who has just sent to a topic may send there again as long as no event has changed a
permission. So a fast-path send checks no rule if a permit for its sender and destination exists.
Any event that can change a permission clears the permits of its organization
(`Event.invalidates_permits`), and the transaction checks that no such event is missing here.
"""

from collections.abc import Hashable
from typing import NamedTuple

from tertulia import domain
from tertulia.caches.cache import Applied, Cache, NewMessage
from tertulia.domain.messages.message import Message

# Some consequences depend on the time: once a day a channel is marked as active.
MAX_AGE_SECONDS = 3600


class SendPermit(NamedTuple):
    """A message that passed all checks, and what followed from it."""

    sent_at: float
    conversation_id: int | None
    read_by: list[int]  # users for whom it was not unread because they have muted its sender
    topic: str  # as it was written, and its row
    topic_id: int | None
    topic_since: int


class SendPermits(Cache):
    """The bound applies to each organization."""

    name = "send_permits"
    invalidated_by = frozenset({"sent", "invalidates_permits"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        # By organization, then by sender and destination.
        self._permits: dict[int, dict[tuple[int, Hashable], SendPermit]] = {}

    @property
    def size(self) -> int:
        return sum(map(len, self._permits.values()))

    def find(
        self, realm_id: int, sender_id: int, destination: Hashable, now: float
    ) -> SendPermit | None:
        permit = self._permits.get(realm_id, {}).get((sender_id, destination))
        if permit is not None and 0 <= now - permit.sent_at < MAX_AGE_SECONDS:
            self.hits += 1
            return permit
        self.misses += 1
        if permit is not None:
            del self._permits[realm_id][sender_id, destination]
        return None

    def invalidate(self, applied: Applied) -> None:
        event = applied.event
        if event.invalidates_permits:
            self.drop_organization(applied.realm_id, applied.seq)
        sent = event.sent()
        if sent is not None:
            self._record_sent(sent)

    def drop_organization(self, realm_id: int, seq: int) -> None:
        self._permits.pop(realm_id, None)

    def _record_sent(self, sent: NewMessage) -> None:
        """An existing permit stays, so that it expires in time."""
        if not self.bound:
            return
        message, read_by = sent
        permits = self._permits.setdefault(message.realm_id, {})
        key = (message.sender_id, _destination(message))
        if key in permits:
            return
        if len(permits) >= self.bound:
            permits.clear()
        permits[key] = SendPermit(
            message.sent_at,
            message.conversation_id,
            read_by,
            message.topic,
            message.topic_id,
            message.topic_since,
        )


def _destination(message: Message) -> Hashable:
    if message.channel_id is None:
        return in_conversation(message.member_ids)
    return in_topic(message.channel_id, message.topic)


def in_topic(channel_id: int, topic: str) -> Hashable:
    return channel_id, domain.channels.topics.fold(topic)


def in_conversation(member_ids: tuple[int, ...]) -> Hashable:
    return member_ids
