"""Selections: the messages a user may see, and how to look them up.

Conditions are SQL over `message m`; known sets of ids, such as unread messages, stay sets.
`history` reads a selection in order.
"""

from collections.abc import Callable, Sequence
from typing import Any, overload

import msgspec
from msgspec import field
from pyroaring import BitMap64

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.storage.channels import subscriptions
from tertulia.storage.channels.subscriptions import RECEIVED_WHILE_SUBSCRIBED, Span
from tertulia.storage.search.execution import SearchCursor

# Received: sent while the user was subscribed, or in a conversation of the user. Moving a message
# changes where it is, never who received it.
RECEIVED_IN_CHANNEL = (
    "EXISTS (SELECT 1 FROM subscription_span s WHERE s.user_id = :me"
    " AND s.channel_id = m.origin_channel_id AND s.start_message_id < m.id"
    " AND (s.end_message_id IS NULL OR m.id <= s.end_message_id))"
)
SHARES_HISTORY = "EXISTS (SELECT 1 FROM channel h WHERE h.id = m.channel_id AND h.history_public)"
# Received, and not moved out of sight.
NOT_MOVED_AWAY = f"(m.arrived_seq IS NULL OR {SHARES_HISTORY} OR {RECEIVED_WHILE_SUBSCRIBED})"
# Not received, but flagged since, and therefore among the user's messages.
KEPT_AS_HISTORICAL = (
    "m.id IN (SELECT f.message_id FROM message_flag f WHERE f.user_id = :me"
    " AND f.flag = 'historical')"
)
MY_CONVERSATIONS = (
    "m.conversation_id IN (SELECT c.conversation_id FROM conversation_member c"
    " WHERE c.user_id = :me)"
)
NOTHING = "1 = 0"

# Moved from one channel to another after it was sent.
MOVED = "m.arrived_seq IS NOT NULL"

BEYOND_ALL = domain.limits.MAX_ID


class Scope(msgspec.Struct, frozen=True):
    """A channel, and the range of ids in which a user may find messages there."""

    channel_id: int
    since: int = 0
    until: int = BEYOND_ALL


class Scopes(Sequence[Scope]):
    """The channels of a reader. They may be many, so they are read only if the walk needs them.

    `is_open_ended` means that at least one of them has no end.
    """

    def __init__(self, find: Callable[[], list[Scope]], *, is_open_ended: bool) -> None:
        self._find = find
        self._found: list[Scope] | None = None
        self.is_open_ended = is_open_ended

    def _all(self) -> list[Scope]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Scope: ...
    @overload
    def __getitem__(self, index: slice) -> list[Scope]: ...
    def __getitem__(self, index: int | slice) -> Scope | list[Scope]:
        return self._all()[index]


