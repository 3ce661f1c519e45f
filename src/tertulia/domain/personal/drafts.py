"""Drafts: messages that a user has not sent yet."""

import msgspec
from msgspec.structs import replace

from tertulia import domain
from tertulia.errors import BadRequest
from tertulia.errors.messages import TopicTooLong


class DraftContent(msgspec.Struct, frozen=True):
    """The content and destination of a draft. It may have no destination yet."""

    channel_id: int | None
    user_ids: list[int]
    topic: str
    content: str
    edited_at: float

    def by(self, user_id: int) -> "DraftContent":
        """Without the writer among the recipients, unless they are the only one."""
        others = [each for each in self.user_ids if each != user_id]
        return replace(self, user_ids=others) if others else self


class SavedDraft(msgspec.Struct, frozen=True):
    id: int
    content: DraftContent

    @property
    def type(self) -> str:
        """The type in API format."""
        if self.content.channel_id is not None:
            return "stream"
        return "private" if self.content.user_ids else ""


def worded(
    type_: str, to: list[int], topic: str, content: str, timestamp: float | None, now: float
) -> DraftContent:
    """A draft from the parameters of a request. The caller checks that its recipients exist."""
    content = domain.messages.message.checked_content(content)
    if timestamp is not None and timestamp < 0:
        raise BadRequest("Timestamp must not be negative.")
    edited_at = now if timestamp is None else timestamp
    if type_ != "stream":
        user_ids = sorted(set(to)) if type_ == "private" else []
        return DraftContent(None, user_ids, "", content, edited_at)
    if "\0" in topic:
        raise BadRequest("Topic must not contain null bytes")
    if len(topic) > domain.limits.MAX_TOPIC_LENGTH:
        raise TopicTooLong(limit=domain.limits.MAX_TOPIC_LENGTH)
    if len(to) != 1:
        raise BadRequest("Must specify exactly 1 channel ID for channel messages")
    return DraftContent(to[0], [], topic, content, edited_at)
