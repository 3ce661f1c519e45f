"""Narrow selection: converts terms to a query of messages that the user may see.

A term becomes a condition or a set of ids. Each is evaluated separately, so a negated term matches
exactly what the plain one does not. The scope is decided first: an error in a term can never show
more than its absence would.
"""

import msgspec
from msgspec.structs import replace
from pyroaring import BitMap64

from tertulia import domain, storage
from tertulia.actions.channels.access import AccessByDatabase
from tertulia.actions.messages import narrow_terms
from tertulia.actions.messages.access import can_see
from tertulia.actions.messages.narrow_terms import Meaning, NarrowViewer, TermContext
from tertulia.database.tx import Tx
from tertulia.domain.channels.access import ChannelAccess
from tertulia.domain.channels.channel import Channel
from tertulia.domain.limits import MAX_WORDS_PER_NARROW
from tertulia.domain.messages.narrow import CONVERSATION, Term
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.domain.search.query import Query
from tertulia.errors.authentication import NotLoggedIn
from tertulia.errors.messages import BadNarrow
from tertulia.storage.channels.subscriptions import RECEIVED_WHILE_SUBSCRIBED
from tertulia.storage.messages.selections import NOTHING, Selection
from tertulia.storage.search.execution import SearchCursor

_BY_FLAG = frozenset((("has", "link"), ("has", "image"), ("has", "attachment"), ("is", "resolved")))


class Narrowed(msgspec.Struct):
    """A parsed narrow."""

    selection: Selection
    terms: list[Term]  # with `with` replaced by its conversation
    searched: Query | None = None  # to be highlighted


def check_for_all(terms: list[Term]) -> None:
    """Raise unless the narrow is allowed without a login: only web-public channels are."""
    names_open_channel = any(
        (term.operator, term.operand, term.negated) == ("channels", "web-public", False)
        for term in terms
    )
    allowed = all(
        term.known.is_open or (term.operator == "is" and term.operand == "resolved")
        for term in terms
    )
    if not names_open_channel or not allowed:
        raise NotLoggedIn()


def narrowed(
    tx: Tx, viewer: NarrowViewer, terms: list[Term], access: ChannelAccess | None = None
) -> Narrowed:
    """The narrow in the history that a fetch searches."""
    access = access or AccessByDatabase(tx, viewer.user)
    terms = _followed(tx, viewer.user, terms)
    opens = any(_opens_history(term) for term in terms)
    scope = _scope(tx, access, viewer.user, terms, only_received=not opens)
    return _parsed(tx, access, viewer, terms, scope)


def narrowed_to_received(tx: Tx, viewer: NarrowViewer, terms: list[Term]) -> Narrowed:
    """The narrow among all messages that the user has received."""
    access = AccessByDatabase(tx, viewer.user)
    terms = _followed(tx, viewer.user, terms)
    scope = _scope(tx, access, viewer.user, terms, only_received=True)
    return _parsed(tx, access, viewer, terms, scope)


def narrowed_to_visible(tx: Tx, viewer: NarrowViewer, terms: list[Term]) -> Narrowed:
    """The narrow among all messages that the user may see."""
    access = AccessByDatabase(tx, viewer.user)
    terms = _followed(tx, viewer.user, terms)
    scope = _scope(tx, access, viewer.user, terms, only_received=False)
    return _parsed(tx, access, viewer, terms, scope)


def unread_of(tx: Tx, user: User, narrow: Narrowed) -> Selection:
    """Unread messages that are not muted, unless the narrow names their topic or channel."""
    selection = replace(narrow.selection, conditions=list(narrow.selection.conditions))
    selection.params = dict(narrow.selection.params)
    selection.require_one_of(storage.messages.unread.load(tx, user.id))
    named = {term.operator for term in narrow.terms if not term.negated}
    if "channel" not in named:
        selection.require(f"({storage.messages.narrows.muted(selection, user.id)}) IS NOT TRUE")
    elif "topic" not in named:
        muted_topic = storage.messages.narrows.with_policy(selection, user.id, TopicPolicy.MUTED)
        selection.require(f"NOT {muted_topic}")
    return selection


# --- with ---


def _followed(tx: Tx, user: User, terms: list[Term]) -> list[Term]:
    """Replace `with` by the conversation in which its message is now."""
    leading = next((term for term in terms if term.operator == "with"), None)
    if leading is None:
        return terms
    number = domain.messages.narrow.number_from(leading.operand)
    if number is None:
        raise BadNarrow(desc="Invalid 'with' operator")
    message = storage.messages.table.find(tx, number) if narrow_terms.may_exist(number) else None
    if message is None or not can_see(tx, user, message):
        others = [term for term in terms if term is not leading]
        named = {term.operator for term in others if not term.negated}
        if "dm" not in named and not {"channel", "topic"} <= named:
            raise BadNarrow(desc="Invalid 'with' operator")
        return others
    others = [term for term in terms if term.operator not in CONVERSATION | {"with"}]
    if message.channel_id is None:
        return [Term("dm", list(message.member_ids)), *others]
    return [Term("channel", message.channel_id), Term("topic", message.topic), *others]


