"""Reading messages in order: which ones somebody may see, around which id.

A `Selection` says which messages are looked through. Its conditions are SQL over `message m`; what
is known as a set of ids, such as what somebody has not read, stays a set, and the history is
walked along it. First only ids are found, which an index often knows by itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyroaring import BitMap64

from tertulia.storage import messages, subscriptions
from tertulia.storage.finding import Search
from tertulia.storage.messages import CAME_WHILE_SUBSCRIBED
from tertulia.storage.subscriptions import Span
from tertulia.storage.tx import Tx

# Received: it was sent while one was subscribed, or in a conversation of one's own. Moving a
# message changes where it stands, never who received it.
RECEIVED_IN_CHANNEL = (
    "EXISTS (SELECT 1 FROM subscription_span s WHERE s.user_id = :me"
    " AND s.channel_id = m.origin_channel_id AND s.start_message_id < m.id"
    " AND (s.end_message_id IS NULL OR m.id <= s.end_message_id))"
)
# Of what one received, what a move has not put out of sight.
NOT_MOVED_AWAY = (
    "(m.arrived_seq IS NULL OR EXISTS (SELECT 1 FROM channel c WHERE c.id = m.channel_id"
    f" AND c.history_public) OR {CAME_WHILE_SUBSCRIBED})"
)
# Never received, but marked since, and therefore kept among one's messages.
KEPT_AS_HISTORICAL = (
    "m.id IN (SELECT f.message_id FROM message_flag f WHERE f.user_id = :me"
    " AND f.flag = 'historical')"
)
SHARES_HISTORY = "EXISTS (SELECT 1 FROM channel h WHERE h.id = m.channel_id AND h.history_public)"
MY_CONVERSATIONS = (
    "m.conversation_id IN (SELECT c.conversation_id FROM conversation_member c"
    " WHERE c.user_id = :me)"
)
NOTHING = "1 = 0"

# Moved from one channel to another since it was sent.
MOVED = "m.arrived_seq IS NOT NULL"

BEYOND_ALL = 2**63 - 1
SMALLEST_BLOCK = 256
LARGEST_BLOCK = 8192
NEAR = 3000  # so many ids are walked before it is looked channel by channel
FEW_PLACES = 4
MANY = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, and between which messages of it somebody may find theirs."""

    channel_id: int
    since: int = 0
    until: int = BEYOND_ALL


@dataclass(slots=True)
class Selection:
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
    places: list[Place] | None = None
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


def received_directly(me: int) -> Selection:
    """Every message in a conversation of mine."""
    selection = Selection(by_realm=False)
    selection.require(MY_CONVERSATIONS, me=me)
    return selection


def received_in_channels(tx: Tx, me: int, readable: list[int]) -> Selection:
    """Everything that reached me in channels and that I may still read."""
    selection = Selection(
        places=_places(subscriptions.spans_of(tx, me), set(readable)),
        elsewhere=(MOVED, KEPT_AS_HISTORICAL),
    )
    # The plus keeps this condition from choosing the index.
    selection.require("+m.channel_id IN :readable", readable=readable)
    # What was kept while the history was open to all is out of sight once it is protected.
    seen = f"{SHARES_HISTORY} OR {CAME_WHILE_SUBSCRIBED}"
    selection.require(f"{RECEIVED_IN_CHANNEL} OR ({KEPT_AS_HISTORICAL} AND ({seen}))", me=me)
    selection.require(NOT_MOVED_AWAY)
    return selection


def received(tx: Tx, me: int) -> Selection:
    """Everything that reached me, whether or not I may still read it."""
    spans = subscriptions.spans_of(tx, me)
    in_channels = Selection(places=_places(spans, {span.channel_id for span in spans}))
    in_channels.elsewhere = (MOVED,)
    in_channels.require(RECEIVED_IN_CHANNEL, me=me)
    return Selection(either=[in_channels, received_directly(me)])


def open_in_channels(me: int, shared: list[int], protected: list[int]) -> Selection:
    """All that I may see in channels: with a protected history, what came while I was there."""
    selection = Selection(places=[Place(channel_id) for channel_id in shared + protected])
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


# --- finding ---


def before(tx: Tx, selection: Selection, anchor: int, count: int) -> list[int]:
    """The `count` messages just before the anchor, oldest first."""
    return _found(tx, selection, anchor, count, back=True)[::-1]


