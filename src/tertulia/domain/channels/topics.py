"""Topics: compared without case, shown as they were written, and sometimes empty."""

from tertulia import domain
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
    """What names of topics and channels are compared by."""
    return text.casefold()


def for_sending(topic: str) -> str:
    """The topic as it is stored: stripped, checked, with the names of the empty topic resolved."""
    topic = domain.names.as_seen(topic)
    position = domain.names.first_bad_character(topic)
    if position is not None:
        raise BadRequest(f"Invalid character in topic, at position {position}!")
    if topic in (NO_TOPIC, EMPTY_TOPIC_NAME):
        return ""
    if len(topic) > domain.limits.TOPIC_LENGTH:
        raise TopicTooLong(limit=domain.limits.TOPIC_LENGTH)
    return topic


def shown(topic: str, allow_empty: bool) -> str:
    """The topic for a client, which may not know that a topic can be empty."""
    return topic if topic or allow_empty else EMPTY_TOPIC_NAME
