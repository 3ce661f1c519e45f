"""Deleted messages that are kept: each is one row, whose document holds all that belonged to it.

Only this module reads and writes documents, so no other path leads to a deleted message. A document
has the rows of `message` and of the tables in `DETAILS`, as they were, without the columns that
`deleted_message` has itself. So a new column of these tables needs no change here.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia import domain
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import (
    Deletion,
    DeletionReason,
    KeptMessage,
    KeptSelection,
    KeptTopic,
)
from tertulia.domain.messages.message import Edit, Reaction
from tertulia.domain.messages.widgets import Submessage
from tertulia.storage.channels.topics import KEY, NAME, get_or_start
from tertulia.storage.messages import flags
from tertulia.storage.messages.edits import detach, place
from tertulia.storage.messages.table import NAMES, as_message
from tertulia.storage.organization import legal_holds
from tertulia.storage.search import index

# The rows that are kept with a message. The others of MESSAGE_TABLES are pending notifications, and
# stops of answers: a restored answer can no longer be deleted by the user who asked. Links to files
# have a table of their own, because a file must know what links it.
DETAILS = ("message_flag", "reaction", "message_edit", "submessage", "removed_link_preview")
# The columns of a message that queries need: columns of `deleted_message`, too.
OWN_COLUMNS = (
    "id",
    "sender_id",
    "channel_id",
    "conversation_id",
    "origin_channel_id",
    "topic",
    "topic_key",
    "sent_at",
    "read_by_sender",
    "resolve_notice",
)
# A deleted message belongs to no row of `topic`.
_BY_TOPIC = ("topic_id", "topic_since")

Document = dict[str, Any]


def keep(tx: Tx, message_ids: Sequence[int], deletion: Deletion, purge_after: float) -> None:
    """Copy messages that are about to be deleted."""
    ids = list(message_ids)
    detach(tx, ids)
    documents: dict[int, Document] = {each: {} for each in ids}
    for table in DETAILS:
        rows = tx.all(f"SELECT * FROM {table} WHERE message_id IN :ids", ids=ids)
        for row in [*rows, *(flags.pending(tx, ids) if table == "message_flag" else ())]:
            kept = _without(row, "realm_id", "message_id")
            documents[row["message_id"]].setdefault(table, []).append(kept)
    rows = tx.all(
        f"SELECT m.*, {NAME} AS topic, {KEY} AS topic_key FROM message m"
        " WHERE m.realm_id = :realm AND m.id IN :ids",
        ids=ids,
    )
    tx.insert_rows(
        "deleted_message",
        [_deleted(row, documents[row["id"]]) for row in rows],
        reason=deletion.reason,
        deleted_at=tx.now,
        deleted_by=deletion.user_id,
        purge_after=purge_after,
    )
    tx.execute(
        "INSERT INTO deleted_message_file (realm_id, message_id, attachment_id)"
        " SELECT realm_id, message_id, attachment_id FROM attachment_message"
        " WHERE message_id IN :ids",
        ids=ids,
    )


def _deleted(row: Row, document: Document) -> dict[str, Any]:
    """The columns of a deleted message. `document` has its details."""
    moves = document.get("message_edit", ())
    channels = {row["channel_id"], row["origin_channel_id"]} | {e["prev_channel_id"] for e in moves}
    document["message"] = _without(row, "realm_id", *OWN_COLUMNS, *_BY_TOPIC)
    return {
        **{name: row[name] for name in OWN_COLUMNS},
        "channel_ids": _listed(channels - {None}),
        "user_ids": _listed(_users_of(document)),
        "document": _encoded(document),
    }


def restore(tx: Tx, message_ids: Sequence[int]) -> None:
    """Move messages back, with their details; links to files that exist no longer are dropped."""
    ids = list(message_ids)
    rows = _Rows(tx)
    place = cache(partial(get_or_start, tx))
    for row in tx.all(
        f"SELECT {', '.join(OWN_COLUMNS)}, document FROM deleted_message"
        " WHERE realm_id = :realm AND id IN :ids ORDER BY id",
        ids=ids,
    ):
        document = _decoded(row["document"])
        message = document["message"] | _without(row, "document")
        if row["channel_id"] is not None:
            topic = place(row["channel_id"], row["topic"])
            message |= {"topic_id": topic.id, "topic_since": topic.edit_id}
        rows.add("message", message)
        for table in DETAILS:
            for detail in document.get(table, ()):
                rows.add(table, {**detail, "message_id": row["id"]})
    rows.insert()
    tx.execute(
        "INSERT INTO attachment_message (realm_id, attachment_id, message_id)"
        " SELECT realm_id, attachment_id, message_id FROM deleted_message_file"
        " WHERE message_id IN :ids"
        " AND attachment_id IN (SELECT a.id FROM attachment a WHERE a.realm_id = :realm)",
        ids=ids,
    )
    delete(tx, ids)
    index.record_changes(tx, ids)


class _Rows:
    """Rows of documents, inserted with few statements.

    SQLite has 1 for true. A document may be older than the columns of a table.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._types: dict[str, dict[str, str]] = defaultdict(dict)
        for row in tx.all(tx.dialect.sql.columns):
            self._types[row["table_name"]][row["column_name"]] = row["type"].lower()
        self._rows: dict[tuple[str, ...], list[Document]] = defaultdict(list)

    def add(self, table: str, row: Document) -> None:
        types = self._types[table]
        values = {
            name: bool(value) if types[name] == "boolean" and value is not None else value
            for name, value in row.items()
            if name in types
        }
        self._rows[table, *values].append(values)

    def insert(self) -> None:
        """Messages first, because the other rows refer to them."""
        for (table, *_), rows in sorted(
            self._rows.items(), key=lambda each: each[0][0] != "message"
        ):
            self._tx.insert_rows(table, rows)


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete kept messages; their files are deleted separately."""
    tx.delete("deleted_message_file", message_id=list(message_ids))
    tx.delete("deleted_message", id=list(message_ids))


def find(tx: Tx, selection: KeptSelection, *, after_id: int = 0, limit: int) -> list[KeptMessage]:
    """The first kept messages after an id, by id, with all their details."""
    condition, values = _condition(selection)
    rows = tx.all(
        f"SELECT m.*, v.member_ids FROM deleted_message m"
        " LEFT JOIN conversation v ON v.id = m.conversation_id"
        f" WHERE m.realm_id = :realm AND m.id > :after AND {condition}"
        " ORDER BY m.id LIMIT :limit",
        after=after_id,
        limit=limit,
        **values,
    )
    return [_kept(row) for row in rows]


def unread_if_restored(tx: Tx, condition: str, user_id: int, since: int) -> list[int]:
    """The kept messages `m` after an id that a condition selects, without notices that a topic was
    resolved, but with those that the user wanted to see."""
    rows = tx.tuples(
        f"SELECT m.id, m.resolve_notice, m.document FROM deleted_message m"
        f" WHERE m.realm_id = :realm AND m.id > :since AND {condition}"
        " AND (NOT m.resolve_notice OR m.user_ids LIKE :mine)",
        since=since,
        me=user_id,
        mine=_listing(user_id),
    )
    wanted = {"user_id": user_id, "flag": "unread_notice"}
    return [
        number
        for number, is_notice, document in rows
        if not is_notice or wanted in _decoded(document).get("message_flag", ())
    ]


def remove_users(tx: Tx, user_ids: Collection[int], limit: int) -> int:
    """Remove flags, reactions and votes of users from some kept messages. Returns the number of
    these messages."""
    theirs = {str(each) for each in user_ids}
    listed = tx.tuples(
        "SELECT id, user_ids FROM deleted_message WHERE realm_id = :realm AND user_ids <> ''"
    )
    ids = [message_id for message_id, users in listed if not theirs.isdisjoint(users.split(","))]
    rows = tx.tuples("SELECT id, document FROM deleted_message WHERE id IN :ids", ids=ids[:limit])
    gone = set(user_ids)
    for message_id, text in rows:
        document = _decoded(text)
        for table, column in _USERS.items():
            if table in document:
                document[table] = [each for each in document[table] if each[column] not in gone]
        users = _listed(_users_of(document))
        tx.update("deleted_message", message_id, document=_encoded(document), user_ids=users)
    return len(rows)


def topics(tx: Tx, selection: KeptSelection) -> list[KeptTopic]:
    """The number of kept messages by topic and reason; most messages first."""
    condition, values = _condition(selection)
    rows = tx.all(
        "SELECT m.channel_id, max(m.topic) AS topic, m.reason,"
        " count(*) AS count, min(m.sent_at) AS oldest, max(m.sent_at) AS newest,"
        " max(m.deleted_at) AS deleted, min(m.purge_after) AS purge"
        f" FROM deleted_message m WHERE m.realm_id = :realm AND {condition}"
        " GROUP BY m.channel_id, m.topic_key, m.reason ORDER BY count(*) DESC, min(m.id)",
        **values,
    )
    return [
        KeptTopic(
            row["channel_id"],
            row["topic"],
            DeletionReason(row["reason"]),
            row["count"],
            row["oldest"],
            row["newest"],
            row["deleted"],
            row["purge"],
        )
        for row in rows
    ]


def has_held(tx: Tx, selection: KeptSelection) -> bool:
    """Whether a hold covers one of the kept messages."""
    condition, values = _condition(selection)
    is_held, holds = legal_holds.covered(tx, "deleted_message")
    return tx.exists(
        f"SELECT 1 AS found FROM deleted_message m WHERE m.realm_id = :realm AND {condition}"
        f" AND {is_held} LIMIT 1",
        **values,
        **holds,
    )


def due(tx: Tx, limit: int) -> list[int]:
    """Kept messages of the organization whose time is over, and that are not on hold."""
    is_held, holds = legal_holds.covered(tx, "deleted_message")
    return tx.column(
        "SELECT m.id FROM deleted_message m WHERE m.realm_id = :realm AND m.purge_after <= :now"
        f" AND NOT {is_held} ORDER BY m.purge_after, m.id LIMIT :limit",
        now=tx.now,
        limit=limit,
        **holds,
    )


def realms_with_due(tx: Tx) -> list[int]:
    """Organizations with kept messages whose time is over; some may be on hold."""
    return tx.column(
        "SELECT DISTINCT m.realm_id FROM deleted_message m WHERE m.purge_after <= :now"
        " ORDER BY m.realm_id",
        now=tx.now,
    )


def shorten(tx: Tx, seconds: float) -> None:
    """Keep all messages for at most so long after their deletion."""
    tx.execute(
        "UPDATE deleted_message SET purge_after = deleted_at + :seconds"
        " WHERE realm_id = :realm AND purge_after > deleted_at + :seconds",
        seconds=seconds,
    )


# --- files ---

# Whether the file `k` is in its grace period. Files that only a legal hold keeps do not count for
# the quota of kept files: a refused upload would tell users of the hold.
_IN_GRACE = (
    "EXISTS (SELECT 1 FROM deleted_message_file l JOIN deleted_message m ON m.id = l.message_id"
    " WHERE l.attachment_id = k.id AND m.purge_after > :now)"
)


def is_linked(tx: Tx, attachment_id: int) -> bool:
    """Whether a kept message links a file."""
    return tx.has_row("deleted_message_file", attachment_id=attachment_id)


def files_linked_by(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """The files that some kept messages link, kept or not."""
    return tx.column(
        "SELECT DISTINCT attachment_id AS id FROM deleted_message_file"
        " WHERE realm_id = :realm AND message_id IN :ids ORDER BY attachment_id",
        ids=list(message_ids),
    )


def files_of(tx: Tx, owner_id: int, limit: int) -> list[int]:
    """Kept files of a user."""
    return tx.column(
        "SELECT id FROM deleted_attachment WHERE realm_id = :realm AND owner_id = :owner"
        " ORDER BY id LIMIT :limit",
        owner=owner_id,
        limit=limit,
    )


def space_used(tx: Tx) -> int:
    """The bytes of all files of the organization that are kept for a grace period."""
    return tx.number(
        "SELECT sum(k.size) AS value FROM deleted_attachment k WHERE k.realm_id = :realm"
        f" AND {_IN_GRACE}",
        now=tx.now,
    )


def space_used_by(tx: Tx, person_id: int) -> int:
    """The same for a user and their bots."""
    return tx.number(
        "SELECT sum(k.size) AS value FROM deleted_attachment k WHERE k.realm_id = :realm"
        " AND k.owner_id IN (SELECT a.id FROM account a WHERE a.realm_id = :realm"
        f" AND (a.id = :person OR a.bot_owner_id = :person)) AND {_IN_GRACE}",
        person=person_id,
        now=tx.now,
    )


def unlinked_files(tx: Tx) -> list[int]:
    """Kept files that no kept message links: their owner deleted them while a message was on
    hold."""
    return tx.column(
        "SELECT a.id FROM deleted_attachment a WHERE a.realm_id = :realm AND NOT EXISTS"
        " (SELECT 1 FROM deleted_message_file l WHERE l.attachment_id = a.id)"
    )


def realms_with_unlinked_files(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT DISTINCT a.realm_id FROM deleted_attachment a WHERE NOT EXISTS"
        " (SELECT 1 FROM deleted_message_file l WHERE l.attachment_id = a.id)"
    )


def file_at(tx: Tx, path_id: str) -> tuple[int, int] | None:
    """The id and size of a kept file."""
    rows = tx.tuples(
        "SELECT id, size FROM deleted_attachment WHERE realm_id = :realm AND path_id = :path",
        path=path_id,
    )
    return rows[0] if rows else None


# --- documents ---

# The users who appear in a document, beside its sender and the authors of its edits.
_USERS = {"message_flag": "user_id", "reaction": "user_id", "submessage": "sender_id"}
_encoded_bytes = msgspec.json.Encoder().encode


def _encoded(document: Document) -> str:
    return _encoded_bytes(document).decode()


def _decoded(text: str) -> Document:
    return msgspec.json.decode(text, type=Document)


def _without(row: Row, *columns: str) -> dict[str, Any]:
    return {name: value for name, value in dict(row).items() if name not in columns}


def _users_of(document: Document) -> set[int]:
    return {row[column] for table, column in _USERS.items() for row in document.get(table, ())}


def _listed(ids: set[int]) -> str:
    """Ids as a text in which `_listing` finds each of them."""
    return "".join(f",{each}" for each in sorted(ids)) + "," if ids else ""


def _listing(number: int) -> str:
    return f"%,{number},%"


def _kept(row: Row) -> KeptMessage:
    document = _decoded(row["document"])
    columns = document["message"] | dict(row) | dict.fromkeys(_BY_TOPIC)
    values = {name: columns[name] for name in (*NAMES, "member_ids")}
    message = as_message(**values | {"topic_since": 0})
    edits = sorted(document.get("message_edit", ()), key=place)
    message = replace(
        message,
        reactions=tuple(
            msgspec.convert(each, Reaction)
            for each in sorted(document.get("reaction", ()), key=_id)
        ),
        edits=tuple(msgspec.convert({**each, "message_id": message.id}, Edit) for each in edits),
        submessages=tuple(
            msgspec.convert({**each, "message_id": message.id}, Submessage)
            for each in sorted(document.get("submessage", ()), key=_id)
        ),
    )
    return KeptMessage(
        message,
        DeletionReason(row["reason"]),
        row["deleted_at"],
        row["deleted_by"],
        row["purge_after"],
    )


def _id(row: Document) -> int:
    number: int = row["id"]
    return number


def _condition(selection: KeptSelection) -> tuple[str, dict[str, Any]]:
    given: list[tuple[str, str, Any]] = [
        (
            "m.id IN :ids",
            "ids",
            None if selection.message_ids is None else list(selection.message_ids),
        ),
        ("m.channel_id = :channel", "channel", selection.channel_id),
        (
            "m.topic_key = :topic",
            "topic",
            None if selection.topic is None else domain.channels.topics.fold(selection.topic),
        ),
        ("m.sender_id = :sender", "sender", selection.sender_id),
        ("m.deleted_at >= :begin", "begin", selection.deleted_from),
        ("m.deleted_at < :end", "end", selection.deleted_before),
    ]
    wanted = [each for each in given if each[2] is not None]
    condition = " AND ".join(["1 = 1", *(sql for sql, _, _ in wanted)])
    return condition, {name: value for _, name, value in wanted}
