"""Selections: which messages somebody may see, and in which ways they can be looked up.

Conditions are SQL over `message m`; what is known as a set of ids, such as what somebody has not
read, stays a set. How a selection is read in order is told in `history`.
"""

from collections.abc import Callable, Sequence
from typing import Any, overload

import msgspec
from msgspec import field
from pyroaring import BitMap64

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.storage.channels.subscriptions import CAME_WHILE_SUBSCRIBED, Span
from tertulia.storage.search.execution import Search

# Received: it was sent while one was subscribed, or in a conversation of one's own. Moving a
# message changes where it stands, never who received it.
RECEIVED_IN_CHANNEL = (
    "EXISTS (SELECT 1 FROM subscription_span s WHERE s.user_id = :me"
    " AND s.channel_id = m.origin_channel_id AND s.start_message_id < m.id"
    " AND (s.end_message_id IS NULL OR m.id <= s.end_message_id))"
)
SHARES_HISTORY = "EXISTS (SELECT 1 FROM channel h WHERE h.id = m.channel_id AND h.history_public)"
# Of what one received, what a move has not put out of sight.
NOT_MOVED_AWAY = f"(m.arrived_seq IS NULL OR {SHARES_HISTORY} OR {CAME_WHILE_SUBSCRIBED})"
# Never received, but marked since, and therefore kept among one's messages.
KEPT_AS_HISTORICAL = (
    "m.id IN (SELECT f.message_id FROM message_flag f WHERE f.user_id = :me"
    " AND f.flag = 'historical')"
)
MY_CONVERSATIONS = (
    "m.conversation_id IN (SELECT c.conversation_id FROM conversation_member c"
    " WHERE c.user_id = :me)"
)
NOTHING = "1 = 0"

# Moved from one channel to another since it was sent.
MOVED = "m.arrived_seq IS NOT NULL"

BEYOND_ALL = domain.limits.LARGEST_ID


class Place(msgspec.Struct, frozen=True):
    """A channel, and between which messages of it somebody may find theirs."""

    channel_id: int
    since: int = 0
    until: int = BEYOND_ALL


class Places(Sequence[Place]):
    """The channels of a reader; they are many, and are read only if the way leads through them.

    `go_on` says that one of them at least has no end.
    """

    def __init__(self, find: Callable[[], list[Place]], *, go_on: bool) -> None:
        self._find = find
        self._found: list[Place] | None = None
        self.go_on = go_on

    def _all(self) -> list[Place]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Place: ...
    @overload
    def __getitem__(self, index: slice) -> list[Place]: ...
    def __getitem__(self, index: int | slice) -> Place | list[Place]:
        return self._all()[index]


