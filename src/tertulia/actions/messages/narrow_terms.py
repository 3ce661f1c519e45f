"""Narrow terms: converts each operator to a condition or a set of ids.

There is one function for each operator, and a table of them. `narrow_selection` decides the scope.
"""

from collections.abc import Callable

import msgspec
from pyroaring import BitMap64

from tertulia import domain, storage
from tertulia.actions.people import visible_users
from tertulia.database.tx import Tx
from tertulia.domain.channels.access import ChannelAccess
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.narrow import Operand, Term
from tertulia.domain.people.user import User
from tertulia.errors.messages import BadNarrow
from tertulia.errors.parameters import TooMany
from tertulia.storage.messages.selections import NOTHING, Selection

EVERYTHING = "1 = 1"

Meaning = str | BitMap64


class NarrowViewer(msgspec.Struct, frozen=True):
    """The user of a narrow, and the email domain of their organization."""

    user: User
    email_domain: str


class TermContext(msgspec.Struct, frozen=True):
    """The user of a narrow, and the selection to which a condition adds its parameters."""

    tx: Tx
    access: ChannelAccess
    viewer: NarrowViewer
    selection: Selection
    channel_id: int | None = None  # of the channel that the narrow names
    names_topic: bool = False

    @property
    def me(self) -> int:
        return self.viewer.user.id


def condition_of(context: TermContext, term: Term) -> Meaning:
    find_meaning = MEANINGS.get(term.operator)
    if find_meaning is None:
        raise BadNarrow(desc=f"unknown operator {term.operator}")
    return find_meaning(context, term)


def _channel_term(context: TermContext, term: Term) -> Meaning:
    found = channel(context.access, term)
    by_index = not (context.names_topic and found.id == context.channel_id)
    return storage.messages.narrows.in_channel(context.selection, found.id, by_index=by_index)


def _channels_term(context: TermContext, term: Term) -> Meaning:
    kind = str(term.operand)
    if kind not in storage.messages.narrows.KINDS_OF_CHANNELS:
        raise BadNarrow(desc=f"unknown channels operand {kind}")
    return storage.messages.narrows.in_channels(context.selection, context.tx.realm_id, kind)


def _topic_term(context: TermContext, term: Term) -> Meaning:
    key = domain.messages.narrow.topic_key(str(term.operand))
    return storage.messages.narrows.in_topic(context.tx, context.selection, context.channel_id, key)


def _sender_term(context: TermContext, term: Term) -> Meaning:
    return storage.messages.narrows.sent_by(context.selection, _user(context, term.operand).id)


def _dm_term(context: TermContext, term: Term) -> Meaning:
    operand = term.operand
    named = operand.split(",") if isinstance(operand, str) else operand
    assert not isinstance(named, int)
    if len(named) > domain.limits.MAX_RECIPIENTS_PER_MESSAGE:
        raise TooMany("recipients", domain.limits.MAX_RECIPIENTS_PER_MESSAGE)
    members = {context.me}
    for each in named:
        found = _find_user(context, each)
        if found is None:
            raise BadNarrow(desc=f"unknown user in {operand}")
        members.add(found.id)
    # An empty list is not a conversation with oneself.
    conversation = (
        storage.messages.conversations.find(context.tx, sorted(members)) if named else None
    )
    if conversation is None:
        return NOTHING
    return storage.messages.narrows.in_conversation(context.selection, conversation)


def _dm_including_term(context: TermContext, term: Term) -> Meaning:
    return storage.messages.narrows.in_conversations_of(
        context.selection, _user(context, term.operand).id
    )


def _id_term(context: TermContext, term: Term) -> Meaning:
    number = domain.messages.narrow.number_from(term.operand)
    if number is None:
        raise BadNarrow(desc="Invalid message ID")
    return BitMap64([number] if may_exist(number) else [])


def _mentions_term(context: TermContext, term: Term) -> Meaning:
    return storage.messages.narrows.flagged(
        context.tx, _user(context, term.operand).id, "mentioned"
    )


