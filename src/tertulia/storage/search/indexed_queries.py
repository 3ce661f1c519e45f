"""Queries against the index, one segment of ids at a time."""

from typing import NamedTuple

from pyroaring import BitMap, BitMap64

from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.query import AdjacentWords, Query, SearchedText
from tertulia.storage.search import index, phrase_filter, segments, signatures
from tertulia.storage.search.index import POSTINGS
from tertulia.storage.search.segments import BITS

MAX_RARE_WORDS = 64
MAX_ALTERNATIVES = 128  # word pairs: more than that rule out hardly any message


class IndexedQuery:
    """The messages that may match a query by the index: all its words, and its word pairs."""

    def __init__(self, tx: Tx, query: Query) -> None:
        self._tx = tx
        self.query = query
        words = [index.word_ids(tx, term) for term in query.terms]
        self._words = sorted(words, key=len)
        joints = {_alternatives(tx, each) for each in query.meetings}
        self._joints = [each for each in joints if each is not None]
        self._rarest: dict[int, BitMap] | None = None

    def read_rarest(self, last_segment: int) -> None:
        """Read all segments of the term with the fewest words at once: most segments have none of
        them."""
        if self._words and len(self._words[0]) <= MAX_RARE_WORDS:
            held = segments.load(
                self._tx, POSTINGS, list(range(last_segment + 1)), list(self._words[0])
            )
            self._rarest = {
                segment: BitMap.union(BitMap(), *bits.values()) for segment, bits in held.items()
            }

    def in_segment(self, segment: int) -> BitMap:
        """Their ids, relative to the start of the segment."""
        found: BitMap | None = None
        if self._rarest is not None:
            found = self._rarest.get(segment, BitMap())
        for words in self._words[0 if found is None else 1 :]:
            if found is not None and not found:
                break
            bits = _with_words(self._tx, segment, words)
            found = bits if found is None else found & bits
        if found and self._joints:
            found = phrase_filter.candidates(self._tx, segment, self._joints, found)
        return BitMap() if found is None else found


class Lookup(NamedTuple):
    """Ids of messages that match, and of those whose texts decide."""

    sure: set[int]
    possible: set[int]


class QueryUnion:
    """The messages that match at least one of several queries.

    All queries of one word are one set of words. The texts decide about phrases and about messages
    that the index does not list in their current form.
    """

    def __init__(self, tx: Tx, queries: list[Query], yield_point: YieldPoint) -> None:
        self._tx = tx
        self._queries = [query for query in queries if not query.is_empty]
        self._yield_point = yield_point
        self._single_words = BitMap()
        self._others: list[IndexedQuery] = []
        for query in self._queries:
            yield_point.yield_to_requests()
            if len(query.terms) == 1 and not query.needs_text:
                self._single_words |= index.word_ids(tx, query.terms[0])
            else:
                self._others.append(IndexedQuery(tx, query))
        self._indexed_to = index.indexed_to(tx)
        self._changed = BitMap64(index.all_changed(tx))
        self._signed = signatures.signed_ids(tx)
        self._segments: dict[int, tuple[BitMap, BitMap]] = {}

    def lookup(self, ids: list[int]) -> Lookup:
        """What the index says about some messages."""
        found = Lookup(set(), set())
        if not self._queries:
            return found
        for each in ids:
            if each > self._indexed_to or each in self._changed:
                found.possible.add(each)
                continue
            sure, possible = self._in_segment(each >> BITS)
            offset = each & (segments.SIZE - 1)
            if offset in sure:
                found.sure.add(each)
            elif offset in possible:
                found.possible.add(each)
        return found

    def matches(self, page: SearchedText) -> bool:
        return any(query.matches(page) for query in self._queries)

    def _in_segment(self, segment: int) -> tuple[BitMap, BitMap]:
        known = self._segments.get(segment)
        if known is None:
            self._yield_point.yield_to_requests()
            sure = _with_words(self._tx, segment, self._single_words)
            possible = signatures.in_segment(self._tx, self._signed, segment)
            for indexed in self._others:
                self._yield_point.yield_to_requests()
                if indexed.query.needs_text:
                    possible |= indexed.in_segment(segment)
                else:
                    sure |= indexed.in_segment(segment)
            known = self._segments[segment] = sure, possible
        return known


def _with_words(tx: Tx, segment: int, words: BitMap) -> BitMap:
    """The messages in a segment that have at least one of the words."""
    if not words:
        return BitMap()
    held = segments.load(tx, POSTINGS, [segment], list(words))
    return BitMap.union(BitMap(), *held.get(segment, {}).values())


def _alternatives(tx: Tx, meeting: AdjacentWords) -> frozenset[int] | None:
    """The numbers of all word pairs that it may be; None if these are too many to be useful."""
    lefts, rights = [meeting.left], [meeting.right]
    if not meeting.is_left_sure:
        found = index.words_like(tx, f"%{meeting.left}")
        lefts += [each for each in found if each.endswith(meeting.left)]
    if not meeting.is_right_sure:
        found = index.words_like(tx, f"{meeting.right}%")
        rights += [each for each in found if each.startswith(meeting.right)]
    joints = meeting.joints(lefts, rights)
    numbers = frozenset(map(phrase_filter.number_of, joints))
    return numbers if len(numbers) <= MAX_ALTERNATIVES else None
