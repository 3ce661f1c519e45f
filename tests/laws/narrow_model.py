"""The meaning of narrows as plain loops: the slow and obvious half of `test_reading_model`.

A message is any object with the attributes of the reading model. Users and channels are identified
by name.
"""

import random
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from tertulia.domain.personal.topic_policies import TopicPolicy


class Term(NamedTuple):
    operator: str
    operand: Any
    negated: bool = False


class ModelMessage(Protocol):
    id: int
    sender: str
    content: str
    channel: str | None
    topic: str
    members: frozenset[str]
    received: set[str]
    kept: set[str]
    unread: set[str]
    starred: set[str]
    mentioned: set[str]
    alerted: set[str]
    reacted: set[str]
    calls_all: bool
    has_link: bool


class World(Protocol):
    """What else the reading model provides."""

    messages: dict[int, Any]
    public: set[str]

    def sees(self, name: str, message: Any) -> bool: ...
    def may_read(self, name: str, channel: str) -> bool: ...
    def is_muted(self, name: str, message: Any) -> bool: ...
    def policy(self, name: str, message: Any) -> TopicPolicy: ...


class Refused(Exception):
    """The error text for a refused narrow."""


BOTH = "Invalid narrow operator: No message can be both a channel message and direct message"
NO_WITH = "Invalid narrow operator: Invalid 'with' operator"
NO_CHANNEL = "Invalid narrow operator: unknown channel "


def found(world: World, me: str, terms: list[Term]) -> list[int]:
    """The messages that a narrow shows to a user, oldest first."""
    return sorted(message.id for message in _selected(world, me, _followed(world, me, terms)))


def first_unread(world: World, me: str, terms: list[Term]) -> int | None:
    """Where "next unread" leads: muted topics only if the narrow names them."""
    terms = _followed(world, me, terms)
    named = {term.operator for term in terms if not term.negated}
    waiting = []
    for message in _selected(world, me, terms):
        muted = world.is_muted(me, message)
        if "channel" in named:
            muted = "topic" not in named and world.policy(me, message) == TopicPolicy.MUTED
        if me in message.unread and not muted:
            waiting.append(message.id)
    return min(waiting, default=None)


def _selected(world: World, me: str, terms: list[Term]) -> Iterable[ModelMessage]:
    named = [term for term in terms if term.operator == "channel"]
    _refuse_hidden(world, me, [term for term in named if not term.negated][:1])
    direct = any(_is_direct(term) for term in terms)
    if direct and any(_is_of_channels(term) for term in terms):
        raise Refused(BOTH)
    _refuse_hidden(world, me, named)
    opens = any(
        not term.negated and (term.operator, term.operand) in OPENING for term in terms
    ) or any(not term.negated and term.operator == "channel" for term in terms)
    personal = any(term.operator == "is" and term.operand != "resolved" for term in terms)
    for message in world.messages.values():
        has_it = me in message.received or me in message.kept
        is_looked_at = world.sees(me, message) and (has_it or (opens and not personal))
        if is_looked_at and all(
            _matches(world, me, message, term) != term.negated for term in terms
        ):
            yield message


def _refuse_hidden(world: World, me: str, named: list[Term]) -> None:
    for term in named:
        if not world.may_read(me, term.operand):
            raise Refused(NO_CHANNEL + term.operand)


OPENING = (("channels", "public"), ("channels", "web-public"))


def _is_direct(term: Term) -> bool:
    if term.negated:
        return False
    return term.operator in ("dm", "dm-including") or term[:2] == ("is", "dm")


def _is_of_channels(term: Term) -> bool:
    if term.negated:
        return False
    is_resolved = term[:2] in (("is", "resolved"), ("is", "followed"))
    return is_resolved or term.operator in ("channel", "channels", "topic")