class Selection(msgspec.Struct):
    """Conditions that all must hold, with their parameters, and known sets of ids.

    `either` are alternatives, each queried by itself, because no index would suit one query for all
    of them. There are four ways to walk a selection:

    * by an index of the conditions (`by_realm` is false): a channel, a sender, a conversation;
    * by an index of the few messages with a mark (`by_mark`);
    * through the organization, which is fast for a user in many channels;
    * through the `scopes`, each by itself, which is fast for a user in few channels, or if all
      messages are wanted (`is_whole`). Messages that match `elsewhere` may be in any place.

    `search` is the result of a text search; it is combined with each way.
    """

    conditions: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    either: list["Selection"] = field(default_factory=list)
    within: BitMap64 | None = None
    without: BitMap64 = field(default_factory=BitMap64)
    by_realm: bool = True
    by_mark: bool = False
    by_topic: bool = False
    scopes: Scopes | None = None
    elsewhere: tuple[str, ...] = ()
    is_whole: bool = False
    search: SearchCursor | None = None

    def require(self, condition: str, **params: Any) -> None:
        self.conditions.append(condition)
        self.params.update(params)

    def value(self, value: Any) -> str:
        """A unique name for a parameter of a condition."""
        name = "v" + "_" * (len(self.params) // 26) + chr(ord("a") + len(self.params) % 26)
        self.params[name] = value
        return f":{name}"

    def require_one_of(self, ids: BitMap64) -> None:
        self.within = ids.copy() if self.within is None else self.within & ids

    def require_none_of(self, ids: BitMap64) -> None:
        self.without |= ids

    def where_sql(self) -> str:
        return " AND ".join(f"({condition})" for condition in self.conditions) or "1 = 1"

    def branches(self) -> list["Selection"]:
        """The selection as queries, each of which suits an index."""
        if not self.either:
            return [self]
        return [
            Selection(
                conditions=[*each.conditions, *self.conditions],
                params={**each.params, **self.params},
                by_realm=each.by_realm and self.by_realm,
                by_mark=self.by_mark,
                by_topic=self.by_topic,
                scopes=each.scopes,
                elsewhere=each.elsewhere,
                is_whole=not self.conditions,
            )
            for each in self.either
        ]

    def in_one(self) -> "Selection":
        """All ways in one query, for messages that are looked up by id."""
        if not self.either:
            return self
        ways = self.branches()
        found = Selection([" OR ".join(f"({way.where_sql()})" for way in ways)])
        for way in ways:
            found.params.update(way.params)  # equal names have equal values
        return found


def received_directly(me: int) -> Selection:
    """All messages in the user's conversations."""
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
    """All messages that the user received in channels and may still read.

    `hidden` are the channels that the user may not read; the query uses the shorter list.
    """

    def scopes() -> list[Scope]:
        return _scopes(subscriptions.spans_of(tx, me), set(readable))

    selection = Selection(
        scopes=Scopes(scopes, is_open_ended=is_in_some), elsewhere=(MOVED, KEPT_AS_HISTORICAL)
    )
    # The plus keeps the planner from using an index for these conditions.
    if hidden is None or len(hidden) > len(readable):
        selection.require("+m.channel_id IN :readable", readable=readable)
    elif hidden:
        selection.require("NOT (+m.channel_id IN :hidden)", hidden=hidden)
    else:
        selection.require("+m.channel_id IS NOT NULL")
    # Messages that were kept while the history was public are hidden once it is protected.
    seen = f"{SHARES_HISTORY} OR {RECEIVED_WHILE_SUBSCRIBED}"
    selection.require(f"{RECEIVED_IN_CHANNEL} OR ({KEPT_AS_HISTORICAL} AND ({seen}))", me=me)
    selection.require(NOT_MOVED_AWAY)
    return selection


def received(tx: Tx, me: int) -> Selection:
    """All messages that the user received, readable or not."""

    def scopes() -> list[Scope]:
        spans = subscriptions.spans_of(tx, me)
        return _scopes(spans, {span.channel_id for span in spans})

    is_open_ended = subscriptions.is_in_some(tx, me)
    in_channels = Selection(scopes=Scopes(scopes, is_open_ended=is_open_ended), elsewhere=(MOVED,))
    in_channels.require(RECEIVED_IN_CHANNEL, me=me)
    return Selection(either=[in_channels, received_directly(me)])


def open_in_channels(me: int, shared: list[int], protected: list[int]) -> Selection:
    """All messages that the user may see in channels; in a protected history, those that arrived
    while subscribed."""
    scopes = [Scope(channel_id) for channel_id in shared + protected]
    selection = Selection(scopes=Scopes(lambda: scopes, is_open_ended=bool(scopes)))
    selection.require(
        "+m.channel_id IN :shared"
        f" OR (+m.channel_id IN :protected AND {RECEIVED_WHILE_SUBSCRIBED})",
        me=me,
        shared=shared,
        protected=protected,
    )
    return selection


def _scopes(spans: Sequence[Span], readable: set[int]) -> list[Scope]:
    """The ranges of messages that were received during these spans and never moved."""
    found: dict[int, Scope] = {}
    for span in spans:
        if span.channel_id in readable:
            since, until = span.start_message_id, span.end_message_id
            earlier = found.get(span.channel_id)
            found[span.channel_id] = Scope(
                span.channel_id,
                since if earlier is None else min(since, earlier.since),
                BEYOND_ALL if until is None else max(until, earlier.until if earlier else 0),
            )
    return list(found.values())
