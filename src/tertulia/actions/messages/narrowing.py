"""What a narrow means: terms become a selection of the messages that somebody may see.

A term is a condition or a set of ids. Each is asked for by itself, so that a negated one matches
exactly what the plain one does not. Where it is looked, the scope, is decided before: an error in
a term can never show more than its absence would.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pyroaring import BitMap64

from tertulia import actions, domain, storage
from tertulia.actions.channels.sight import Sight, SightInDatabase
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.narrow import CONVERSATION, Operand, Term
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import Visibility
from tertulia.domain.search.query import Query
from tertulia.errors.authentication import NotLoggedIn
from tertulia.errors.messages import BadNarrow, TooManyRecipients
from tertulia.storage.database.tx import Tx
from tertulia.storage.messages import CAME_WHILE_SUBSCRIBED
from tertulia.storage.messages.selections import NOTHING, Selection
from tertulia.storage.search.finding import Search

EVERYTHING = "1 = 1"

Meaning = str | BitMap64


@dataclass(frozen=True, slots=True)
class Asker:
    """Who narrows, and how addresses look in their organization."""

    user: User
    email_domain: str


@dataclass(slots=True)
class Narrowed:
    """A narrow that has been understood."""

    selection: Selection
    terms: list[Term]  # `with` has become the conversation that it stands for
    searched: Query | None = None  # to be marked where it was found


def check_for_all(terms: list[Term]) -> None:
    """What may be asked without logging in: only of channels that are open to the internet."""
    asks_openly = any(
        (term.operator, term.operand, term.negated) == ("channels", "web-public", False)
        for term in terms
    )
    allowed = all(
        term.known.is_open or (term.operator == "is" and term.operand == "resolved")
        for term in terms
    )
    if not asks_openly or not allowed:
        raise NotLoggedIn()


def narrowed(tx: Tx, asker: Asker, terms: list[Term], sight: Sight | None = None) -> Narrowed:
    """What is asked for, in the history that a fetch looks through."""
    sight = sight or SightInDatabase(tx, asker.user)
    terms = _followed(tx, asker.user, terms)
    opens = any(_opens_history(term) for term in terms)
    scope = _scope(tx, sight, asker.user, terms, only_received=not opens)
    return _understood(tx, sight, asker, terms, scope)


def narrowed_to_received(tx: Tx, asker: Asker, terms: list[Term]) -> Narrowed:
    """What is asked for, of all that has reached the asker."""
    sight = SightInDatabase(tx, asker.user)
    terms = _followed(tx, asker.user, terms)
    scope = _scope(tx, sight, asker.user, terms, only_received=True)
    return _understood(tx, sight, asker, terms, scope)


def narrowed_to_visible(tx: Tx, asker: Asker, terms: list[Term]) -> Narrowed:
    """What is asked for, of all that the asker may see."""
    sight = SightInDatabase(tx, asker.user)
    terms = _followed(tx, asker.user, terms)
    scope = _scope(tx, sight, asker.user, terms, only_received=False)
    return _understood(tx, sight, asker, terms, scope)


def unread_of(tx: Tx, user: User, narrow: Narrowed) -> Selection:
    """What has not been read and is not muted, unless the narrow names the very place."""
    selection = replace(narrow.selection, conditions=list(narrow.selection.conditions))
    selection.params = dict(narrow.selection.params)
    selection.require_one_of(storage.messages.unread.load(tx, user.id))
    named = {term.operator for term in narrow.terms if not term.negated}
    if "channel" not in named:
        selection.require(f"({storage.messages.narrows.muted(selection, user.id)}) IS NOT TRUE")
    elif "topic" not in named:
        muted_topic = storage.messages.narrows.with_policy(selection, user.id, Visibility.MUTED)
        selection.require(f"NOT {muted_topic}")
    return selection


# --- with ---


def _followed(tx: Tx, user: User, terms: list[Term]) -> list[Term]:
    """The terms with `with` replaced by the conversation in which its message stands now."""
    leading = next((term for term in terms if term.operator == "with"), None)
    if leading is None:
        return terms
    number = domain.messages.narrow.number_from(leading.operand)
    if number is None:
        raise BadNarrow(desc="Invalid 'with' operator")
    message = storage.messages.find(tx, number) if _may_exist(number) else None
    if message is None or not actions.messages.sees(tx, user, message):
        others = [term for term in terms if term is not leading]
        named = {term.operator for term in others if not term.negated}
        if "dm" not in named and not {"channel", "topic"} <= named:
            raise BadNarrow(desc="Invalid 'with' operator")
        return others
    others = [term for term in terms if term.operator not in CONVERSATION | {"with"}]
    if message.channel_id is None:
        return [Term("dm", list(message.member_ids)), *others]
    return [Term("channel", message.channel_id), Term("topic", message.topic), *others]


# --- where it is looked ---


def _opens_history(term: Term) -> bool:
    """Whether a term leads to messages that the asker has not received."""
    if term.negated:
        return False
    return term.operator == "channel" or (
        term.operator == "channels" and term.operand in ("public", "web-public")
    )


def _scope(
    tx: Tx, sight: Sight, user: User, terms: list[Term], *, only_received: bool
) -> Selection:
    only_received = only_received or any(
        term.operator == "is" and term.operand != "resolved" for term in terms
    )
    named = [term for term in terms if term.operator == "channel" and not term.negated]
    if named:
        return _scope_of_channel(
            tx, sight, user, _channel(sight, named[0]), only_received=only_received
        )
    if any(term.is_direct for term in terms):
        return storage.messages.selections.received_directly(user.id)
    ways = [_scope_of_channels(tx, sight, user, only_received=only_received)]
    if not any(term.is_of_channels for term in terms):
        ways.append(storage.messages.selections.received_directly(user.id))
    return Selection(either=ways)


def _scope_of_channel(
    tx: Tx, sight: Sight, user: User, channel: Channel, *, only_received: bool
) -> Selection:
    if not sight.may_read(channel):
        selection = Selection()
        selection.require(NOTHING)
    elif only_received:
        selection = storage.messages.selections.received_in_channels(tx, user.id, [channel.id])
    else:
        selection = Selection()
        if not channel.history_public:
            selection.require(CAME_WHILE_SUBSCRIBED, me=user.id)
    return selection


def _scope_of_channels(tx: Tx, sight: Sight, user: User, *, only_received: bool) -> Selection:
    readable = sight.readable()
    if only_received:
        return storage.messages.selections.received_in_channels(
            tx, user.id, readable.ids, readable.hidden, is_in_some=readable.is_in_some
        )
    return storage.messages.selections.open_in_channels(
        user.id, readable.shared, readable.protected
    )


# --- what the terms mean ---


def _understood(
    tx: Tx, sight: Sight, asker: Asker, terms: list[Term], selection: Selection
) -> Narrowed:
    domain.messages.narrow.check_for_one_kind(terms)
    narrow = Narrowed(selection, terms)
    for term in terms:
        if term.operator == "search":
            continue
        find_meaning = MEANINGS.get(term.operator)
        if find_meaning is None:
            raise BadNarrow(desc=f"unknown operator {term.operator}")
        _add(
            selection, find_meaning(Asked(tx, sight, asker, selection), term), negated=term.negated
        )
        if not term.negated:
            _note_index(selection, term)
    _add_search(tx, narrow)
    return narrow


def _add(selection: Selection, meaning: Meaning, *, negated: bool) -> None:
    if isinstance(meaning, BitMap64):
        (selection.require_none_of if negated else selection.require_one_of)(meaning)
    else:
        # What a term says nothing about, as `channel` of a direct message, is not what it means.
        selection.require(f"({meaning}) IS NOT TRUE" if negated else meaning)


def _note_index(selection: Selection, term: Term) -> None:
    """Whatever leads to the messages by an index is followed instead of all messages."""
    if term.known.has_index:
        selection.by_realm = False
    elif term.operator == "topic":
        selection.by_topic = True
    elif (term.operator, term.operand) in _ALONG_A_MARK:
        selection.by_mark = True


def _query(text: str) -> Query:
    query = domain.search.query.parse(text)
    if query.length > domain.limits.WORDS_PER_SEARCH:
        raise BadNarrow(desc=f"too many words in search (limit: {domain.limits.WORDS_PER_SEARCH})")
    return query


def _add_search(tx: Tx, narrow: Narrowed) -> None:
    """All that is searched for is one search; what must not be found is a search each."""
    terms = [term for term in narrow.terms if term.operator == "search"]
    if not terms:
        return
    plain = [str(term.operand) for term in terms if not term.negated]
    wanted = _query(" ".join(plain)) if plain else None
    unwanted = [_query(str(term.operand)) for term in terms if term.negated]
    narrow.searched = wanted or Query()
    narrow.selection.search = Search(tx, wanted, unwanted)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who narrows, and the selection through which a condition names its values."""

    tx: Tx
    sight: Sight
    asker: Asker
    selection: Selection

    @property
    def me(self) -> int:
        return self.asker.user.id


