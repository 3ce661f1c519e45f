"""Reading a selection of messages in order, around an id.

The database checks the conditions of a selection; its sets of ids are intersected here. Only ids
are read first, which an index often contains.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace
from pyroaring import BitMap64

from tertulia.database.tx import Tx
from tertulia.storage.messages import selections, table
from tertulia.storage.messages.selections import (
    BEYOND_ALL,
    MOVED,
    MY_CONVERSATIONS,
    RECEIVED_IN_CHANNEL,
    Scope,
    Selection,
)
from tertulia.storage.search.execution import SearchCursor

MIN_BLOCK = 256
MAX_BLOCK = 8192
NEAR_IDS = 3000  # ids to scan before the search continues channel by channel
MAX_SEPARATE_SCOPES = 4
MAX_PER_SCOPE = 1000
SKIP_RATIO = 4
SKIPPED_BLOCKS = 3


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


def newest_received(tx: Tx, me: int) -> int | None:
    """The last message a user received; for most it is one of the last few."""
    found = tx.value(
        "SELECT m.id AS value FROM message m WHERE m.realm_id = :realm AND m.id >"
        " (SELECT max(n.id) FROM message n WHERE n.realm_id = :realm) - :near"
        f" AND ({MY_CONVERSATIONS} OR {RECEIVED_IN_CHANNEL}) ORDER BY m.id DESC LIMIT 1",
        near=NEAR_IDS,
        me=me,
    )
    if found is None:
        return newest(tx, selections.received(tx, me))
    return int(found)


def first_since(tx: Tx, selection: Selection, moment: float) -> int | None:
    """The id of the first message sent at or after a time."""
    found = after(tx, selection, table.last_before(tx, moment), 1)
    return found[0] if found else None


def _found(tx: Tx, selection: Selection, anchor: int, count: int, *, back: bool) -> list[int]:
    """Ids from the anchor on, nearest first."""
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
    """Found ids in blocks, read on demand."""
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
    size = max(count, MIN_BLOCK)
    while page := _page(tx, selection, anchor, size, back=back):
        yield _found_among(selection, page)
        if len(page) < size:
            return
        anchor, size = page[-1], min(size * 2, MAX_BLOCK)


def _searched(
    tx: Tx, selection: Selection, search: SearchCursor, anchor: int, count: int, *, back: bool
) -> Iterator[list[int]]:
    """Results of a search, found alternately by the words and by the conditions.

    It is unknown which of the two is rarer. So both advance, each from where the other has arrived,
    and the more selective one does most of the work. Conditions that advance much more slowly than
    the words are skipped for some turns.
    """
    size = max(2 * count, MIN_BLOCK)
    left_out = 0
    while True:
        stretch = search.next_batch(anchor, size, back=back)
        yield _confirmed(tx, selection, stretch.ids, back=back)
        if not stretch.has_more:
            return
        reached = stretch.ids[-1]
        if left_out:
            left_out -= 1
            anchor, size = reached, min(size * 2, MAX_BLOCK)
            continue
        page = _page(tx, selection, reached, size, back=back)
        yield _found_among(selection, page)
        if len(page) < size:
            return
        if abs(page[-1] - reached) * SKIP_RATIO < abs(reached - anchor):
            left_out = SKIPPED_BLOCKS
        anchor, size = page[-1], min(size * 2, MAX_BLOCK)


def _found_among(selection: Selection, ids: list[int]) -> list[int]:
    """Those of some ids, for which the conditions hold, that are wanted and found by the search."""
    ids = [each for each in ids if each not in selection.without]
    if selection.search is None:
        return ids
    return selection.search.verify(selection.search.filter_by_index(ids))


def _stretches(ids: BitMap64, anchor: int, count: int, *, back: bool) -> Iterator[list[int]]:
    """A set of ids in blocks of growing size away from the anchor, nearest first."""
    size = max(count, MIN_BLOCK)
    up_to_anchor = ids.rank(anchor)
    start = end = up_to_anchor - (anchor in ids) if back else up_to_anchor
    while start > 0 if back else end < len(ids):
        if back:
            start, end = max(0, start - size), start
        else:
            start, end = end, min(len(ids), end + size)
        stretch = list(ids[start:end])
        yield stretch[::-1] if back else stretch
        size = min(size * 4, MAX_BLOCK)


def _page(tx: Tx, selection: Selection, anchor: int, count: int, *, back: bool) -> list[int]:
    """The next ids for which the conditions hold, nearest first."""
    found: list[int] = []
    for way in selection.branches():
        # Once `count` ids are found, only ids nearer than the last of them matter.
        end = found[count - 1] if len(found) >= count else None
        walk = Walk(tx, anchor, count, back, end)
        found = sorted({*found, *walk.follow(way)}, reverse=back)
    return found[:count]


class Walk(msgspec.Struct, frozen=True):
    """From an anchor in one direction, until `count` messages are found."""

    tx: Tx
    anchor: int
    count: int
    back: bool
    end: int | None = None  # the last id that is wanted

    def follow(self, way: Selection) -> list[int]:
        if way.scopes is None or not way.by_realm:
            return self._query(way)
        if way.by_topic:
            here = [scope.channel_id for scope in way.scopes]
            in_channels = self._query(way, "+m.channel_id IN :scopes", by_realm=False, scopes=here)
            return in_channels + self._other_scopes(way)
        is_part = way.by_mark or not way.is_whole
        if (is_part or self.count > MAX_PER_SCOPE) and len(way.scopes) > MAX_SEPARATE_SCOPES:
            return self._query(way)
        walk = self._after_gap(way)
        passed_over = self._other_scopes(way) if walk is not self else []
        near, edge = walk._near(way)
        if edge is None or len(near) >= self.count:
            return passed_over + near
        beyond = replace(self, anchor=edge, count=self.count - len(near))
        return passed_over + near + beyond._through_scopes(way)

    def _after_gap(self, way: Selection) -> "Walk":
        """The walk, started at the nearest scope: nothing is found before it."""
        if way.scopes is None or (self.back and way.scopes.is_open_ended):
            return self
        scopes = way.scopes or [Scope(0)]
        if self.back:
            begin = max(scope.until for scope in scopes) + 1
            return replace(self, anchor=begin) if begin < self.anchor else self
        begin = min(scope.since for scope in scopes)
        return replace(self, anchor=begin) if begin > self.anchor else self

    def _near(self, way: Selection) -> tuple[list[int], int | None]:
        """Ids found nearby, and where that range ends; None if it is the end of everything."""
        newest = table.newest_id(self.tx)
        if self.back:
            edge = min(self.anchor, newest + 1) - NEAR_IDS
            found = self._query(way, "m.id >= :edge", edge=edge)
            return found, edge if edge > 0 else None
        edge = self.anchor + NEAR_IDS
        found = self._query(way, "m.id <= :edge", edge=edge)
        return found, edge if edge < newest else None

    def _through_scopes(self, way: Selection) -> list[int]:
        found: list[int] = []
        for scope in way.scopes or ():
            if scope.since >= self.anchor if self.back else scope.until <= self.anchor:
                continue
            found += self._query(
                way,
                "m.channel_id = :scope AND m.id > :since AND m.id <= :until",
                by_realm=False,
                scope=scope.channel_id,
                since=scope.since,
                until=scope.until,
            )
        return found + self._other_scopes(way)

    def _other_scopes(self, way: Selection) -> list[int]:
        found: list[int] = []
        for condition in way.elsewhere:
            found += self._query(way, condition, by_realm=condition == MOVED)
        return found

    def _query(
        self, way: Selection, more: str = "", *, by_realm: bool | None = None, **params: Any
    ) -> list[int]:
        if way.by_realm if by_realm is None else by_realm:
            more = f"m.realm_id = :realm{' AND ' + more if more else ''}"
            params["realm"] = self.tx.realm_id
        position = "m.id < :anchor" if self.back else "m.id > :anchor"
        if self.end is not None:
            position += " AND m.id > :end" if self.back else " AND m.id < :end"
            params["end"] = self.end
        return self.tx.ids(
            f"SELECT m.id FROM message m WHERE {position}"
            f"{' AND ' + more if more else ''} AND {way.where_sql()}"
            f" ORDER BY m.id {'DESC' if self.back else 'ASC'} LIMIT :count",
            anchor=self.anchor,
            count=self.count,
            **params,
            **way.params,
        )


def _matching(tx: Tx, selection: Selection, ids: list[int], *, back: bool) -> list[int]:
    """Those of the ids that are in the selection, nearest first."""
    filter_by_index = ids if selection.search is None else selection.search.filter_by_index(ids)
    return _confirmed(tx, selection, filter_by_index, back=back)


def _confirmed(tx: Tx, selection: Selection, ids: list[int], *, back: bool) -> list[int]:
    """Those of the ids that the search confirms, if there is one."""
    ids = _among(tx, selection, [each for each in ids if each not in selection.without], back=back)
    return ids if selection.search is None else selection.search.verify(ids)


def _among(tx: Tx, selection: Selection, ids: list[int], *, back: bool) -> list[int]:
    """Those of the ids for which the conditions hold, nearest first."""
    if not ids:
        return []
    anyhow = selection.in_one()
    found: list[int] = []
    for some in [ids] if selection.search is None else selection.search.batches(ids):
        found += tx.ids(
            "SELECT m.id FROM message m WHERE m.id IN :ids AND +m.realm_id = :realm"
            f" AND {anyhow.where_sql()}",
            ids=some,
            **anyhow.params,
        )
    return sorted(found, reverse=back)
