"""Topics: compared without case, shown as written, and sometimes empty."""

from tertulia.domain import limits, names
from tertulia.errors import BadRequest
from tertulia.errors.messages import TopicTooLong

EMPTY_TOPIC_NAME = "general chat"
NO_TOPIC = "(no topic)"
RESOLVED_PREFIX = "✔ "

ALLOW_EMPTY = "allow_empty_topic"
DISABLE_EMPTY = "disable_empty_topic"
EMPTY_ONLY = "empty_topic_only"
INHERIT = "inherit"
POLICIES = (INHERIT, ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY)


def fold(text: str) -> str:
    """The form by which names of topics and channels are compared."""
    return text.casefold()


def for_sending(topic: str) -> str:
    """The topic as it is stored: stripped and checked. The names of the empty topic become ""."""
    topic = names.normalized(topic)
    position = names.first_bad_character(topic)
    if position is not None:
        raise BadRequest(
            "Invalid character in topic, at position {position}!",
            problem="topic-character-invalid",
            position=position,
        )
    if topic in (NO_TOPIC, EMPTY_TOPIC_NAME):
        return ""
    if len(topic) > limits.MAX_TOPIC_LENGTH:
        raise TopicTooLong(limit=limits.MAX_TOPIC_LENGTH)
    return topic


def shown(topic: str, allow_empty: bool) -> str:
    """The topic for a client, which may not support the empty topic."""
    return topic if topic or allow_empty else EMPTY_TOPIC_NAME
