"""What somebody's last message to a place proves about their next one.

Whoever has just said something there may say something more, with the same consequences, as long as
nothing has happened that bears on sending. So a plain message needs no rule to be asked again, if
one like it is known here. Whatever event may change a rule makes all of this be forgotten
(`Event.invalidates_permits`), and a transaction sees whether there was one that we have not heard
of.
"""

from collections.abc import Hashable
from typing import NamedTuple

from tertulia import domain
from tertulia.domain.messages.message import Message

# Some things follow from the time of day: once a day a channel is noted to be alive.
GOOD_FOR_SECONDS = 3600
MOST = 10_000


class SendPermit(NamedTuple):
    """A message that was sent by all rules, and what followed from them."""

    sent_at: float
    conversation_id: int | None
    read_by: list[int]  # for whom it was no news: those who have muted its sender


class SendPermits:
    def __init__(self) -> None:
        self._proofs: dict[Hashable, SendPermit] = {}

    def note(self, message: Message, read_by: list[int]) -> None:
        """A message was sent. An older proof stays, so that it comes of age."""
        place = (
            in_conversation(message.member_ids)
            if message.channel_id is None
            else in_topic(message.channel_id, message.topic)
        )
        if (message.sender_id, place) in self._proofs:
            return
        if len(self._proofs) >= MOST:
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
