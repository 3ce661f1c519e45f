"""The narrow of a queue: a filter on the messages it delivers."""

from tertulia.domain.topics import RESOLVED_PREFIX, fold
from tertulia.errors import BadRequest

QueueNarrow = list[tuple[str, str]]
"""Pairs of operator and operand, all of which must hold."""

_FLAGS = {
    "starred": {"starred"},
    "mentioned": {"mentioned", "wildcard_mentioned"},
    "alerted": {"mentioned", "wildcard_mentioned"},
}


def checked_queue_narrow(terms: list[list[str]]) -> QueueNarrow:
    """The terms, if each is one that can be decided when a message arrives."""
    narrow: QueueNarrow = []
    for index, term in enumerate(terms):
        if len(term) != 2:
            raise BadRequest(f"Invalid narrow[{index}]: Value error, element is not a string pair")
        operator, operand = term
        if operator not in ("channel", "stream", "topic", "sender", "is"):
            raise BadRequest(f"Operator {operator} not supported.")
        if operator == "is" and operand not in (
            "dm",
            "private",
            "starred",
            "unread",
            "mentioned",
            "alerted",
            "resolved",
        ):
            raise BadRequest(f"Operand {operand} not supported.")
        narrow.append(("channel" if operator == "stream" else operator, operand))
    return narrow


def passes(
    narrow: QueueNarrow,
    *,
    channel_name: str | None,
    topic: str,
    sender_email: str,
    flags: list[str],
) -> bool:
    """Whether a message that arrives is let through."""
    for operator, operand in narrow:
        if operator == "channel":
            fits = channel_name is not None and fold(channel_name) == fold(operand)
        elif operator == "topic":
            fits = channel_name is not None and fold(topic) == fold(operand)
        elif operator == "sender":
            fits = fold(sender_email) == fold(operand)
        elif operand in ("dm", "private"):
            fits = channel_name is None
        elif operand == "unread":
            fits = "read" not in flags
        elif operand == "resolved":
            fits = channel_name is not None and topic.startswith(RESOLVED_PREFIX)
        else:
            fits = bool(_FLAGS[operand] & set(flags))
        if not fits:
            return False
    return True
