"""The event log, in the order of commits.

Event numbers have no gaps: they are taken from `log_head` in the same transaction, so an action
that is rolled back returns its numbers.
"""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.storage import queues

# Kinds of events that affect the delivery of others; an index covers them.
AFFECTING_DELIVERY = (
    "channel_changed", "conversation_begun", "group_members", "group_subgroups", "joined", "left",
    "realm_changed", "realm_changed_together", "role", "user_activity",
)  # fmt: skip
_AFFECTS_DELIVERY = f"kind IN {AFFECTING_DELIVERY}"


class Entry(msgspec.Struct, frozen=True):
    realm_id: int
    seq: int
    kind: str
    audience: str
    payload: str
    at: float
    stamp: int = 0  # 0 if an older server wrote the event


def stamp_at(tx: Tx, seq: int) -> int:
    """The stamp of an event; 0 if it is unknown."""
    found: int | None = tx.value(
        "SELECT stamp AS value FROM event WHERE realm_id = :realm AND seq = :seq", seq=seq
    )
    return found or 0


def holds(tx: Tx, position: LogPosition) -> bool:
    """Whether this log, of whatever epoch, may hold the event at a position."""
    row = tx.one(
        "SELECT h.seq, e.stamp FROM log_head h LEFT JOIN event e"
        " ON e.realm_id = h.realm_id AND e.seq = :seq WHERE h.realm_id = :realm",
        seq=position.seq,
    )
    if row is None or row["seq"] < position.seq:
        return row is None
    return position.matches_stamp(row["stamp"] or 0)


def head(tx: Tx) -> int:
    """The number of the last event of the organization."""
    return tx.number("SELECT seq AS value FROM log_head WHERE realm_id = :realm")


def end(tx: Tx) -> LogPosition:
    """The end of the organization's log, without its stamp."""
    return head_and_rules(tx).position


class Head(NamedTuple):
    """The end of a log, and its last event that invalidates send permits."""

    position: LogPosition
    rules_seq: int

    @property
    def rules(self) -> LogPosition:
        return LogPosition(self.rules_seq, self.position.epoch)


def head_and_rules(tx: Tx) -> Head:
    row = tx.one("SELECT seq, epoch, rules_seq FROM log_head WHERE realm_id = :realm")
    assert row is not None
    return Head(LogPosition(row["seq"], row["epoch"] + tx.timeline()), row["rules_seq"])


class LogEnds(NamedTuple):
    """The ends of some logs, and the first two organizations."""

    ends: dict[int, LogPosition]
    first: list[int]

    def is_at(self, realm_id: int, position: LogPosition) -> bool:
        """Whether a log ends at a position."""
        end = self.ends.get(realm_id)
        return end is not None and end.matches(position)


def log_ends(tx: Tx, realm_ids: list[int]) -> LogEnds:
    """One statement for any number of organizations."""
    rows = tx.all(
        "SELECT h.realm_id, h.seq, h.epoch, e.stamp FROM log_head h LEFT JOIN event e"
        " ON e.realm_id = h.realm_id AND e.seq = h.seq WHERE h.realm_id IN :realms"
        " UNION ALL SELECT realm_id, -1, '', 0 FROM"
        " (SELECT realm_id FROM log_head ORDER BY realm_id LIMIT 2) AS first",
        realms=realm_ids,
    )
    line = tx.timeline()
    ends = {
        row["realm_id"]: LogPosition(row["seq"], row["epoch"] + line, row["stamp"] or 0)
        for row in rows
        if row["seq"] >= 0
    }
    return LogEnds(ends, [row["realm_id"] for row in rows if row["seq"] < 0])


def start_epoch(tx: Tx) -> None:
    """Start a new epoch: the log continues from an earlier state, so known positions are invalid.

    All queues of the organization end, and every server reloads the organization.
    """
    tx.execute(
        "UPDATE log_head SET epoch = :epoch WHERE realm_id = :realm", epoch=secrets.token_hex(8)
    )
    queues.delete_all(tx)
    tx.announced[tx.realm_id] = head(tx)


def replace_epoch(tx: Tx, epoch: str) -> None:
    """Start a new epoch, unless another server was first."""
    if end(tx).epoch == epoch:
        start_epoch(tx)


def count_after(tx: Tx, seq: int, kinds: list[str]) -> int:
    """The number of events of some kinds after a position."""
    return tx.number(
        "SELECT count(*) AS value FROM event"
        " WHERE realm_id = :realm AND seq > :seq AND kind IN :kinds",
        seq=seq,
        kinds=kinds,
    )


class NewEntry(NamedTuple):
    kind: str
    audience: str
    payload: str


def append(tx: Tx, kind: str, audience: str, payload: str) -> int:
    """Append an event that may change what a user may send. Returns its number."""
    return append_all(tx, [NewEntry(kind, audience, payload)])


def append_all(
    tx: Tx,
    entries: Sequence[NewEntry],
    *,
    invalidates_permits: bool = True,
    revokes_access: bool = False,
) -> int:
    """Append events. `invalidates_permits` if they may change what a user may send,
    `revokes_access` if they end a key, a session or an account. Returns the last number."""
    rules = ", rules_seq = seq + :count" if invalidates_permits else ""
    row = tx.one(
        f"UPDATE log_head SET seq = seq + :count{rules} WHERE realm_id = :realm RETURNING seq",
        count=len(entries),
    )
    assert row is not None
    seq: int = row["seq"]
    first = seq - len(entries) + 1
    rows = [
        {"seq": number, "at": tx.now, "stamp": LogPosition.new_stamp(), **entry._asdict()}
        for number, entry in enumerate(entries, first)
    ]
    if len(rows) == 1:
        tx.insert_row("event", **rows[0])
    else:
        tx.insert_rows("event", rows)
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
    """The next events of an organization that affect the delivery of others."""
    rows = tx.all(
        "SELECT realm_id, seq, kind, audience, payload, at, stamp FROM event"
        f" WHERE realm_id = :realm AND seq > :seq AND {_AFFECTS_DELIVERY}"
        " ORDER BY seq LIMIT :limit",
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
    """The number of the first event since a time; None if all are.

    Searches backwards, because the event is near the end.
    """
    found: int | None = tx.value(
        "SELECT seq + 1 AS value FROM event WHERE realm_id = :realm AND at < :at"
        " ORDER BY seq DESC LIMIT 1",
        at=at,
    )
    return found


def realms_with_old(tx: Tx, at: float, limit: int) -> list[int]:
    """Organizations whose log has events older than a time, besides the newest, or more than
    `limit` events.

    The second oldest event is compared, because the newest always stays.
    """
    return tx.column(
        "SELECT h.realm_id FROM log_head h WHERE (SELECT e.at FROM event e"
        " WHERE e.realm_id = h.realm_id ORDER BY e.seq LIMIT 1 OFFSET 1) < :at"
        " OR (SELECT min(e.seq) FROM event e WHERE e.realm_id = h.realm_id) <= h.seq - :limit",
        at=at,
        limit=limit,
    )


def delete_up_to(tx: Tx, seq: int) -> int:
    """Delete the oldest events, up to and including `seq`. Returns their number."""
    return tx.execute("DELETE FROM event WHERE realm_id = :realm AND seq <= :seq", seq=seq)


def gaps(tx: Tx) -> list[str]:
    """Errors in the numbering of the logs, as texts."""
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