def _channel_term(asked: Asked, term: Term) -> Meaning:
    return storage.messages.narrows.in_channel(asked.selection, _channel(asked.sight, term).id)


def _channels_term(asked: Asked, term: Term) -> Meaning:
    kind = str(term.operand)
    if kind not in storage.messages.narrows.KINDS_OF_CHANNELS:
        raise BadNarrow(desc=f"unknown channels operand {kind}")
    return storage.messages.narrows.in_channels(asked.selection, asked.tx.realm_id, kind)


def _topic_term(asked: Asked, term: Term) -> Meaning:
    return storage.messages.narrows.in_topic(
        asked.selection, domain.messages.narrow.topic_key(str(term.operand))
    )


def _sender_term(asked: Asked, term: Term) -> Meaning:
    return storage.messages.narrows.sent_by(asked.selection, _user(asked, term.operand).id)


def _dm_term(asked: Asked, term: Term) -> Meaning:
    operand = term.operand
    named = operand.split(",") if isinstance(operand, str) else operand
    assert not isinstance(named, int)
    if len(named) > domain.limits.RECIPIENTS_PER_MESSAGE:
        raise TooManyRecipients(limit=domain.limits.RECIPIENTS_PER_MESSAGE)
    members = {asked.me}
    for each in named:
        found = _find_user(asked, each)
        if found is None:
            raise BadNarrow(desc=f"unknown user in {operand}")
        members.add(found.id)
    # Nobody is not oneself: an empty list names no conversation.
    conversation = storage.messages.conversations.find(asked.tx, sorted(members)) if named else None
    if conversation is None:
        return NOTHING
    return storage.messages.narrows.in_conversation(asked.selection, conversation)


