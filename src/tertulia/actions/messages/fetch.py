"""Fetching messages: one by id, or a stretch of history around an anchor."""

from collections.abc import Callable
from dataclasses import dataclass

from tertulia.actions import channels as channel_actions
from tertulia.actions import people, reading
from tertulia.actions.messages import sight
from tertulia.domain.channels import Channel
from tertulia.domain.messages import Message
from tertulia.domain.topics import EMPTY_TOPIC_NAME, fold
from tertulia.domain.users import User
from tertulia.errors import BadNarrow, InvalidMessage, NotLoggedIn
from tertulia.storage import channels, details, history, messages, unread, users
from tertulia.storage.history import NOTHING, Selection
from tertulia.storage.messages import CAME_WHILE_SUBSCRIBED
from tertulia.storage.tx import Tx

# What somebody who has not logged in may narrow by.
OPEN_OPERATORS = frozenset(
    (
        *("channel", "stream", "channels", "streams", "topic", "sender"),
        *("has", "search", "near", "id", "with"),
    )
)

NEWEST = 10_000_000_000_000_000  # an anchor beyond every message; clients know the number


@dataclass(frozen=True, slots=True)
class Term:
    operator: str
    operand: str | int | list[int] | list[str]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Which stretch of history: so many before and after an anchor."""

    anchor: int | str  # an id, or newest, oldest, first_unread, date
    before: int
    after: int
    include_anchor: bool = True
    moment: float | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    messages: list[Message]
    flags: dict[int, list[str]]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


def visible_to(tx: Tx, user: User, message_id: int) -> Message:
    """The only way to a message: one that may not be seen does not exist."""
    message = messages.find(tx, message_id)
    if message is None or not sight.sees(tx, user, message):
        raise InvalidMessage()
    return message


def one(tx: Tx, user: User, message_id: int) -> tuple[Message, list[str]]:
    (message,) = details.added(tx, [visible_to(tx, user, message_id)])
    return message, reading.flags_for(tx, user.id, [message])[message.id]


def one_for_all(tx: Tx, message_id: int) -> Message:
    """A message that may be read without logging in."""
    message = messages.find(tx, message_id)
    channel_id = None if message is None else message.channel_id
    channel = None if channel_id is None else channels.find(tx, channel_id)
    if message is None or channel is None or not channel.is_web_public:
        raise NotLoggedIn()
    return details.added(tx, [message])[0]


def check_for_all(terms: list[Term]) -> None:
    """What may be asked without logging in: only of channels that are open to the internet."""
    asks_openly = any(
        term.operator in ("channels", "streams")
        and term.operand == "web-public"
        and not term.negated
        for term in terms
    )
    allowed = all(
        term.operator in OPEN_OPERATORS or (term.operator == "is" and term.operand == "resolved")
        for term in terms
    )
    if not asks_openly or not allowed:
        raise NotLoggedIn()


def some(
    tx: Tx, user: User, terms: list[Term], message_ids: list[int], email_domain: str
) -> tuple[list[Message], dict[int, list[str]]]:
    """Those of the given messages that the user may see and that match."""
    selection = _narrowed(tx, user, terms, email_domain, Selection())
    found = details.added(tx, sight.visible(tx, user, history.among(tx, selection, message_ids)))
    return found, reading.flags_for(tx, user.id, found)


def around(tx: Tx, user: User, terms: list[Term], window: Window, email_domain: str) -> Stretch:
    selection = _narrowed(tx, user, terms, email_domain, _scope(tx, user, terms))
    anchor = _resolve(tx, user, selection, window)
    at = history.at(tx, selection, anchor) if window.include_anchor else []
    earlier = history.before(tx, selection, anchor, window.before)
    later = history.after(tx, selection, anchor, window.after)
    shown = details.added(tx, earlier + at + later)
    return Stretch(
        messages=shown,
        flags=reading.flags_for(tx, user.id, shown),
        anchor=anchor,
        found_anchor=bool(at),
        found_oldest=anchor == 0 or len(earlier) < window.before,
        found_newest=anchor >= NEWEST or len(later) < window.after,
    )


def _resolve(tx: Tx, user: User, selection: Selection, window: Window) -> int:
    """The anchor as a number."""
    if isinstance(window.anchor, int):
        return max(0, min(window.anchor, NEWEST))
    if window.anchor == "oldest":
        return 0
    if window.anchor == "date":
        assert window.moment is not None
        found = history.first_since(tx, selection, window.moment)
        return found if found is not None else (history.newest(tx, selection) or NEWEST)
    if window.anchor == "first_unread":
        waiting = list(unread.load(tx, user.id))
        matching = history.first_among(tx, selection, waiting) if waiting else None
        return NEWEST if matching is None else matching
    return NEWEST


def _scope(tx: Tx, user: User, terms: list[Term]) -> Selection:
    """What is looked through: one channel's history, or all that reached the user."""
    if any(term.operator in ("channels", "streams") and not term.negated for term in terms):
        return Selection()
    for term in terms:
        if term.operator in ("channel", "stream") and not term.negated:
            channel = _channel(tx, term)
            selection = Selection()
            if not channel_actions.may_read(tx, user, channel):
                selection.require(NOTHING)
            elif not channel.history_public:
                selection.require(CAME_WHILE_SUBSCRIBED, me=user.id)
            return selection
    return history.received(user.id, channel_actions.readable_ids(tx, user))


