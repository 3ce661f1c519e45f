"""Signatures of messages whose words the index does not list.

A message with a signature has no words of its own in the index. A search asks the signatures which
of these messages may match, and then reads their texts.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from pyroaring import BitMap

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.query import QueryTerm
from tertulia.storage.search import segments

MAX_LISTED_IDS = 200  # more candidates are found by reading the whole range
MAX_UNSEGMENTED_SIGNATURES = 1000  # so few are read in one query, not by segment
MAX_TEXTS_TO_READ = 1  # with so few candidates their texts are read, not more of their signatures


class SignedIds(msgspec.Struct, frozen=True):
    """The range of the ids of messages with signatures, by the number of parts."""

    ranges: dict[int, range]
    is_few: bool

    def for_query(self, segment: int) -> range | None:
        """The ids to query for a segment: all, if there are few. None if it has no signature."""
        bits = segments.BITS
        own = range(segment << bits, (segment + 1) << bits)
        if not any(
            each.start < own.stop and own.start < each.stop for each in self.ranges.values()
        ):
            return None
        if not self.is_few:
            return own
        starts, stops = zip(
            *((each.start, each.stop) for each in self.ranges.values()), strict=True
        )
        return range(min(starts), max(stops))


def insert(tx: Tx, signatures: Mapping[int, Sequence[bytes]]) -> None:
    """Store signatures by message id."""
    rows = [
        (tx.realm_id, number, message_id, bits)
        for message_id, parts in signatures.items()
        for number, bits in domain.search.signature.numbered(parts)
    ]
    tx.bulk.load_rows("search_signature", ("realm_id", "part", "message_id", "bits"), sorted(rows))


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    if message_ids:
        tx.execute(
            "DELETE FROM search_signature WHERE realm_id = :realm AND part IN :parts"
            " AND message_id IN :ids",
            parts=list(range(2 * domain.search.signature.MAX_PARTS - 1)),
            ids=list(message_ids),
        )


def signed_ids(tx: Tx) -> SignedIds:
    """Which messages have signatures, without reading these."""
    counts = domain.search.signature.PART_COUNTS
    found: dict[int, range] = {}
    total = 0
    for count, first, last, some in tx.tuples(" UNION ALL ".join(map(_extent, counts))):
        if first is not None:
            found[count] = range(first, last + 1)
            total += some
    return SignedIds(found, is_few=total <= MAX_UNSEGMENTED_SIGNATURES)


def in_segment(tx: Tx, signed: SignedIds, segment: int) -> BitMap:
    """All messages of a segment with a signature, relative to its start."""
    if signed.for_query(segment) is None:
        return BitMap()
    start = segment << segments.BITS
    ids = tx.ids(
        "SELECT message_id AS id FROM search_signature WHERE realm_id = :realm AND part IN :parts"
        " AND message_id >= :start AND message_id < :stop",
        parts=[domain.search.signature.first_number(count) for count in signed.ranges],
        start=start,
        stop=start + segments.SIZE,
    )
    return BitMap(each - start for each in ids)


def candidates(
    tx: Tx, ids: range, signed: SignedIds, terms: Iterable[QueryTerm], yield_point: YieldPoint
) -> set[int]:
    """The messages with ids in a range whose signatures allow all terms."""
    found: set[int] | None = None
    for term in terms:
        allowed: set[int] = set()
        for keys in domain.search.signature.alternatives(term):
            for count in signed.ranges:
                allowed |= _holding(tx, ids, keys, count, found, yield_point)
        found = allowed
        if len(found) <= MAX_TEXTS_TO_READ:
            break
    return found or set()


def _extent(count: int) -> str:
    """A query for the first and the last message with a signature of so many parts, and for how
    many there are, at most a few more than MAX_UNSEGMENTED_SIGNATURES."""
    number = domain.search.signature.first_number(count)
    ids = f"SELECT message_id FROM search_signature WHERE realm_id = :realm AND part = {number}"
    return (
        f"SELECT {count} AS parts, ({ids} ORDER BY message_id LIMIT 1) AS first_id,"
        f" ({ids} ORDER BY message_id DESC LIMIT 1) AS last_id,"
        f" (SELECT count(*) FROM ({ids} LIMIT {MAX_UNSEGMENTED_SIGNATURES + 1}) AS signed) AS total"
    )


def _holding(
    tx: Tx,
    ids: range,
    keys: Iterable[int],
    count: int,
    among: set[int] | None,
    yield_point: YieldPoint,
) -> set[int]:
    """The messages whose signatures, of so many parts, may hold all keys."""
    found = among
    for number, its_keys in domain.search.signature.by_number(keys, count).items():
        if found is not None and not found:
            break
        yield_point.yield_to_requests()
        found = {
            message_id
            for message_id, part in _parts(tx, ids, number, found)
            if (found is None or message_id in found)
            and domain.search.signature.may_contain(part, its_keys, count)
        }
    return found or set()


def _parts(tx: Tx, ids: range, number: int, among: set[int] | None) -> list[tuple[int, bytes]]:
    """One part of the signatures in a range, or of the remaining candidates."""
    selected = "SELECT message_id, bits FROM search_signature WHERE realm_id = :realm"
    if among is not None and len(among) <= MAX_LISTED_IDS:
        return tx.tuples(
            f"{selected} AND part = :part AND message_id IN :ids", part=number, ids=sorted(among)
        )
    return tx.tuples(
        f"{selected} AND part = :part AND message_id >= :start AND message_id < :stop",
        part=number,
        start=ids.start,
        stop=ids.stop,
    )