def after(tx: Tx, selection: Selection, anchor: int, count: int) -> list[int]:
    """The `count` messages just after the anchor, oldest first."""
    return _found(tx, selection, anchor, count, back=False)


def among(tx: Tx, selection: Selection, message_ids: Iterable[int]) -> list[int]:
    """Those of the messages that are in the selection, oldest first."""
    wanted = BitMap64(each for each in message_ids if each >= 0) - selection.without
    if selection.within is not None:
        wanted &= selection.within
    return _matching(tx, selection, list(wanted), back=False)


def newest(tx: Tx, selection: Selection) -> int | None:
    found = before(tx, selection, BEYOND_ALL, 1)
    return found[0] if found else None


def first_since(tx: Tx, selection: Selection, moment: float) -> int | None:
    """The id of the first message sent at or after a moment."""
    found = after(tx, selection, messages.last_before(tx, moment), 1)
    return found[0] if found else None


def _found(tx: Tx, selection: Selection, anchor: int, count: int, *, back: bool) -> list[int]:
    """Ids from the anchor on, the nearest first."""
    if count == 0:
        return []
    found: list[int] = []
    for block in _blocks(tx, selection, anchor, count, back=back):
        found += block
        if len(found) >= count:
            break
    return found[:count]


def _blocks(
    tx: Tx, selection: Selection, anchor: int, count: int, *, back: bool
) -> Iterator[list[int]]:
    """What is found, a stretch at a time, as far as somebody asks."""
    if selection.within is not None:
        for ids in _stretches(selection.within - selection.without, anchor, count, back=back):
            yield _matching(tx, selection, ids, back=back)
        return
    if selection.search is not None and selection.search.is_by_index:
        yield from _searched(tx, selection, selection.search, anchor, count, back=back)
        return
    if not selection.without and selection.search is None:
        yield _page(tx, selection, anchor, count, back=back)
        return
    size = max(count, SMALLEST_BLOCK)
    while page := _page(tx, selection, anchor, size, back=back):
        yield _found_among(selection, page)
        if len(page) < size:
            return
        anchor, size = page[-1], min(size * 2, LARGEST_BLOCK)


def _searched(
    tx: Tx, selection: Selection, search: Search, anchor: int, count: int, *, back: bool
) -> Iterator[list[int]]:
    """What a search finds, by turns along the words and along the conditions.

    Nobody knows beforehand which of the two is the rarer; so both go ahead, each from where the
    other has come to, and the better one does most of the way.
    """
    size = max(2 * count, SMALLEST_BLOCK)
    while True:
        stretch = search.next(anchor, size, back=back)
        yield _matching(tx, selection, stretch.ids, back=back)
        if not stretch.goes_on:
            return
        page = _page(tx, selection, stretch.ids[-1], size, back=back)
        yield _found_among(selection, page)
        if len(page) < size:
            return
        anchor, size = page[-1], min(size * 2, LARGEST_BLOCK)


def _found_among(selection: Selection, ids: list[int]) -> list[int]:
    """Those of some ids, for which the conditions hold, that are wanted and found."""
    ids = [each for each in ids if each not in selection.without]
    if selection.search is None:
        return ids
    return selection.search.confirmed(selection.search.may_match(ids))


def _stretches(ids: BitMap64, anchor: int, count: int, *, back: bool) -> Iterator[list[int]]:
    """A set of ids in ever longer stretches away from the anchor, the nearest first."""
    size = max(count, SMALLEST_BLOCK)
    up_to_anchor = ids.rank(anchor)
    start = end = up_to_anchor - (anchor in ids) if back else up_to_anchor
    while start > 0 if back else end < len(ids):
        if back:
            start, end = max(0, start - size), start
        else:
            start, end = end, min(len(ids), end + size)
        stretch = list(ids[start:end])
        yield stretch[::-1] if back else stretch
        size = min(size * 4, LARGEST_BLOCK)


def _page(tx: Tx, selection: Selection, anchor: int, count: int, *, back: bool) -> list[int]:
    """The next ids for which the conditions hold, the nearest first."""
    walk = Walk(tx, anchor, count, back)
    found: set[int] = set()
    for way in selection.ways():
        found.update(walk.along(way))
    return sorted(found, reverse=back)[:count]


