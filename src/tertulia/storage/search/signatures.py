"""Signatures of messages that have more words than the index lists.

A message with a signature has no words of its own in the index. A search asks the signatures which
of these messages may match, and then reads their texts.
"""

from collections.abc import Iterable, Mapping, Sequence

from pyroaring import BitMap

from tertulia import domain, storage
from tertulia.domain.search.query import Clue
from tertulia.storage.database.giving_way import LongThought
from tertulia.storage.database.tx import Tx

MAX_LISTED_IDS = 200  # more candidates than that are found by reading the whole segment
FEW_CANDIDATES = 1  # whose texts are read rather than more of their signatures


def insert(tx: Tx, signatures: Mapping[int, Sequence[bytes]]) -> None:
    """Store signatures by the id of their message."""
    tx.load_rows(
        "search_signature",
        ("realm_id", "part", "message_id", "bits"),
        (
            (tx.realm_id, part, message_id, signatures[message_id][part])
            for part in range(domain.search.signature.PARTS)
            for message_id in sorted(signatures)
        ),
    )


def forget(tx: Tx, message_ids: Sequence[int]) -> None:
    if message_ids:
        tx.execute(
            "DELETE FROM search_signature WHERE realm_id = :realm AND part IN :parts"
            " AND message_id IN :ids",
            parts=list(range(domain.search.signature.PARTS)),
            ids=list(message_ids),
        )


def segments(tx: Tx) -> frozenset[int]:
    """The segments of message ids in which there are signatures."""
    rows = tx.tuples(
        f"SELECT DISTINCT message_id >> {storage.search.segments.BITS} FROM search_signature"
        " WHERE realm_id = :realm AND part = 0"
    )
    return frozenset(segment for (segment,) in rows)


def candidates(tx: Tx, segment: int, clues: Iterable[Clue], thought: LongThought) -> BitMap:
    """The messages of a segment whose signatures allow all clues; ids count within the segment."""
    found: BitMap | None = None
    for clue in clues:
        allowed = BitMap()
        for keys in domain.search.signature.alternatives(clue):
            allowed |= _holding(tx, segment, keys, found, thought)
        found = allowed
        if len(found) <= FEW_CANDIDATES:
            break
    return BitMap() if found is None else found


def _holding(
    tx: Tx, segment: int, keys: Iterable[int], among: BitMap | None, thought: LongThought
) -> BitMap:
    found = among
    for key in keys:
        if found is not None and not found:
            break
        thought.give_way()
        found = BitMap(
            number
            for number, part in _parts(tx, segment, domain.search.signature.part_of(key), found)
            if (found is None or number in found) and domain.search.signature.may_hold(part, key)
        )
    return BitMap() if found is None else found


def _parts(tx: Tx, segment: int, part: int, among: BitMap | None) -> list[tuple[int, bytes]]:
    base = segment << storage.search.segments.BITS
    selected = "SELECT message_id - :base, bits FROM search_signature WHERE realm_id = :realm"
    if among is not None and len(among) <= MAX_LISTED_IDS:
        ids = [base + number for number in among]
        sql = f"{selected} AND part = :part AND message_id IN :ids"
        rows = tx.tuples(sql, base=base, part=part, ids=ids)
    else:
        sql = f"{selected} AND part = :part AND message_id >= :base AND message_id < :beyond"
        beyond = base + storage.search.segments.SIZE
        rows = tx.tuples(sql, base=base, part=part, beyond=beyond)
    return [(number, bytes(bits)) for number, bits in rows]
