"""The log: what happened, in the order it was committed.

Numbers have no gaps: they are taken from `log_head` in the same transaction, so an action that
is undone gives its numbers back.
"""

import random
import secrets
from typing import NamedTuple

import msgspec

from tertulia import storage
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Row, Tx

# The kinds of events that change by what others are judged; an index knows where these are.
TURNING = (
    "channel_changed", "conversation_begun", "group_members", "group_subgroups", "joined", "left",
    "realm_changed", "realm_changed_together", "role", "user_activity",
)  # fmt: skip
_IS_TURNING = f"kind IN {TURNING}"


class Entry(msgspec.Struct, frozen=True):
    realm_id: int
    seq: int
    kind: str
    audience: str
    payload: str
    at: float
    stamp: int = 0  # 0 if it was written before events had one, or by an older server


def new_stamp() -> int:
    """A random number that tells an event from another one with the same number."""
    return 1 + random.getrandbits(31) % 0x7FFFFFFE


def branch(epoch: str) -> str:
    """An epoch without the timeline of PostgreSQL, which changes while the log stays the same."""
    return epoch.partition("@")[0]


def stamp_at(tx: Tx, seq: int) -> int:
    """The stamp of an event; 0 if it is not known."""
    found: int | None = tx.value(
        "SELECT stamp AS value FROM event WHERE realm_id = :realm AND seq = :seq", seq=seq
    )
    return found or 0


def holds(tx: Tx, seq: int, stamp: int) -> bool:
    """Whether the log is one in which an event has this stamp, as far as it can be told."""
    row = tx.one(
        "SELECT h.seq, e.stamp FROM log_head h LEFT JOIN event e"
        " ON e.realm_id = h.realm_id AND e.seq = :seq WHERE h.realm_id = :realm",
        seq=seq,
    )
    if row is None or row["seq"] < seq:
        return row is None
    return not (stamp and row["stamp"]) or row["stamp"] == stamp


def head(tx: Tx) -> int:
    """The number of the last event of the organization."""
    return tx.number("SELECT seq AS value FROM log_head WHERE realm_id = :realm")


def end(tx: Tx) -> LogPosition:
    """How far the log of the organization goes."""
    return head_and_rules(tx).place


class Head(NamedTuple):
    """How far a log goes, and the last event of it that bears on what somebody may send."""

    place: LogPosition
    rules_seq: int

    @property
    def rules(self) -> LogPosition:
        return LogPosition(self.rules_seq, self.place.epoch)


def head_and_rules(tx: Tx) -> Head:
    row = tx.one("SELECT seq, epoch, rules_seq FROM log_head WHERE realm_id = :realm")
    assert row is not None
    return Head(LogPosition(row["seq"], row["epoch"] + tx.timeline()), row["rules_seq"])


class Glance(NamedTuple):
    """How far some logs go, and which organizations are the first two that there are."""

    ends: dict[int, LogPosition]
    first: list[int]
    stamps: dict[int, int]  # of the last event of each

    def is_at(self, realm_id: int, place: LogPosition, stamp: int) -> bool:
        """Whether a log ends at a place, with an event of this stamp as far as is known."""
        if self.ends.get(realm_id) != place:
            return False
        found = self.stamps[realm_id]
        return not (found and stamp) or found == stamp


def glance(tx: Tx, realm_ids: list[int]) -> Glance:
    """One statement, however many organizations there are."""
    rows = tx.all(
        "SELECT h.realm_id, h.seq, h.epoch, e.stamp FROM log_head h LEFT JOIN event e"
        " ON e.realm_id = h.realm_id AND e.seq = h.seq WHERE h.realm_id IN :realms"
        " UNION ALL SELECT realm_id, -1, '', 0 FROM"
        " (SELECT realm_id FROM log_head ORDER BY realm_id LIMIT 2) AS first",
        realms=realm_ids,
    )
    line = tx.timeline()
    ends = {
        row["realm_id"]: LogPosition(row["seq"], row["epoch"] + line)
        for row in rows
        if row["seq"] >= 0
    }
    stamps = {row["realm_id"]: row["stamp"] or 0 for row in rows if row["seq"] >= 0}
    return Glance(ends, [row["realm_id"] for row in rows if row["seq"] < 0], stamps)


def begin_epoch(tx: Tx) -> None:
    """The log goes on from somewhere in its past: what others know of it holds no more.

    Every queue of the organization ends, and every server reads the organization afresh.
    """
    tx.execute(
        "UPDATE log_head SET epoch = :epoch WHERE realm_id = :realm", epoch=secrets.token_hex(8)
    )
    storage.queues.delete_all(tx)
    tx.announced[tx.realm_id] = head(tx)


def end_epoch(tx: Tx, epoch: str) -> None:
    """Begin another epoch, unless another server was first."""
    if end(tx).epoch == epoch:
        begin_epoch(tx)


