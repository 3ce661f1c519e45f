"""Narrows: filters of messages, as a list of terms that must all match.

There is one parser and one table of operators, `OPERATORS`. Terms are implemented in two places:
for history in `actions/messages/narrow_terms.py`, and for event queues here, which support only
terms that can be decided when a message arrives.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from tertulia.domain.channels import topics
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME, RESOLVED_PREFIX
from tertulia.domain.people import user
from tertulia.errors import BadRequest
from tertulia.errors.messages import BadNarrow, BadNarrowCombination

Operand = str | int | list[int]


class Operator(msgspec.Struct, frozen=True):
    """An operator of terms. `narrow_terms` implements it."""

    name: str
    other_names: tuple[str, ...] = ()  # Compat: names in older clients
    of: Literal["channels", "people"] | None = None  # the messages it is limited to
    takes_ids: bool = False  # the operand may be an id
    has_index: bool = False  # it finds messages without a scan of all of them
    is_open: bool = False  # also without a login
    in_queues: bool = False  # it can be decided when a message arrives


OPERATORS = {
    operator.name: operator
    for operator in (
        Operator(
            "channel",
            ("stream",),
            of="channels",
            takes_ids=True,
            has_index=True,
            is_open=True,
            in_queues=True,
        ),
        Operator("channels", ("streams",), of="channels", is_open=True),
        Operator("topic", of="channels", is_open=True, in_queues=True),
        Operator("sender", takes_ids=True, has_index=True, is_open=True, in_queues=True),
        Operator("dm", ("pm-with", "pm_with"), of="people", has_index=True),
        Operator(
            "dm-including",
            # Compat: direct messages in a group once had their own operators.
            ("dm_including", "group-pm-with", "group_pm_with"),
            of="people",
            takes_ids=True,
            has_index=True,
        ),
        Operator("id", takes_ids=True, is_open=True),
        Operator("mentions", takes_ids=True),
        Operator("is", in_queues=True),
        Operator("has", is_open=True),
        Operator("in"),
        Operator("before", is_open=True),
        Operator("after", is_open=True),
        Operator("near", is_open=True),
        Operator("with", takes_ids=True, is_open=True),
        Operator("search", is_open=True),
    )
}
_TODAYS_NAMES = {
    older: operator.name for operator in OPERATORS.values() for older in operator.other_names
}
_UNKNOWN = Operator("")

CONVERSATION = frozenset(("channel", "topic", "dm"))  # the operators that `with` replaces
_OF_CHANNELS_IF_IS = frozenset(("resolved", "followed"))


class Term(msgspec.Struct, frozen=True):
    """One condition: `channel:kitchen`, or `-is:starred` if negated.

    The operator has its current name, or is unknown. The operand is resolved later.
    """

    operator: str
    operand: Operand
    negated: bool = False

    @property
    def is_direct(self) -> bool:
        """Whether it matches direct messages only."""
        if self.negated:
            return False
        return self.known.of == "people" or (self.operator == "is" and self.operand == "dm")

    @property
    def is_of_channels(self) -> bool:
        """Whether it matches channel messages only."""
        if self.negated:
            return False
        if self.operator == "is":
            return self.operand in _OF_CHANNELS_IF_IS
        return self.known.of == "channels"

    @property
    def known(self) -> Operator:
        """The operator's entry in the table."""
        return OPERATORS.get(self.operator, _UNKNOWN)


def terms_from(narrow: list[Any]) -> list[Term]:
    """Parse terms as clients send them: objects, or pairs of strings."""
    terms = [_term(index, each) for index, each in enumerate(narrow)]
    if sum(term.operator == "with" for term in terms) > 1:
        raise BadNarrowCombination(desc="Duplicate 'with' operators.")
    return terms


def check_for_one_kind(terms: Iterable[Term]) -> None:
    """Raise BadNarrow if the terms ask for messages that are both direct and in a channel."""
    terms = list(terms)
    if any(term.is_direct for term in terms) and any(term.is_of_channels for term in terms):
        raise BadNarrow(desc="No message can be both a channel message and direct message")


def topic_key(operand: str) -> str:
    """The key of the topic that a term names. The empty topic has its display name here."""
    return "" if operand == EMPTY_TOPIC_NAME else topics.fold(operand)


def number_from(operand: Operand) -> int | None:
    """The id in a number or a string of digits."""
    if isinstance(operand, str) and operand.isascii() and operand.isdecimal():
        return int(operand[:20])
    return operand if isinstance(operand, int) else None


