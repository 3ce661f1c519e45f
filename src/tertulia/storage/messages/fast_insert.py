"""The SQL of the fast path: inserts many checked messages at once.

The permission checks were done before. The insert only assigns ids and event numbers, if no rule
has changed since. `log_head` shows that, and its row is locked until the commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from tertulia.database.fast_send import AssignedIds, FastSend
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx


def append(tx: Tx, sends: Sequence[FastSend]) -> list[AssignedIds] | None:
    """Insert messages of one organization and their events.

    Returns None if a rule or the log may have changed since the check. Raises if an idempotency key
    was used before; then the caller must roll back. Only for SQLite, where no other writer takes an
    id meanwhile.
    """
    assert tx.dialect.is_embedded, "ids beyond the first were not taken from the sequence"
    taking = f"{_HEAD} RETURNING seq, {tx.dialect.sql.next_message_id} AS first_id"
    row = tx.one(taking, line=tx.timeline(), **_head(sends))
    if row is None:
        return None
    before, stamp = row["seq"] - len(sends), LogPosition.new_stamp()
    tx.announced[tx.realm_id] = row["seq"]
    given = [
        AssignedIds(row["first_id"] + index, before + 1 + index, tx.now, stamp)
        for index in range(len(sends))
    ]
    columns = ["id", "realm_id", "sent_at", *sends[0].row]
    rows = [
        (each.message_id, tx.realm_id, tx.now, *send.row.values())
        for each, send in zip(given, sends, strict=True)
    ]
    # A prepared statement keeps its last parameters, and there is one for each number of rows. So
    # large messages are inserted one by one.
    for some in [rows] if all(send.is_small for send in sends) else [[row] for row in rows]:
        tx.bulk.load_rows("message", columns, some)
    tx.bulk.load_rows(
        "event",
        ["realm_id", "seq", "kind", "audience", "payload", "at", "stamp"],
        [
            (
                tx.realm_id,
                each.seq,
                "message",
                send.audience,
                f"{_BEGINNING}{each.message_id}{send.payload}",
                tx.now,
                stamp,
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
        tx.bulk.load_rows("send_key", columns, keyed)
    return given


def as_one_statement(
    sends: Mapping[int, Sequence[FastSend]], now: float, line: str
) -> tuple[str, dict[str, Any]]:
    """One statement that inserts messages of one or several organizations, and its parameters.

    It is a transaction of its own, so no server can stall inside it. Of several organizations it
    skips those that are locked; for one alone it waits. See `append`.
    """
    rows = [
        {
            "organization": realm_id,
            "place": index,
            "audience": send.audience,
            "payload": send.payload,
            "key": None if send.key is None else send.key[0],
            "fingerprint": None if send.key is None else send.key[1].hex(),
            **send.row,
        }
        for realm_id, some in sends.items()
        for index, send in enumerate(some, 1)
    ]
    stamp = LogPosition.new_stamp()
    params: dict[str, Any] = {"rows": _encode(rows), "now": now, "line": line, "stamp": stamp}
    columns = tuple(next(iter(sends.values()))[0].row)
    if len(sends) > 1:
        heads = [{"realm_id": realm_id} | _head(some) for realm_id, some in sends.items()]
        return _statement(_FREE_HEADS, columns), params | {"heads": _encode(heads)}
    ((realm_id, some),) = sends.items()
    return _statement(_ONE_HEAD, columns), params | {"realm": realm_id} | _head(some)


def numbers(rows: Iterable[Sequence[Any]], now: float) -> dict[int, list[AssignedIds]]:
    """The ids that the statement has assigned, by organization."""
    given: dict[int, list[AssignedIds]] = {}
    for realm_id, message_id, seq, stamp in rows:
        each = AssignedIds(int(message_id), int(seq), now, int(stamp))
        given.setdefault(int(realm_id), []).append(each)
    return given


def _head(sends: Sequence[FastSend]) -> dict[str, Any]:
    known = min(send.valid_as_of for send in sends)
    is_one_log = all(send.valid_as_of.epoch == known.epoch for send in sends)
    return {
        "count": len(sends),
        "known": known.seq if is_one_log else -1,
        "epoch": known.epoch,
    }


_encode = msgspec.json.Encoder().encode
_BEGINNING = '{"message_id":'
_HEAD = (
    "UPDATE log_head SET seq = seq + :count"
    " WHERE realm_id = :realm AND rules_seq <= :known AND epoch || :line = :epoch"
)
_ONE_HEAD = f"{_HEAD} RETURNING realm_id, seq - :count AS before"
_FREE_HEADS = (
    "UPDATE log_head h SET seq = h.seq + w.count FROM wanted w, free f"
    " WHERE w.realm_id = h.realm_id AND f.realm_id = h.realm_id"
    " RETURNING h.realm_id, h.seq - w.count AS before"
)
_WANTED = (
    "wanted AS (SELECT * FROM json_to_recordset(:heads)"
    " AS w (realm_id bigint, count bigint, known bigint, epoch text)),"
    " free AS (SELECT h.realm_id FROM log_head h JOIN wanted w ON w.realm_id = h.realm_id"
    " WHERE h.rules_seq <= w.known AND h.epoch || :line = w.epoch"
    " ORDER BY h.realm_id FOR NO KEY UPDATE OF h SKIP LOCKED), "
)
TYPES = {
    **dict.fromkeys(["content", "rendered", "client"], "text"),
    **dict.fromkeys(["sender_id", "channel_id", "origin_channel_id", "conversation_id"], "bigint"),
    **dict.fromkeys(["topic_id", "topic_since"], "bigint"),
    **dict.fromkeys(["is_me", "has_link", "has_image", "has_attachment"], "boolean"),
    **dict.fromkeys(["read_by_sender", "channel_wildcard", "resolve_notice"], "boolean"),
    "render_version": "integer",
}


@cache
def _statement(head: str, columns: tuple[str, ...]) -> str:
    """The order of execution follows from the dependencies of the parts: the heads of logs are
    locked first, which may take a while, and ids are assigned afterwards."""
    names = ", ".join(columns)
    typed = ", ".join(f"{name} {TYPES[name]}" for name in columns)
    return (
        f"WITH {_WANTED if head is _FREE_HEADS else ''}head AS ({head}),"
        " ordered AS (SELECT h.realm_id, h.before + r.place AS seq, r.* FROM head h"
        " JOIN json_to_recordset(:rows) AS r (organization bigint, place bigint, audience text,"
        f" payload text, key text, fingerprint text, {typed})"
        " ON r.organization = h.realm_id ORDER BY h.realm_id, r.place),"
        " numbered AS MATERIALIZED (SELECT nextval('message_id_seq') AS id, o.* FROM ordered o),"
        f" said AS (INSERT INTO message (id, realm_id, sent_at, {names})"
        f" SELECT id, realm_id, :now::float8, {names} FROM numbered),"
        " announced AS (INSERT INTO event (realm_id, seq, kind, audience, payload, at, stamp)"
        " SELECT realm_id, seq, 'message', audience,"
        f" '{_BEGINNING}' || id || payload, :now::float8, :stamp::int FROM numbered),"
        " keyed AS (INSERT INTO send_key (realm_id, sender_id, key, fingerprint, message_id,"
        " sent_at) SELECT realm_id, sender_id, key, decode(fingerprint, 'hex'), id, :now"
        " FROM numbered WHERE key IS NOT NULL)"
        " SELECT realm_id, id, seq, :stamp::int FROM numbered ORDER BY realm_id, seq"
    )