def count_after(tx: Tx, seq: int, kinds: list[str]) -> int:
    """How many events of some kinds the log holds after one."""
    return tx.number(
        "SELECT count(*) AS value FROM event"
        " WHERE realm_id = :realm AND seq > :seq AND kind IN :kinds",
        seq=seq,
        kinds=kinds,
    )


def append(
    tx: Tx,
    kind: str,
    audience: str,
    payload: str,
    *,
    invalidates_permits: bool = True,
    revokes_access: bool = False,
) -> int:
    """Write an event at the end; `invalidates_permits` if it bears on what somebody may send,
    `revokes_access` if it ends a key, a session or an account."""
    rules = ", rules_seq = seq + 1" if invalidates_permits else ""
    row = tx.one(f"UPDATE log_head SET seq = seq + 1{rules} WHERE realm_id = :realm RETURNING seq")
    assert row is not None
    tx.put(
        "event",
        seq=row["seq"],
        kind=kind,
        audience=audience,
        payload=payload,
        at=tx.now,
        stamp=new_stamp(),
    )
    seq: int = row["seq"]
    tx.announced[tx.realm_id] = seq
    if revokes_access:
        tx.revoked[tx.realm_id] = seq
    return seq


def after(tx: Tx, realm_id: int, seq: int, limit: int) -> list[Entry]:
    rows = tx.all(
        "SELECT realm_id, seq, kind, audience, payload, at, stamp FROM event"
        " WHERE realm_id = :realm AND seq > :seq ORDER BY seq LIMIT :limit",
        realm=realm_id,
        seq=seq,
        limit=limit,
    )
    return [_entry(row) for row in rows]


def turning_after(tx: Tx, seq: int, limit: int) -> list[Entry]:
    """The next events of an organization that change by what others are judged."""
    rows = tx.all(
        "SELECT realm_id, seq, kind, audience, payload, at, stamp FROM event"
        f" WHERE realm_id = :realm AND seq > :seq AND {_IS_TURNING} ORDER BY seq LIMIT :limit",
        seq=seq,
        limit=limit,
    )
    return [_entry(row) for row in rows]


def oldest(tx: Tx, realm_id: int) -> int | None:
    found: int | None = tx.value(
        "SELECT min(seq) AS value FROM event WHERE realm_id = :realm", realm=realm_id
    )
    return found


def first_since(tx: Tx, at: float) -> int | None:
    """The number of the first of the newest events, those since a moment; None if all are.

    It is looked for from the end, since that is where it is.
    """
    found: int | None = tx.value(
        "SELECT seq + 1 AS value FROM event WHERE realm_id = :realm AND at < :at"
        " ORDER BY seq DESC LIMIT 1",
        at=at,
    )
    return found


def realms_with_old(tx: Tx, at: float, most: int) -> list[int]:
    """The organizations of whose log more than the newest event is older than a moment, or that
    have more than so many.

    The second oldest is looked at, because the newest always stays.
    """
    return tx.column(
        "SELECT h.realm_id FROM log_head h WHERE (SELECT e.at FROM event e"
        " WHERE e.realm_id = h.realm_id ORDER BY e.seq LIMIT 1 OFFSET 1) < :at"
        " OR (SELECT min(e.seq) FROM event e WHERE e.realm_id = h.realm_id) <= h.seq - :most",
        at=at,
        most=most,
    )


def forget_up_to(tx: Tx, seq: int) -> int:
    """Drop the oldest events, up to and including `seq`; says how many."""
    return tx.execute("DELETE FROM event WHERE realm_id = :realm AND seq <= :seq", seq=seq)


def gaps(tx: Tx) -> list[str]:
    """What is wrong with the numbering of the log, in words; nothing if all is well."""
    rows = tx.all(
        "SELECT h.realm_id, h.seq AS head, count(e.seq) AS events, min(e.seq) AS first,"
        " max(e.seq) AS last FROM log_head h LEFT JOIN event e ON e.realm_id = h.realm_id"
        " GROUP BY h.realm_id, h.seq ORDER BY h.realm_id"
    )
    problems = []
    for row in rows:
        if row["events"] == 0:
            continue
        name = f"the log of organization {row['realm_id']}"
        if row["last"] != row["head"]:
            problems.append(f"{name} ends at {row['last']}, but {row['head']} was given out")
        if row["events"] != row["last"] - row["first"] + 1:
            missing = row["last"] - row["first"] + 1 - row["events"]
            problems.append(f"{name} lacks {missing} events between its first and its last")
    return problems


def _entry(row: Row) -> Entry:
    return Entry(
        row["realm_id"],
        row["seq"],
        row["kind"],
        row["audience"],
        row["payload"],
        row["at"],
        row["stamp"],
    )