class Selection(msgspec.Struct):
    """Conditions that all must hold, with the values they name, and ids that are known already.

    `either` holds ways in which a message can belong, each asked for by itself, since one query
    for all of them would find no index that suits it. How a way is walked:

    * by the conditions, if they name an index of their own (`by_realm` is false), by something
      that is in the organization with all its messages: a channel, a sender, a conversation;
    * along an index of the few messages that are marked so (`by_mark`);
    * through the organization, which is quick for whoever is in many channels;
    * through the `places`, each by itself, which is quick for whoever is in few, or where all of
      them is wanted (`is_whole`). What fulfils a condition of `elsewhere` may stand anywhere.

    `search` knows what is found by words, and is asked together with whichever way it is.
    """

    conditions: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    either: list["Selection"] = field(default_factory=list)
    within: BitMap64 | None = None
    without: BitMap64 = field(default_factory=BitMap64)
    by_realm: bool = True
    by_mark: bool = False
    by_topic: bool = False
    places: Places | None = None
    elsewhere: tuple[str, ...] = ()
    is_whole: bool = False
    search: Search | None = None

    def require(self, condition: str, **params: Any) -> None:
        self.conditions.append(condition)
        self.params.update(params)

    def value(self, value: Any) -> str:
        """A name of its own for a value that a condition needs."""
        name = "v" + "_" * (len(self.params) // 26) + chr(ord("a") + len(self.params) % 26)
        self.params[name] = value
        return f":{name}"

    def require_one_of(self, ids: BitMap64) -> None:
        self.within = ids.copy() if self.within is None else self.within & ids

    def require_none_of(self, ids: BitMap64) -> None:
        self.without |= ids

    def where(self) -> str:
        return " AND ".join(f"({condition})" for condition in self.conditions) or "1 = 1"

    def ways(self) -> list["Selection"]:
        """The selection as queries that an index suits, each in a way of its own."""
        if not self.either:
            return [self]
        return [
            Selection(
                conditions=[*each.conditions, *self.conditions],
                params={**each.params, **self.params},
                by_realm=each.by_realm and self.by_realm,
                by_mark=self.by_mark,
                by_topic=self.by_topic,
                places=each.places,
                elsewhere=each.elsewhere,
                is_whole=not self.conditions,
            )
            for each in self.either
        ]

    def in_one(self) -> "Selection":
        """All ways at once, for messages that are found by their ids."""
        if not self.either:
            return self
        ways = self.ways()
        found = Selection([" OR ".join(f"({way.where()})" for way in ways)])
        for way in ways:
            found.params.update(way.params)  # alike where they are called alike
        return found


def received_directly(me: int) -> Selection:
    """Every message in a conversation of mine."""
    selection = Selection(by_realm=False)
    selection.require(MY_CONVERSATIONS, me=me)
    return selection


def received_in_channels(
    tx: Tx,
    me: int,
    readable: list[int],
    hidden: list[int] | None = None,
    *,
    is_in_some: bool = False,
) -> Selection:
    """Everything that reached me in channels and that I may still read.

    `hidden` are all channels that I may not; the shorter of the two lists is asked for.
    """

    def places() -> list[Place]:
        return _places(storage.channels.subscriptions.spans_of(tx, me), set(readable))

    selection = Selection(
        places=Places(places, go_on=is_in_some), elsewhere=(MOVED, KEPT_AS_HISTORICAL)
    )
    # The plus keeps these conditions from choosing the index.
    if hidden is None or len(hidden) > len(readable):
        selection.require("+m.channel_id IN :readable", readable=readable)
    elif hidden:
        selection.require("NOT (+m.channel_id IN :hidden)", hidden=hidden)
    else:
        selection.require("+m.channel_id IS NOT NULL")
    # What was kept while the history was open to all is out of sight once it is protected.
    seen = f"{SHARES_HISTORY} OR {CAME_WHILE_SUBSCRIBED}"
    selection.require(f"{RECEIVED_IN_CHANNEL} OR ({KEPT_AS_HISTORICAL} AND ({seen}))", me=me)
    selection.require(NOT_MOVED_AWAY)
    return selection


def received(tx: Tx, me: int) -> Selection:
    """Everything that reached me, whether or not I may still read it."""

    def places() -> list[Place]:
        spans = storage.channels.subscriptions.spans_of(tx, me)
        return _places(spans, {span.channel_id for span in spans})

    go_on = storage.channels.subscriptions.is_in_some(tx, me)
    in_channels = Selection(places=Places(places, go_on=go_on), elsewhere=(MOVED,))
    in_channels.require(RECEIVED_IN_CHANNEL, me=me)
    return Selection(either=[in_channels, received_directly(me)])


def open_in_channels(me: int, shared: list[int], protected: list[int]) -> Selection:
    """All that I may see in channels: with a protected history, what came while I was there."""
    places = [Place(channel_id) for channel_id in shared + protected]
    selection = Selection(places=Places(lambda: places, go_on=bool(places)))
    selection.require(
        f"+m.channel_id IN :shared OR (+m.channel_id IN :protected AND {CAME_WHILE_SUBSCRIBED})",
        me=me,
        shared=shared,
        protected=protected,
    )
    return selection


def _places(spans: Sequence[Span], readable: set[int]) -> list[Place]:
    """Where messages can stand that were received during these spans and never moved."""
    found: dict[int, Place] = {}
    for span in spans:
        if span.channel_id in readable:
            since, until = span.start_message_id, span.end_message_id
            earlier = found.get(span.channel_id)
            found[span.channel_id] = Place(
                span.channel_id,
                since if earlier is None else min(since, earlier.since),
                BEYOND_ALL if until is None else max(until, earlier.until if earlier else 0),
            )
    return list(found.values())