def _is_term(context: TermContext, term: Term) -> Meaning:
    find_meaning = _IS.get(str(term.operand))
    if find_meaning is None:
        raise BadNarrow(desc=f"unknown 'is' operand {term.operand}")
    return find_meaning(context)


def _mentioned(context: TermContext) -> Meaning:
    mentioned = storage.messages.narrows.flagged(
        context.tx, context.me, "mentioned", "topic_wildcard_mentioned"
    )
    return mentioned | storage.messages.narrows.mentioning_everyone(context.tx, context.me)


def _has_term(context: TermContext, term: Term) -> Meaning:
    condition = storage.messages.narrows.HAS.get(str(term.operand))
    if condition is None:
        raise BadNarrow(desc=f"unknown 'has' operand {term.operand}")
    return condition


def _in_term(context: TermContext, term: Term) -> Meaning:
    if term.operand == "home":
        return f"({storage.messages.narrows.muted(context.selection, context.me)}) IS NOT TRUE"
    if term.operand != "all":
        raise BadNarrow(desc=f"unknown 'in' operand {term.operand}")
    return EVERYTHING


def _before_term(context: TermContext, term: Term) -> Meaning:
    return storage.messages.narrows.until(context.selection, _last_before(context, term))


def _after_term(context: TermContext, term: Term) -> Meaning:
    """Sent at this time or later: a date is the beginning of its day."""
    return storage.messages.narrows.later_than(context.selection, _last_before(context, term))


def _last_before(context: TermContext, term: Term) -> int:
    moment = domain.messages.narrow.moment_from(term.operand, context.viewer.user.timezone)
    if moment is None:
        raise BadNarrow(desc=f"unknown date {term.operand}, expected YYYY-MM-DD")
    return storage.messages.table.last_before(context.tx, moment)


def _near_term(context: TermContext, term: Term) -> Meaning:
    """Clients use it to find a position; it filters nothing."""
    return NOTHING if term.negated else EVERYTHING


# One function for each operator; `with` and `search` are handled elsewhere.
MEANINGS: dict[str, Callable[[TermContext, Term], Meaning]] = {
    "channel": _channel_term,
    "channels": _channels_term,
    "topic": _topic_term,
    "sender": _sender_term,
    "dm": _dm_term,
    "dm-including": _dm_including_term,
    "id": _id_term,
    "mentions": _mentions_term,
    "is": _is_term,
    "has": _has_term,
    "in": _in_term,
    "before": _before_term,
    "after": _after_term,
    "near": _near_term,
}

_IS: dict[str, Callable[[TermContext], Meaning]] = {
    "dm": lambda context: storage.messages.narrows.DIRECT,
    "starred": lambda context: storage.messages.narrows.flagged(context.tx, context.me, "starred"),
    "unread": lambda context: storage.messages.unread.load(context.tx, context.me),
    "mentioned": _mentioned,
    "alerted": lambda context: storage.messages.narrows.flagged(
        context.tx, context.me, "has_alert_word"
    ),
    "resolved": lambda context: storage.messages.narrows.RESOLVED,
    "followed": lambda context: storage.messages.narrows.in_followed_topics(context.tx, context.me),
    "muted": lambda context: storage.messages.narrows.muted(context.selection, context.me),
}


# --- operands ---


def channel(access: ChannelAccess, term: Term) -> Channel:
    operand = term.operand
    found = None
    if isinstance(operand, str) or (isinstance(operand, int) and may_exist(operand)):
        found = access.named(operand)
    if found is None:
        raise BadNarrow(desc=f"unknown channel {operand}")
    return found


def _user(context: TermContext, operand: Operand) -> User:
    found = None if isinstance(operand, list) else _find_user(context, operand)
    if found is None:
        raise BadNarrow(desc=f"unknown user {operand}")
    return found


def _find_user(context: TermContext, operand: str | int) -> User | None:
    viewer = context.viewer.user
    if isinstance(operand, str):
        return visible_users.find_by_address(
            context.tx, viewer, operand, context.viewer.email_domain
        )
    return visible_users.find(context.tx, viewer, operand) if may_exist(operand) else None


def may_exist(number: int) -> bool:
    return 0 < number <= domain.limits.MAX_ID
