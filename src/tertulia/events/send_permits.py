"""Send permits: cache of "this sender may post here, with these consequences".

A user who has just sent to a topic may send there again as long as no event has changed a
permission. So a fast-path send checks no rule if a permit for its sender and destination exists.
Any event that can change a permission clears the cache (`Event.invalidates_permits`), and the
transaction checks that no such event is missing here.
"""

from collections.abc import Hashable
from typing import NamedTuple

from tertulia import domain
from tertulia.domain.messages.message import Message

# Some consequences depend on the time: once a day a channel is marked as active.
GOOD_FOR_SECONDS = 3600
MAX_PERMITS = 10_000


class SendPermit(NamedTuple):
    """A message that passed all checks, and what followed from it."""

    sent_at: float
    conversation_id: int | None
    read_by: list[int]  # users for whom it was not unread because they have muted its sender


class SendPermits:
    def __init__(self) -> None:
        self._proofs: dict[Hashable, SendPermit] = {}

    def note(self, message: Message, read_by: list[int]) -> None:
        """Record a sent message. An existing permit stays, so that it expires in time."""
        place = (
            in_conversation(message.member_ids)
            if message.channel_id is None
            else in_topic(message.channel_id, message.topic)
        )
        if (message.sender_id, place) in self._proofs:
            return
        if len(self._proofs) >= MAX_PERMITS:
            self._proofs.clear()
        proof = SendPermit(message.sent_at, message.conversation_id, read_by)
        self._proofs[message.sender_id, place] = proof

    def find(self, sender_id: int, place: Hashable, now: float) -> SendPermit | None:
        proof = self._proofs.get((sender_id, place))
        if proof is not None and not 0 <= now - proof.sent_at < GOOD_FOR_SECONDS:
            del self._proofs[sender_id, place]
            return None
        return proof

    def forget(self) -> None:
        if self._proofs:
            self._proofs.clear()


def in_topic(channel_id: int, topic: str) -> Hashable:
    return channel_id, domain.channels.topics.fold(topic)


def in_conversation(member_ids: tuple[int, ...]) -> Hashable:
    return member_ids
