"""Sets of ids for many keys, as bitmaps in segments: the tables of the search index.

A table has, for each segment of ids and each key, a bitmap of the ids in that segment. Adding an id
writes a few small adjacent rows, however large the sets are.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from pyroaring import BitMap

from tertulia.database.tx import Tx

BITS = 16
SIZE = 1 << BITS


class SegmentTable(msgspec.Struct, frozen=True):
    name: str
    key: str  # the column of the key


class SegmentChanges:
    """Ids that are added to keys, or removed from them."""

    def __init__(self) -> None:
        self.by_segment: dict[int, dict[Any, list[int]]] = {}

    def add(self, key: Any, ids: Sequence[int]) -> None:
        """The ids are in order."""
        if ids[0] >> BITS == ids[-1] >> BITS:
            self._add(key, ids)
        else:
            for _, some in groupby(ids, lambda number: number >> BITS):
                self._add(key, list(some))

    def _add(self, key: Any, ids: Sequence[int]) -> None:
        keys = self.by_segment.setdefault(ids[0] >> BITS, {})
        keys.setdefault(key, []).extend([number & (SIZE - 1) for number in ids])


def all_of(tx: Tx, table: SegmentTable) -> list[int]:
    """All segments that may contain something."""
    last = tx.value(f"SELECT max(segment) AS value FROM {table.name} WHERE realm_id = :realm")
    return [] if last is None else list(range(last + 1))


def load(
    tx: Tx, table: SegmentTable, segments: list[int], keys: list[Any]
) -> dict[int, dict[Any, BitMap]]:
    """The bitmaps of these keys in these segments, if there are any.

    Their ids are relative to the start of the segment.
    """
    rows = tx.all(
        f"SELECT segment, {table.key} AS key, bits FROM {table.name}"
        f" WHERE realm_id = :realm AND segment IN :segments AND {table.key} IN :keys",
        segments=segments,
        keys=keys,
    )
    found: dict[int, dict[Any, BitMap]] = {}
    for row in rows:
        found.setdefault(row["segment"], {})[row["key"]] = BitMap.deserialize(row["bits"])
    return found


def lifted(bits: BitMap, segment: int) -> BitMap:
    """Absolute ids, from ids relative to a segment."""
    return bits.shift(segment << BITS) if segment else bits


def insert(tx: Tx, table: SegmentTable, changes: SegmentChanges) -> None:
    for segment, added in changes.by_segment.items():
        bits = load(tx, table, [segment], list(added)).get(segment, {})
        known = list(bits)
        for key, ids in added.items():
            if key in bits:
                bits[key].update(ids)
            else:
                bits[key] = BitMap(ids)
        _replace(tx, table, segment, known, bits)


def remove(tx: Tx, table: SegmentTable, changes: SegmentChanges) -> set[Any]:
    """Remove ids. Returns the keys without any left in a segment."""
    emptied = set()
    for segment, removed in changes.by_segment.items():
        bits = load(tx, table, [segment], list(removed)).get(segment, {})
        for key, found in bits.items():
            found.difference_update(BitMap(removed[key]))
        left = {key: found for key, found in bits.items() if found}
        _replace(tx, table, segment, list(bits), left)
        emptied.update(bits.keys() - left.keys())
    return emptied


def _replace(
    tx: Tx, table: SegmentTable, segment: int, known: list[Any], bits: dict[Any, BitMap]
) -> None:
    """Replace the known rows with these; much faster than row by row."""
    # A list with one element: without statistics PostgreSQL uses the index by key only then.
    tx.execute(
        f"DELETE FROM {table.name} WHERE realm_id = :realm AND segment IN :segments"
        f" AND {table.key} IN :keys",
        segments=[segment],
        keys=known,
    )
    tx.bulk.load_rows(
        table.name,
        ("realm_id", "segment", table.key, "bits"),
        (
            (tx.realm_id, segment, key, found.serialize())
            for key, found in sorted(bits.items(), key=itemgetter(0))
        ),
    )
