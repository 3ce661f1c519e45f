"""Search execution: reads the index on demand.

The index is read one segment at a time, starting at the anchor, so the newest messages with a
common word cost little. Messages that are not indexed in their current form are read at the
beginning.
"""

from collections.abc import Iterable, Iterator

import msgspec
from pyroaring import BitMap

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.query import Query, SearchedText
from tertulia.storage.messages import table
from tertulia.storage.search import index, segments, signatures, texts
from tertulia.storage.search.indexed_queries import IndexedQuery, QueryUnion

MANY_AT_ONCE, SMALL_BATCHES = 1000, 125  # ids per query
MAX_UNINDEXED_MESSAGES = (
    1000  # unindexed messages that a search reads itself; more are indexed first
)
MAX_FRESH_BYTES = 2_000_000  # of their HTML; more is indexed first, as far as a request may wait


class Candidates(msgspec.Struct, frozen=True):
    """The next ids that may match, nearest first, and whether there may be more beyond them."""

    ids: list[int]
    has_more: bool


class SearchCursor:
    """One search by one reader, in one transaction."""

    def __init__(self, tx: Tx, wanted: Query | None, unwanted: list[Query]) -> None:
        self._tx = tx
        self._wanted = wanted
        self._yield_point = YieldPoint(tx.yields_to, tx.interruption)
        self._unwanted = QueryUnion(tx, unwanted, self._yield_point) if unwanted else None
        self._known: dict[int, BitMap] = {}  # ids that may match, by segment that was read
        self._unsure: set[int] = set()  # ids that a signature allows; their texts decide
        if wanted is not None:
            self._last = table.newest_id(tx) >> segments.BITS
            self._read_fresh(wanted)
            self._index = IndexedQuery(tx, wanted)
            self._index.read_rarest(self._last)
            self._signed = None if wanted.is_empty else signatures.signed_ids(tx)
            self._known_ranges: set[range] = set()

    @property
    def is_by_index(self) -> bool:
        """Whether the index leads to messages; it cannot find messages that lack a word."""
        return self._wanted is not None

    def batches(self, ids: list[int]) -> Iterator[list[int]]:
        """Ids in portions; small ones if requests are waiting."""
        while ids:
            self._yield_point.yield_to_requests()
            count = SMALL_BATCHES if self._yield_point.has_yielded else MANY_AT_ONCE
            yield ids[:count]
            ids = ids[count:]

    def next_batch(self, anchor: int, count: int, *, back: bool) -> Candidates:
        """The nearest `count` messages beyond the anchor that may match."""
        ids: list[int] = []
        nearest = max(anchor, 0) >> segments.BITS
        order = range(min(nearest, self._last), -1, -1) if back else range(nearest, self._last + 1)
        for segment in order:
            ids += self._beyond(segment, anchor, count - len(ids), back=back)
            if len(ids) >= count:
                return Candidates(ids, has_more=True)
        return Candidates(ids, has_more=False)

    def filter_by_index(self, ids: list[int]) -> list[int]:
        """Those of the ids that the index does not rule out."""
        if self._wanted is None:
            return ids
        return [
            each
            for each in ids
            if (each & (segments.SIZE - 1)) in self._in_segment(each >> segments.BITS)
        ]

    def verify(self, ids: list[int]) -> list[int]:
        """Those of the ids that match; texts are read only if the index does not suffice."""
        doubtful = self._unsure
        if self._unwanted is not None:
            matches = self._unwanted.lookup(ids)
            ids = [each for each in ids if each not in matches.sure]
            doubtful = doubtful | matches.possible
        if self._wanted is not None and self._wanted.needs_text:
            unverified = ids
        else:
            unverified = [each for each in ids if each in doubtful]
        if not unverified:
            return ids
        found = {
            row["id"]
            for some in self.batches(unverified)
            for row in self._texts(some)
            if self._is_match(row["id"], SearchedText(row["rendered"], row["topic"]))
        }
        found.update({*ids}.difference(unverified))
        return [each for each in ids if each in found]

    def _texts(self, ids: list[int]) -> Iterable[Row]:
        """The texts of those ids that the index does not decide."""
        if self._wanted is None or not self._wanted.phrases:
            return texts.one_by_one(self._tx, ids)
        longest = max(self._wanted.phrases, key=lambda phrase: len(phrase.text))
        return texts.candidates(self._tx, ids, longest.text)

    def _is_match(self, message_id: int, page: SearchedText) -> bool:
        self._yield_point.yield_to_requests()
        if self._wanted is not None:
            is_unsure = message_id in self._unsure
            if not (self._wanted.matches if is_unsure else self._wanted.is_confirmed_by)(page):
                return False
        return self._unwanted is None or not self._unwanted.matches(page)

    def _beyond(self, segment: int, anchor: int, count: int, *, back: bool) -> list[int]:
        bits = self._in_segment(segment)
        base = segment << segments.BITS
        offset = anchor - base  # of the anchor, within the segment
        if back:
            end = bits.rank(min(offset, segments.SIZE) - 1) if offset > 0 else 0
            return [base + each for each in reversed(bits[max(0, end - count) : end])]
        start = bits.rank(min(offset, segments.SIZE - 1)) if offset >= 0 else 0
        return [base + each for each in bits[start : start + count]]

    def _in_segment(self, segment: int) -> BitMap:
        if segment not in self._known:
            self._yield_point.yield_to_requests()
            bits = self._index.in_segment(segment) | self._allowed(segment)
            bits -= self._fresh.get(segment, BitMap())
            self._known[segment] = bits | self._fresh_matches.get(segment, BitMap())
        return self._known[segment]

    def _allowed(self, segment: int) -> BitMap:
        """Ids that may match by their signatures."""
        if self._wanted is None or self._signed is None:
            return BitMap()
        ids = self._signed.for_query(segment)
        if ids is None:
            return BitMap()
        if ids not in self._known_ranges:
            self._known_ranges.add(ids)
            self._unsure |= signatures.candidates(
                self._tx, ids, self._signed, self._wanted.terms, self._yield_point
            )
        bits = segments.BITS
        size = segments.SIZE
        return BitMap(each & (size - 1) for each in self._unsure if each >> bits == segment)

    def _read_fresh(self, wanted: Query) -> None:
        """Read the messages that are not indexed in their current form."""
        ids = index.changed(self._tx, MAX_UNINDEXED_MESSAGES)
        ids += index.newest_unindexed(self._tx, MAX_UNINDEXED_MESSAGES)
        self._fresh: dict[int, BitMap] = {}
        self._fresh_matches: dict[int, BitMap] = {}
        for row in texts.one_by_one(self._tx, ids):
            self._yield_point.yield_to_requests()
            segment, rest = (
                row["id"] >> segments.BITS,
                row["id"] & (segments.SIZE - 1),
            )
            self._fresh.setdefault(segment, BitMap()).add(rest)
            if wanted.matches(SearchedText(row["rendered"], row["topic"])):
                self._fresh_matches.setdefault(segment, BitMap()).add(rest)
