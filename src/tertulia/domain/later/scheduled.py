"""Scheduled messages: their destination, and when it is too late to send them."""

from datetime import UTC, datetime

import msgspec

from tertulia import domain
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.errors import BadRequest
from tertulia.errors.later import TimeNotInFuture
from tertulia.errors.messages import MalformedRecipients, RecipientsMissing, TopicMissing

LATEST_SECONDS = 600  # after a longer downtime a message is not sent
LAST_MOMENT = 253_402_300_799  # the end of the year 9999


class ToChannel(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str


class ToPeople(msgspec.Struct, frozen=True):
    """The other participants by id, in order; for a note to oneself only the owner."""

    user_ids: tuple[int, ...]


Destination = ToChannel | ToPeople


class ScheduledMessage(msgspec.Struct, frozen=True):
    id: int
    owner_id: int
    to: Destination
    content: str
    rendered: str
    render_version: int
    mentions: Mentions
    client: str
    read_by_sender: bool | None  # None: depends on the client
    deliver_at: int
    failed: bool = False
    sent_at: float | None = None
    grant_id: int | None = None  # of the agent that scheduled it

    def is_due(self, now: float) -> bool:
        return self.sent_at is None and not self.failed and self.deliver_at <= now

    def is_too_late(self, now: float) -> bool:
        return now - self.deliver_at > LATEST_SECONDS

    def will_be_read(self) -> bool:
        """Whether it counts as read by its sender; a note to oneself does not."""
        if self.read_by_sender is None and self.to == ToPeople((self.owner_id,)):
            return False
        return domain.messages.message.is_read_by_sender(self.read_by_sender, self.client)

    def draft(self) -> Draft:
        """The message as it was rendered when it was scheduled."""
        return Draft(
            content=self.content,
            rendered=self.rendered,
            render_version=self.render_version,
            client=self.client,
            read_by_sender=self.will_be_read(),
            mentions=self.mentions,
        )


def destination(
    owner_id: int, to: int | list[int], topic: str | None, *, in_channel: bool
) -> Destination:
    """Parse a destination from the parameters of a request."""
    if in_channel:
        if isinstance(to, list):
            raise BadRequest("Invalid data type for channel ID")
        if topic is None:
            raise TopicMissing()
        return ToChannel(to, domain.channels.topics.for_sending(topic))
    if isinstance(to, int):
        raise MalformedRecipients()
    if not to:
        raise RecipientsMissing()
    return ToPeople(tuple(sorted(set(to) - {owner_id})) or (owner_id,))


def check_time(deliver_at: int, now: float) -> None:
    if deliver_at <= now:
        raise TimeNotInFuture()


def failure_notice(deliver_at: int, reason: str) -> str:
    """The notice to the owner of a message that could not be sent."""
    moment = datetime.fromtimestamp(deliver_at, UTC).isoformat()
    return (
        f"The message you scheduled for <time:{moment}> was not sent because of the following"
        f" error:\n\n> {reason}\n\n[View scheduled messages](#scheduled)"
    )
