"""Conversation keys: the topic (in its exact spelling) or direct conversation of a message."""

from typing import NamedTuple, Protocol

from tertulia import domain


class Located(Protocol):
    @property
    def channel_id(self) -> int | None: ...

    @property
    def topic(self) -> str: ...

    @property
    def member_ids(self) -> tuple[int, ...]: ...


class ConversationKey(NamedTuple):
    channel_id: int | None
    topic: str
    topic_key: str  # the same for all spellings (`topic_key`)
    member_ids: tuple[int, ...]

    @classmethod
    def of(cls, message: Located) -> "ConversationKey":
        return cls(
            message.channel_id,
            message.topic,
            topic_key(message.channel_id, message.topic),
            message.member_ids,
        )


Resolved = list[tuple[ConversationKey, list[int]]]


def topic_key(channel_id: int | None, topic: str) -> str:
    """Identifies a topic among the topics of all channels, regardless of case."""
    return f"{channel_id} {domain.channels.topics.fold(topic)}"