def moment_from(operand: Operand, timezone: str) -> float | None:
    """The time that a date or an ISO time names; without an offset, in the user's time zone."""
    try:
        moment = datetime.fromisoformat(str(operand))
        zone = ZoneInfo(timezone or "UTC")
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        return None


def _term(index: int, given: Any) -> Term:
    if isinstance(given, list):
        if len(given) != 2 or not all(isinstance(part, str) for part in given):
            raise _malformed(index, "element is not a string pair")
        return _build(given[0], given[1], negated=False)
    if not isinstance(given, dict):
        raise _malformed(index, "dict or list required")
    for name in ("operator", "operand"):
        if given.get(name) is None:
            raise _malformed(index, f"{name} is missing")
    operator, negated = given["operator"], given.get("negated", False)
    if not isinstance(operator, str):
        raise BadRequest(f'narrow[{index}]["operator"] is not a string')
    if not isinstance(negated, bool):
        raise BadRequest(f'narrow[{index}]["negated"] is not a boolean')
    return _build(operator, given["operand"], negated)


def _build(operator: str, operand: Any, negated: bool) -> Term:
    operator = _TODAYS_NAMES.get(operator, operator)
    operand = _checked(operator, operand)
    if (operator, operand) == ("is", "private"):
        operand = "dm"
    return Term(operator, operand, negated)


def _checked(operator: str, operand: Any) -> Operand:
    """The operand, if its type is valid for the operator."""
    if isinstance(operand, str):
        if operator == "search" and not operand.strip():
            raise BadRequest("operand cannot be blank.")
        return operand
    if operator == "dm":
        return _checked_ids(operand)
    if not OPERATORS.get(operator, _UNKNOWN).takes_ids:
        raise BadRequest("operand is not a string")
    if type(operand) is not int:
        raise BadRequest("operand is not a string or integer")
    return operand


def _checked_ids(operand: Any) -> list[int]:
    if not isinstance(operand, list):
        raise BadRequest("operand is not a string or an integer list")
    for index, each in enumerate(operand):
        if type(each) is not int:
            raise BadRequest(f"operand[{index}] is not an integer")
    return operand


def _malformed(index: int, reason: str) -> BadRequest:
    return BadRequest(f"Invalid narrow[{index}]: Value error, {reason}", problem="bad-value")


# --- the narrow of a queue ---

QueueNarrow = list[tuple[str, str]]
"""Pairs of operator and operand, all of which must hold."""

_QUEUE_FLAGS = {
    "starred": {"starred"},
    "mentioned": {"mentioned", "wildcard_mentioned"},
    "alerted": {"mentioned", "wildcard_mentioned"},
}
_QUEUE_IS = frozenset((*_QUEUE_FLAGS, "dm", "unread", "resolved"))


def checked_queue_narrow(pairs: list[list[str]]) -> QueueNarrow:
    """The terms, if each can be decided when a message arrives."""
    narrow: QueueNarrow = []
    for term, (given, _) in zip(terms_from(pairs), pairs, strict=True):
        if not term.known.in_queues:
            raise BadRequest(f"Operator {given} not supported.")
        if term.operator == "is" and term.operand not in _QUEUE_IS:
            raise BadRequest(f"Operand {term.operand} not supported.")
        narrow.append((term.operator, str(term.operand)))
    return narrow


def passes(
    narrow: QueueNarrow,
    *,
    channel_name: str | None,
    topic: str,
    sender_email: str,
    flags: list[str],
) -> bool:
    """Whether a message that arrives matches."""
    for operator, operand in narrow:
        if operator == "channel":
            fits = channel_name is not None and topics.fold(channel_name) == topics.fold(operand)
        elif operator == "topic":
            fits = channel_name is not None and topics.fold(topic) == topic_key(operand)
        elif operator == "sender":
            fits = user.email_key(sender_email) == user.email_key(operand)
        # Compat: queues keep the operands they were registered with.
        elif operand in ("dm", "private"):
            fits = channel_name is None
        elif operand == "unread":
            fits = "read" not in flags
        elif operand == "resolved":
            fits = channel_name is not None and topic.startswith(RESOLVED_PREFIX)
        else:
            fits = bool(_QUEUE_FLAGS[operand] & set(flags))
        if not fits:
            return False
    return True
