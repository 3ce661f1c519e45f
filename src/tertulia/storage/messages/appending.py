"""Appending messages of which nothing has to be looked up, many at a time.

The rules were asked before; here a message only gets its numbers, if no rule has changed since.
`log_head` knows that, and whoever writes it holds it to the commit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import msgspec

from tertulia.storage.database.tx import Tx
from tertulia.storage.log import LogPlace


class Numbers(NamedTuple):
    """What a message was given."""

    message_id: int
    seq: int
    at: float


@dataclass(frozen=True, slots=True)
class PlainSend:
    """A message that may be sent by all rules as they were at a place in the log."""

    known: LogPlace
    row: dict[str, Any]  # of the message, but for its number, organization and time
    audience: str
    payload: str  # of the event, from behind the number of the message on
    key: tuple[str, bytes] | None  # if the same key was used before, it is not plain after all
    tell: Callable[[Numbers], Any]  # what whoever follows the log has to know of it
    answer: Callable[[Numbers], Any]


def append(tx: Tx, sends: Sequence[PlainSend]) -> list[Numbers] | None:
    """Write messages of one organization and their events.

    None if a rule may have changed, or the log is another one, since they were looked at. Raises if
    one of their keys was used before; then nothing of it may be kept.
    """
    return _in_one_statement(tx, sends) if tx.dialect.writes_in_queries else _by_turns(tx, sends)


def _by_turns(tx: Tx, sends: Sequence[PlainSend]) -> list[Numbers] | None:
    row = tx.one(f"{_HEAD} RETURNING seq", **_head(tx, sends))
    if row is None:
        return None
    before = row["seq"] - len(sends)
    tx.announced[tx.realm_id] = row["seq"]
    first = tx.value(f"SELECT {tx.dialect.next_message_id} AS value")
    given = [Numbers(first + place, before + 1 + place, tx.now) for place in range(len(sends))]
    columns = ["id", "realm_id", "sent_at", *sends[0].row]
    tx.load_rows(
        "message",
        columns,
        [
            (each.message_id, tx.realm_id, tx.now, *send.row.values())
            for each, send in zip(given, sends, strict=True)
        ],
    )
    tx.load_rows(
        "event",
        ["realm_id", "seq", "kind", "audience", "payload", "at"],
        [
            (
                tx.realm_id,
                each.seq,
                "message",
                send.audience,
                f"{_BEGINNING}{each.message_id}{send.payload}",
                tx.now,
            )
            for each, send in zip(given, sends, strict=True)
        ],
    )
    keyed = [
        (tx.realm_id, send.row["sender_id"], *send.key, each.message_id, tx.now)
        for each, send in zip(given, sends, strict=True)
        if send.key is not None
    ]
    if keyed:
        columns = ["realm_id", "sender_id", "key", "fingerprint", "message_id", "sent_at"]
        tx.load_rows("send_key", columns, keyed)
    return given


def _in_one_statement(tx: Tx, sends: Sequence[PlainSend]) -> list[Numbers] | None:
    """One round trip, in a transaction of its own: no server can stand still within it."""
    rows = [
        {
            "place": place,
            "audience": send.audience,
            "payload": send.payload,
            "key": None if send.key is None else send.key[0],
            "fingerprint": None if send.key is None else send.key[1].hex(),
            **send.row,
        }
        for place, send in enumerate(sends, 1)
    ]
    found = tx.all(
        _statement(tuple(sends[0].row)),
        rows=msgspec.json.encode(rows).decode(),
        now=tx.now,
        **_head(tx, sends),
    )
    if not found:
        return None
    tx.announced[tx.realm_id] = found[-1]["seq"]
    return [Numbers(row["id"], row["seq"], tx.now) for row in found]


def _head(tx: Tx, sends: Sequence[PlainSend]) -> dict[str, Any]:
    known = min(send.known for send in sends)
    return {
        "count": len(sends),
        "known": known.seq,
        "epoch": known.epoch,
        "line": tx.history_line(),
    }


_BEGINNING = '{"message_id":'
_HEAD = (
    "UPDATE log_head SET seq = seq + :count"
    " WHERE realm_id = :realm AND rules_seq <= :known AND epoch || :line = :epoch"
)
_TYPES = {
    **dict.fromkeys(["topic", "topic_key", "content", "rendered", "client"], "text"),
    **dict.fromkeys(["sender_id", "channel_id", "origin_channel_id", "conversation_id"], "bigint"),
    **dict.fromkeys(["is_me", "has_link", "has_image", "has_attachment"], "boolean"),
    **dict.fromkeys(["read_by_sender", "channel_wildcard", "resolve_notice"], "boolean"),
    "render_version": "integer",
}


@cache
def _statement(columns: tuple[str, ...]) -> str:
    """The order of what it does follows from who asks whom for rows: first the head of the log is
    taken, for which it may have to wait, and only then are numbers given."""
    names = ", ".join(columns)
    typed = ", ".join(f"{name} {_TYPES[name]}" for name in columns)
    return (
        f"WITH head AS ({_HEAD} RETURNING seq - :count AS before),"
        " ordered AS (SELECT h.before + r.place AS seq, r.* FROM head h, json_to_recordset(:rows)"
        " AS r (place bigint, audience text, payload text, key text, fingerprint text,"
        f" {typed}) ORDER BY r.place),"
        " numbered AS MATERIALIZED (SELECT nextval('message_id_seq') AS id, o.* FROM ordered o),"
        f" said AS (INSERT INTO message (id, realm_id, sent_at, {names})"
        f" SELECT id, :realm, :now, {names} FROM numbered),"
        " told AS (INSERT INTO event (realm_id, seq, kind, audience, payload, at)"
        " SELECT :realm, seq, 'message', audience,"
        f" '{_BEGINNING}' || id || payload, :now FROM numbered),"
        " keyed AS (INSERT INTO send_key (realm_id, sender_id, key, fingerprint, message_id,"
        " sent_at) SELECT :realm, sender_id, key, decode(fingerprint, 'hex'), id, :now"
        " FROM numbered WHERE key IS NOT NULL)"
        " SELECT id, seq FROM numbered ORDER BY seq"
    )