# --- scope ---


def _opens_history(term: Term) -> bool:
    """Whether a term includes messages that the user has not received."""
    if term.negated:
        return False
    return term.operator == "channel" or (
        term.operator == "channels" and term.operand in ("public", "web-public")
    )


def _scope(
    tx: Tx, access: ChannelAccess, user: User, terms: list[Term], *, only_received: bool
) -> Selection:
    only_received = only_received or any(
        term.operator == "is" and term.operand != "resolved" for term in terms
    )
    named = [term for term in terms if term.operator == "channel" and not term.negated]
    if named:
        return _scope_of_channel(
            tx,
            access,
            user,
            narrow_terms.channel(access, named[0]),
            only_received=only_received,
        )
    if any(term.is_direct for term in terms):
        return _direct_messages(user)
    ways = [_scope_of_channels(tx, access, user, only_received=only_received)]
    if not any(term.is_of_channels for term in terms):
        ways.append(_direct_messages(user))
    return Selection(either=ways)


def _direct_messages(user: User) -> Selection:
    if user.grant is None or user.grant.direct_messages:
        return storage.messages.selections.received_directly(user.id)
    selection = Selection(by_realm=False)
    selection.require(NOTHING)
    return selection


def _scope_of_channel(
    tx: Tx, access: ChannelAccess, user: User, channel: Channel, *, only_received: bool
) -> Selection:
    if not access.may_read(channel):
        selection = Selection()
        selection.require(NOTHING)
    elif only_received:
        selection = storage.messages.selections.received_in_channels(tx, user.id, [channel.id])
    else:
        selection = Selection()
        if not channel.history_public:
            selection.require(RECEIVED_WHILE_SUBSCRIBED, me=user.id)
    return selection


def _scope_of_channels(
    tx: Tx, access: ChannelAccess, user: User, *, only_received: bool
) -> Selection:
    readable = access.readable()
    if only_received:
        return storage.messages.selections.received_in_channels(
            tx, user.id, readable.ids, readable.hidden, is_in_some=readable.is_in_some
        )
    return storage.messages.selections.open_in_channels(
        user.id, readable.shared, readable.protected
    )


# --- terms ---


def _parsed(
    tx: Tx, access: ChannelAccess, viewer: NarrowViewer, terms: list[Term], selection: Selection
) -> Narrowed:
    domain.messages.narrow.check_for_one_kind(terms)
    narrow = Narrowed(selection, terms)
    named = {term.operator: term for term in reversed(terms) if not term.negated}
    place = named.get("channel")
    context = TermContext(
        tx,
        access,
        viewer,
        selection,
        None if place is None else narrow_terms.channel(access, place).id,
        "topic" in named,
    )
    for term in terms:
        if term.operator == "search":
            continue
        meaning = narrow_terms.condition_of(context, term)
        _add(selection, meaning, negated=term.negated)
        if not term.negated:
            _choose_index(selection, term)
    _add_search(tx, narrow)
    return narrow


def _add(selection: Selection, meaning: Meaning, *, negated: bool) -> None:
    if isinstance(meaning, BitMap64):
        (selection.require_none_of if negated else selection.require_one_of)(meaning)
    else:
        # NULL, as for `channel` of a direct message, counts as no match.
        selection.require(f"({meaning}) IS NOT TRUE" if negated else meaning)


def _choose_index(selection: Selection, term: Term) -> None:
    """Use an index that leads to the messages instead of a scan of all of them."""
    if term.known.has_index:
        selection.by_realm = False
    elif term.operator == "topic":
        selection.by_topic = True
    elif (term.operator, term.operand) in _BY_FLAG:
        selection.by_mark = True


def _add_search(tx: Tx, narrow: Narrowed) -> None:
    """All plain search terms form one search; each negated term is a search of its own."""
    terms = [term for term in narrow.terms if term.operator == "search"]
    if not terms:
        return
    plain = [str(term.operand) for term in terms if not term.negated]
    languages = storage.search.languages.of(tx)
    wanted = domain.search.query.parse(" ".join(plain), languages) if plain else None
    unwanted = [
        domain.search.query.parse(str(term.operand), languages) for term in terms if term.negated
    ]
    if sum(query.length for query in (wanted, *unwanted) if query) > MAX_WORDS_PER_NARROW:
        raise BadNarrow(desc=f"too many words in search (limit: {MAX_WORDS_PER_NARROW})")
    narrow.searched = wanted or Query()
    narrow.selection.search = SearchCursor(tx, wanted, unwanted)