@dataclass(frozen=True, slots=True)
class Walk:
    """From an anchor in one direction, until so many messages are found."""

    tx: Tx
    anchor: int
    count: int
    back: bool

    def along(self, way: Selection) -> list[int]:
        if way.places is None or not way.by_realm:
            return self._asked(way)
        if way.by_topic:
            here = [place.channel_id for place in way.places]
            in_places = self._asked(way, "m.channel_id IN :places", by_realm=False, places=here)
            return in_places + self._elsewhere(way)
        is_part = way.by_mark or not way.is_whole
        if len(way.places) > FEW_PLACES and (is_part or self.count > MANY):
            return self._asked(way)
        walk = self._past_the_gap(way)
        passed_over = self._elsewhere(way) if walk is not self else []
        near, edge = walk._near(way)
        if edge is None or len(near) >= self.count:
            return passed_over + near
        beyond = replace(self, anchor=edge, count=self.count - len(near))
        return passed_over + near + beyond._through_places(way)

    def _past_the_gap(self, way: Selection) -> "Walk":
        """Begun where the first of the places begins: before that there is nothing in any."""
        places = way.places or [Place(0)]
        if self.back:
            begin = max(place.until for place in places) + 1
            return replace(self, anchor=begin) if begin < self.anchor else self
        begin = min(place.since for place in places)
        return replace(self, anchor=begin) if begin > self.anchor else self

    def _near(self, way: Selection) -> tuple[list[int], int | None]:
        """What is found close by, and where that ends; None if it is the end of everything."""
        newest = messages.newest_id(self.tx)
        if self.back:
            edge = min(self.anchor, newest + 1) - NEAR
            found = self._asked(way, "m.id >= :edge", edge=edge)
            return found, edge if edge > 0 else None
        edge = self.anchor + NEAR
        found = self._asked(way, "m.id <= :edge", edge=edge)
        return found, edge if edge < newest else None

    def _through_places(self, way: Selection) -> list[int]:
        found: list[int] = []
        for place in way.places or ():
            if place.since >= self.anchor if self.back else place.until <= self.anchor:
                continue
            found += self._asked(
                way,
                "m.channel_id = :place AND m.id > :since AND m.id <= :until",
                by_realm=False,
                place=place.channel_id,
                since=place.since,
                until=place.until,
            )
        return found + self._elsewhere(way)

    def _elsewhere(self, way: Selection) -> list[int]:
        found: list[int] = []
        for condition in way.elsewhere:
            found += self._asked(way, condition, by_realm=condition == MOVED)
        return found

    def _asked(
        self, way: Selection, more: str = "", *, by_realm: bool | None = None, **params: Any
    ) -> list[int]:
        if way.by_realm if by_realm is None else by_realm:
            more = f"m.realm_id = :realm{' AND ' + more if more else ''}"
            params["realm"] = self.tx.realm_id
        position = "m.id < :anchor" if self.back else "m.id > :anchor"
        rows = self.tx.all(
            f"SELECT m.id FROM message m WHERE {position}"
            f"{' AND ' + more if more else ''} AND {way.where()}"
            f" ORDER BY m.id {'DESC' if self.back else 'ASC'} LIMIT :count",
            anchor=self.anchor,
            count=self.count,
            **params,
            **way.params,
        )
        return [row["id"] for row in rows]


def _matching(tx: Tx, selection: Selection, ids: list[int], *, back: bool) -> list[int]:
    """Those of the ids that are in the selection, the nearest first."""
    search = selection.search
    if search is not None:
        ids = search.may_match(ids)
    ids = _among(tx, selection, [each for each in ids if each not in selection.without], back=back)
    return ids if search is None else search.confirmed(ids)


def _among(tx: Tx, selection: Selection, ids: list[int], *, back: bool) -> list[int]:
    """Those of the ids for which the conditions hold, the nearest first."""
    if not ids:
        return []
    found: set[int] = set()
    for way in selection.ways():
        rows = tx.all(
            "SELECT m.id FROM message m WHERE m.id IN :ids AND +m.realm_id = :realm"
            f" AND {way.where()}",
            realm=tx.realm_id,
            ids=ids,
            **way.params,
        )
        found.update(row["id"] for row in rows)
    return sorted(found, reverse=back)
