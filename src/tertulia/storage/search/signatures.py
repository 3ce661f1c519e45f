"""Signatures of messages that have more words than the index lists.

A message with a signature has no words of its own in the index. A search asks the signatures which
of these messages may match, and then reads their texts.
"""

from collections.abc import Iterable, Mapping, Sequence

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.query import QueryTerm

MAX_LISTED_IDS = 200  # more candidates are found by reading the whole range
MAX_UNSEGMENTED_SIGNATURES = 1000  # so few are read in one query, not by segment
MAX_TEXTS_TO_READ = 1  # with so few candidates their texts are read, not more of their signatures


def insert(tx: Tx, signatures: Mapping[int, Sequence[bytes]]) -> None:
    """Store signatures by message id."""
    tx.load_rows(
        "search_signature",
        ("realm_id", "part", "message_id", "bits"),
        (
            (tx.realm_id, part, message_id, signatures[message_id][part])
            for part in range(domain.search.signature.PARTS)
            for message_id in sorted(signatures)
        ),
    )


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    if message_ids:
        tx.execute(
            "DELETE FROM search_signature WHERE realm_id = :realm AND part IN :parts"
            " AND message_id IN :ids",
            parts=list(range(domain.search.signature.PARTS)),
            ids=list(message_ids),
        )


def ranges(tx: Tx) -> dict[int, range]:
    """The segments of message ids with signatures, and for each the ids that are queried together:
    those of all segments, if there are few signatures."""
    counted = tx.tuples(
        f"SELECT message_id >> {storage.search.segments.BITS}, count(*) FROM search_signature"
        " WHERE realm_id = :realm AND part = 0 GROUP BY 1"
    )
    numbers = sorted(segment for segment, _ in counted)
    if sum(count for _, count in counted) <= MAX_UNSEGMENTED_SIGNATURES:
        return dict.fromkeys(numbers, _ids_in(numbers[0], numbers[-1]) if numbers else range(0))
    return {segment: _ids_in(segment, segment) for segment in numbers}


def candidates(tx: Tx, ids: range, clues: Iterable[QueryTerm], yield_point: YieldPoint) -> set[int]:
    """The messages with ids in a range whose signatures allow all clues."""
    found: set[int] | None = None
    for clue in clues:
        allowed: set[int] = set()
        for keys in domain.search.signature.alternatives(clue):
            allowed |= _holding(tx, ids, keys, found, yield_point)
        found = allowed
        if len(found) <= MAX_TEXTS_TO_READ:
            break
    return found or set()


def _ids_in(first: int, last: int) -> range:
    bits = storage.search.segments.BITS
    return range(first << bits, (last + 1) << bits)


def _holding(
    tx: Tx, ids: range, keys: Iterable[int], among: set[int] | None, yield_point: YieldPoint
) -> set[int]:
    found = among
    for key in keys:
        if found is not None and not found:
            break
        yield_point.yield_to_requests()
        found = {
            message_id
            for message_id, part in _parts(tx, ids, domain.search.signature.part_of(key), found)
            if (found is None or message_id in found)
            and domain.search.signature.may_hold(part, key)
        }
    return found or set()


def _parts(tx: Tx, ids: range, part: int, among: set[int] | None) -> list[tuple[int, bytes]]:
    """One part of the signatures in a range, or of the remaining candidates."""
    selected = "SELECT message_id, bits FROM search_signature WHERE realm_id = :realm"
    if among is not None and len(among) <= MAX_LISTED_IDS:
        return tx.tuples(
            f"{selected} AND part = :part AND message_id IN :ids", part=part, ids=sorted(among)
        )
    return tx.tuples(
        f"{selected} AND part = :part AND message_id >= :start AND message_id < :stop",
        part=part,
        start=ids.start,
        stop=ids.stop,
    )
