"""The phrase filter: hashes of adjacent word pairs ("joints"), so that a phrase needs few texts.

Pairs are indexed long after the words, for many messages at once, because all bitmaps of a segment
are written again each time. A message without indexed pairs may contain any phrase, and the texts
decide.
"""

from array import array
from collections.abc import Collection, Mapping, Sequence
from zlib import crc32

import msgspec
from pyroaring import BitMap

from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.query import SearchedText
from tertulia.storage.search import changes, segments, texts
from tertulia.storage.search.segments import SegmentChanges, SegmentTable

NUMBERS = 2048  # hash values; a message has about twenty pairs
JOINTS_PER_BATCH = 500
MIN_MESSAGES = 4000  # fewer are searched without the phrase filter
PARTS = 8  # in which pairs are written, so that writers do not wait for long

_JOINTS = SegmentTable("search_joint", "joint")


def number_of(joint: str) -> int:
    return crc32(joint.encode()) % NUMBERS


def realms_without(tx: Tx) -> list[int]:
    """Organizations with messages without indexed pairs."""
    return tx.column(
        "SELECT r.id FROM realm r WHERE EXISTS (SELECT 1 FROM search_document d"
        " WHERE d.realm_id = r.id AND d.joints IS NULL) ORDER BY r.id"
    )


class PendingJoints(msgspec.Struct, frozen=True):
    """Messages whose pairs are to be indexed."""

    joints: "dict[int, array[int]]"
    change: int = 0  # the number of changes when their texts were read


def index_batch(tx: Tx, limit: int = JOINTS_PER_BATCH, least: int = MIN_MESSAGES) -> int:
    """Index the pairs of the oldest messages without any, unless there are fewer than `least`.
    Returns their number."""
    some = pending_joints(tx, limit, least)
    for part in range(PARTS):
        join_part(tx, some, part)
    finish_joining(tx, some)
    return len(some.joints)


def pending_joints(
    tx: Tx, limit: int = JOINTS_PER_BATCH, least: int = MIN_MESSAGES
) -> PendingJoints:
    """The oldest messages without indexed pairs; none if there are fewer than `least`."""
    waiting = tx.value(
        "SELECT count(*) AS value FROM (SELECT 1 FROM search_document"
        " WHERE realm_id = :realm AND joints IS NULL LIMIT :least) AS waiting",
        least=least,
    )
    if waiting < least:
        return PendingJoints({})
    change = changes.count(tx)
    ids = tx.column(
        "SELECT message_id FROM search_document WHERE realm_id = :realm AND joints IS NULL"
        " ORDER BY message_id LIMIT :limit",
        limit=limit,
    )
    segment = ids[0] >> segments.BITS  # one segment at a time, which bounds the rows
    ids = [each for each in ids if each >> segments.BITS == segment]
    joints = dict.fromkeys(ids, array("H"))
    yield_point = YieldPoint(tx.yields_to, tx.interruption)
    for row in texts.one_by_one(tx, ids):
        text = SearchedText(row["rendered"], row["topic"])
        joints[row["id"]] = array("H", {*map(number_of, text.joints)})
        yield_point.yield_to_requests()
    return PendingJoints(joints, change)


def join_part(tx: Tx, some: PendingJoints, part: int) -> None:
    """Write one of PARTS of the pairs; searches do not use them yet."""
    mine = {
        message_id: [number for number in joints if number * PARTS // NUMBERS == part]
        for message_id, joints in some.joints.items()
    }
    segments.insert(tx, _JOINTS, _changes(mine))


def finish_joining(tx: Tx, some: PendingJoints) -> None:
    """All parts are written: use them, except for messages changed or deleted meanwhile."""
    rows = tx.tuples(
        "SELECT message_id FROM search_document WHERE message_id IN :ids AND change <= :change",
        ids=list(some.joints),
        change=some.change,
    )
    noted = changes.last_of(tx, list(some.joints))
    current = {each for (each,) in rows if noted.get(each, 0) <= some.change}
    outdated = {each: joints for each, joints in some.joints.items() if each not in current}
    segments.remove(tx, _JOINTS, _changes(outdated))
    tx.execute_many(
        "UPDATE search_document SET joints = :joints WHERE message_id = :id",
        (
            {"id": message_id, "joints": joints.tobytes()}
            for message_id, joints in some.joints.items()
            if message_id not in outdated
        ),
    )


def exclude(tx: Tx, message_ids: Sequence[int]) -> None:
    """Mark messages that get no pairs: those with a signature are not found by them."""
    if message_ids:
        tx.execute(
            "UPDATE search_document SET joints = :none WHERE message_id IN :ids",
            none=b"",
            ids=list(message_ids),
        )


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    """Remove messages that are about to be deleted or indexed again."""
    rows = tx.all(
        "SELECT message_id, joints FROM search_document WHERE message_id IN :ids"
        " AND joints IS NOT NULL ORDER BY message_id",
        ids=list(message_ids),
    )
    known = {row["message_id"]: array("H", row["joints"]) for row in rows}
    segments.remove(tx, _JOINTS, _changes(known))


def count(joints: bytes | None) -> int:
    """The number of pairs in a column."""
    return len(joints or b"") // array("H").itemsize


def delete_some(tx: Tx, message_id: int, limit: int) -> int:
    """Remove a changed message from some of its pairs. Returns of how many."""
    stored = tx.value(
        "SELECT joints AS value FROM search_document WHERE message_id = :id", id=message_id
    )
    joints = array("H", stored)
    segments.remove(tx, _JOINTS, _changes({message_id: joints[:limit]}))
    tx.execute(
        "UPDATE search_document SET joints = :rest WHERE message_id = :id",
        rest=joints[limit:].tobytes(),
        id=message_id,
    )
    return len(joints[:limit])


def candidates(tx: Tx, segment: int, joints: Collection[frozenset[int]], among: BitMap) -> BitMap:
    """Those of some messages of a segment that may have one of each of these pairs."""
    numbers = sorted(frozenset().union(*joints))
    held = segments.load(tx, _JOINTS, [segment], numbers).get(segment, {})
    found = among
    for each in joints:
        found = found & BitMap.union(BitMap(), *(held[n] for n in each if n in held))
    return found | (among & _unjoined(tx, segment))


def _unjoined(tx: Tx, segment: int) -> BitMap:
    base = segment << segments.BITS
    rows = tx.tuples(
        "SELECT message_id - :base FROM search_document WHERE realm_id = :realm AND joints IS NULL"
        " AND message_id >= :base AND message_id < :beyond",
        base=base,
        beyond=base + segments.SIZE,
    )
    return BitMap([number for (number,) in rows])


def _changes(joints: Mapping[int, Sequence[int]]) -> SegmentChanges:
    """Changes by pair; messages are in the order of their ids."""
    held: dict[int, list[int]] = {}
    for message_id, numbers in joints.items():
        for number in numbers:
            held.setdefault(number, []).append(message_id)
    found = SegmentChanges()
    for number, message_ids in held.items():
        found.add(number, message_ids)
    return found