def _narrowed(
    tx: Tx, user: User, terms: list[Term], email_domain: str, selection: Selection
) -> Selection:
    for index, term in enumerate(terms):
        add = _OPERATORS.get(term.operator)
        if add is None:
            raise BadNarrow(desc=f"unknown operator {term.operator}")
        one_term = Selection()
        add(Asked(tx, user, email_domain, index), term, one_term)
        condition = one_term.where()
        # What a term says nothing about, as `channel` of a direct message, is not what it means.
        negated = f"({condition}) IS NOT TRUE"
        selection.require(negated if term.negated else condition, **one_term.params)
    if not selection.conditions:
        selection.require("1 = 1")
    return selection


@dataclass(frozen=True, slots=True)
class Asked:
    """Who narrows, and which term of the narrow it is, so that parameters get their own names."""

    tx: Tx
    user: User
    email_domain: str
    index: int

    def name(self, word: str) -> str:
        return f"{word}_{'abcdefghijklmnopqrstuvwxyz'[self.index % 26] * (1 + self.index // 26)}"


def _channel_term(asked: Asked, term: Term, selection: Selection) -> None:
    name = asked.name("channel")
    selection.require(f"m.channel_id = :{name}", **{name: _channel(asked.tx, term).id})


def _channels_term(asked: Asked, term: Term, selection: Selection) -> None:
    if term.operand != "web-public":
        raise BadNarrow(desc=f"unknown channels operand {term.operand}")
    name = asked.name("open")
    selection.require(
        "m.channel_id IN (SELECT c.id FROM channel c"
        f" WHERE c.realm_id = :{name} AND c.is_web_public)",
        **{name: asked.tx.realm_id},
    )


def _topic_term(asked: Asked, term: Term, selection: Selection) -> None:
    topic = str(term.operand)
    name = asked.name("topic")
    key = "" if topic == EMPTY_TOPIC_NAME else fold(topic)
    selection.require(f"m.channel_id IS NOT NULL AND m.topic_key = :{name}", **{name: key})


def _sender_term(asked: Asked, term: Term, selection: Selection) -> None:
    name = asked.name("sender")
    selection.require(f"m.sender_id = :{name}", **{name: _user(asked, term.operand).id})


def _dm_term(asked: Asked, term: Term, selection: Selection) -> None:
    operand = term.operand
    named = operand.split(",") if isinstance(operand, str) else operand
    if isinstance(named, int):
        named = [named]
    members = {asked.user.id}
    for each in named:
        found = _find_user(asked, each)
        if found is None:
            raise BadNarrow(desc=f"unknown user in {operand}")
        members.add(found.id)
    conversation = messages.find_conversation(asked.tx, sorted(members))
    name = asked.name("conversation")
    selection.require(f"m.conversation_id = :{name}", **{name: conversation or -1})


def _id_term(asked: Asked, term: Term, selection: Selection) -> None:
    try:
        number = int(str(term.operand))
    except ValueError:
        raise BadNarrow(desc="Invalid message ID") from None
    name = asked.name("message")
    selection.require(f"m.id = :{name}", **{name: number if abs(number) < 2**63 else -1})


def _is_term(asked: Asked, term: Term, selection: Selection) -> None:
    if term.operand not in ("dm", "private"):
        raise BadNarrow(desc=f"unknown 'is' operand {term.operand}")
    selection.require("m.conversation_id IS NOT NULL")


# One small function for each operator; more of them come with searching.
_OPERATORS: dict[str, Callable[[Asked, Term, Selection], None]] = {
    "channel": _channel_term,
    "stream": _channel_term,
    "channels": _channels_term,
    "streams": _channels_term,
    "topic": _topic_term,
    "sender": _sender_term,
    "dm": _dm_term,
    "pm-with": _dm_term,
    "pm_with": _dm_term,
    "id": _id_term,
    "is": _is_term,
}


def _channel(tx: Tx, term: Term) -> Channel:
    operand = term.operand
    found = channels.find(tx, operand) if isinstance(operand, int) else None
    if isinstance(operand, str):
        found = channels.find_by_name(tx, operand)
    if found is None:
        raise BadNarrow(desc=f"unknown channel {operand}")
    return found


def _user(asked: Asked, operand: str | int | list[int] | list[str]) -> User:
    found = None if isinstance(operand, list) else _find_user(asked, operand)
    if found is None:
        raise BadNarrow(desc=f"unknown user {operand}")
    return found


def _find_user(asked: Asked, operand: str | int) -> User | None:
    if isinstance(operand, int):
        return users.find(asked.tx, operand)
    return people.find_by_address(asked.tx, operand, asked.email_domain)