def _dm_including_term(asked: Asked, term: Term) -> Meaning:
    return storage.messages.narrows.in_conversations_of(
        asked.selection, _user(asked, term.operand).id
    )


def _id_term(asked: Asked, term: Term) -> Meaning:
    number = domain.messages.narrow.number_from(term.operand)
    if number is None:
        raise BadNarrow(desc="Invalid message ID")
    return BitMap64([number] if _may_exist(number) else [])


def _mentions_term(asked: Asked, term: Term) -> Meaning:
    return storage.messages.narrows.flagged(asked.tx, _user(asked, term.operand).id, "mentioned")


def _is_term(asked: Asked, term: Term) -> Meaning:
    find_meaning = _IS.get(str(term.operand))
    if find_meaning is None:
        raise BadNarrow(desc=f"unknown 'is' operand {term.operand}")
    return find_meaning(asked)


def _mentioned(asked: Asked) -> Meaning:
    called = storage.messages.narrows.flagged(
        asked.tx, asked.me, "mentioned", "topic_wildcard_mentioned"
    )
    return called | storage.messages.narrows.calling_everybody(asked.tx, asked.me)


def _has_term(asked: Asked, term: Term) -> Meaning:
    condition = storage.messages.narrows.HAS.get(str(term.operand))
    if condition is None:
        raise BadNarrow(desc=f"unknown 'has' operand {term.operand}")
    return condition


def _in_term(asked: Asked, term: Term) -> Meaning:
    if term.operand == "home":
        return f"({storage.messages.narrows.muted(asked.selection, asked.me)}) IS NOT TRUE"
    if term.operand != "all":
        raise BadNarrow(desc=f"unknown 'in' operand {term.operand}")
    return EVERYTHING


def _near_term(asked: Asked, term: Term) -> Meaning:
    """A word between clients: it tells them where to look, and asks us for nothing."""
    return NOTHING if term.negated else EVERYTHING


# One small function for each operator; `with` and `search` are dealt with before and after them.
MEANINGS: dict[str, Callable[[Asked, Term], Meaning]] = {
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
    "near": _near_term,
}
_ALONG_A_MARK = frozenset(
    (("has", "link"), ("has", "image"), ("has", "attachment"), ("is", "resolved"))
)

_IS: dict[str, Callable[[Asked], Meaning]] = {
    "dm": lambda asked: storage.messages.narrows.DIRECT,
    "starred": lambda asked: storage.messages.narrows.flagged(asked.tx, asked.me, "starred"),
    "unread": lambda asked: storage.messages.unread.load(asked.tx, asked.me),
    "mentioned": _mentioned,
    "alerted": lambda asked: storage.messages.narrows.flagged(asked.tx, asked.me, "has_alert_word"),
    "resolved": lambda asked: storage.messages.narrows.RESOLVED,
    "followed": lambda asked: storage.messages.narrows.in_followed_topics(asked.tx, asked.me),
    "muted": lambda asked: storage.messages.narrows.muted(asked.selection, asked.me),
}


# --- what operands name ---


def _channel(sight: Sight, term: Term) -> Channel:
    operand = term.operand
    found = None
    if isinstance(operand, str) or (isinstance(operand, int) and _may_exist(operand)):
        found = sight.named(operand)
    if found is None:
        raise BadNarrow(desc=f"unknown channel {operand}")
    return found


def _user(asked: Asked, operand: Operand) -> User:
    found = None if isinstance(operand, list) else _find_user(asked, operand)
    if found is None:
        raise BadNarrow(desc=f"unknown user {operand}")
    return found


def _find_user(asked: Asked, operand: str | int) -> User | None:
    viewer = asked.asker.user
    if isinstance(operand, str):
        return actions.people.named.find_by_address(
            asked.tx, viewer, operand, asked.asker.email_domain
        )
    return actions.people.named.find(asked.tx, viewer, operand) if _may_exist(operand) else None


def _may_exist(number: int) -> bool:
    return 0 < number <= domain.limits.LARGEST_ID