def _followed(world: World, me: str, terms: list[Term]) -> list[Term]:
    leading = [term for term in terms if term.operator == "with"]
    if not leading:
        return terms
    message = world.messages.get(leading[0].operand)
    if message is None or not world.sees(me, message):
        named = {term.operator for term in terms if not term.negated}
        if "dm" not in named and not {"channel", "topic"} <= named:
            raise Refused(NO_WITH)
        return [term for term in terms if term.operator != "with"]
    others = [term for term in terms if term.operator not in ("with", "channel", "topic", "dm")]
    if message.channel is None:
        return [Term("dm", sorted(message.members)), *others]
    return [Term("channel", message.channel), Term("topic", message.topic), *others]


def _matches(world: World, me: str, message: ModelMessage, term: Term) -> bool:
    operator, operand, _ = term
    in_channel = message.channel is not None
    if operator == "is":
        return _is(world, me, message, operand)
    return bool(
        {
            "channel": lambda: message.channel == operand,
            "channels": lambda: operand == "public" and message.channel in world.public,
            "topic": lambda: in_channel and message.topic.casefold() == operand.casefold(),
            "sender": lambda: message.sender == operand,
            "dm": lambda: operand and message.members == {me, *operand},
            "dm-including": lambda: operand in message.members,
            "id": lambda: message.id == operand,
            "mentions": lambda: operand in message.mentioned,
            "has": lambda: {"link": message.has_link, "reaction": message.reacted}[operand],
            "in": lambda: operand == "all" or not world.is_muted(me, message),
            "before": lambda: operand == FUTURE,
            "after": lambda: operand == PAST,
            "near": lambda: not term.negated,
            "search": lambda: operand.strip('"') in _text(message),
        }[operator]()
    )


def _text(message: ModelMessage) -> str:
    """The searched text; the words that tests search for have no other forms."""
    return f"{message.content}\n{message.topic}".replace("**", "").casefold()


def _is(world: World, me: str, message: ModelMessage, operand: str) -> bool:
    calls_me = message.calls_all and me in message.received
    return {
        "dm": message.channel is None,
        "starred": me in message.starred,
        "unread": me in message.unread,
        "mentioned": me in message.mentioned or calls_me,
        "alerted": me in message.alerted,
        "resolved": message.channel is not None and message.topic.startswith("✔ "),
        "followed": world.policy(me, message) == TopicPolicy.FOLLOWED,
        "muted": world.is_muted(me, message),
    }[operand]


# --- random narrows ---

SEARCHED = ("fire", "moke", "example", "ben", '"words 0.1"', '"rds 0.5"', "words", "nowhere")
PAST, FUTURE = "2001-02-03", "2999-12-31"  # of all messages
IS = ("dm", "starred", "unread", "mentioned", "alerted", "resolved", "followed", "muted")


def any_narrow(
    dice: random.Random, names: list[str], channels: list[str], topics: list[str], ids: list[int]
) -> list[Term]:
    """One to three terms, some of them negated."""
    choices = [
        lambda: Term("channel", dice.choice(channels)),
        lambda: Term("channels", dice.choice(["public", "web-public", "archived"])),
        lambda: Term("topic", dice.choice(topics)),
        lambda: Term("sender", dice.choice(names)),
        lambda: Term("dm", sorted(dice.sample(names, dice.choice([0, 1, 1, 2])))),
        lambda: Term("dm-including", dice.choice(names)),
        lambda: Term("id", dice.choice(ids)),
        lambda: Term("mentions", dice.choice(names)),
        lambda: Term("has", dice.choice(["link", "reaction"])),
        lambda: Term("in", dice.choice(["home", "all"])),
        lambda: Term("before", dice.choice([PAST, FUTURE])),
        lambda: Term("after", dice.choice([PAST, FUTURE])),
        lambda: Term("near", "5"),
        *(lambda: Term("search", dice.choice(SEARCHED)) for _ in range(3)),
        *(lambda: Term("is", dice.choice(IS)) for _ in range(5)),
    ]
    terms = [dice.choice(choices)() for _ in range(dice.choice([1, 1, 2, 3]))]
    turned = [term._replace(negated=dice.random() < 0.35) for term in terms]
    if dice.random() < 0.1:
        turned.append(Term("with", dice.choice(ids)))
    return turned
