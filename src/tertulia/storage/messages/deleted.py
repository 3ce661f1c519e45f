"""Deleted messages that are kept: their rows are moved to tables of their own, and back.

Only this module moves rows, so no other path leads to a deleted message. Each of these tables has
the columns of the table that its name ends with; a test compares them.
"""

from collections.abc import Sequence
from typing import Any

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import (
    Deletion,
    DeletionReason,
    KeptMessage,
    KeptSelection,
    KeptTopic,
)
from tertulia.storage.channels.topics import KEY, MOVED_AT, NAME
from tertulia.storage.organization.legal_holds import IS_HELD

MESSAGE = (
    "id, realm_id, sender_id, channel_id, conversation_id, topic, topic_key, content, rendered,"
    " render_version, client, sent_at, read_by_sender, is_me, channel_wildcard, has_link,"
    " has_image, has_attachment, origin_channel_id, arrived_seq, edited_at, moved_at,"
    " resolve_notice, closed_seq"
)
_PLACE = {"topic": NAME, "topic_key": KEY, "moved_at": MOVED_AT}
# The same columns of a message `m`.
OF_MESSAGE = ", ".join(f"{_PLACE.get(each, 'm.' + each)} AS {each}" for each in MESSAGE.split(", "))
# The rows that are kept with a message. The others of MESSAGE_TABLES are pending notifications, and
# stops of answers: a restored answer can no longer be deleted by the user who asked.
DETAILS = {
    "message_flag": "realm_id, user_id, flag, message_id",
    "reaction": "id, realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type",
    "message_edit": "id, realm_id, message_id, user_id, edited_at, prev_content, prev_rendered,"
    " prev_topic, topic, prev_channel_id, channel_id, after_edit_id",
    "submessage": "id, realm_id, message_id, sender_id, msg_type, content",
    "removed_link_preview": "realm_id, message_id",
    "attachment_message": "realm_id, attachment_id, message_id",
}


def keep(tx: Tx, message_ids: Sequence[int], deletion: Deletion, purge_after: float) -> None:
    """Copy messages that are about to be deleted."""
    ids = list(message_ids)
    storage.messages.edits.detach(tx, ids)
    tx.execute(
        f"INSERT INTO kept_message ({MESSAGE}, reason, deleted_at, deleted_by, purge_after)"
        f" SELECT {OF_MESSAGE}, :reason, :now, :by, :purge FROM message m"
        " WHERE m.realm_id = :realm AND m.id IN :ids",
        reason=deletion.reason,
        now=tx.now,
        by=deletion.user_id,
        purge=purge_after,
        ids=ids,
    )
    for table, columns in DETAILS.items():
        tx.execute(
            f"INSERT INTO kept_{table} ({columns}) SELECT {columns} FROM {table}"
            " WHERE message_id IN :ids",
            ids=ids,
        )


def restore(tx: Tx, message_ids: Sequence[int]) -> None:
    """Move messages back, with their details; links to files that exist no longer are dropped."""
    ids = list(message_ids)
    places = tx.tuples(
        "SELECT DISTINCT channel_id, topic FROM kept_message"
        " WHERE realm_id = :realm AND id IN :ids AND channel_id IS NOT NULL",
        ids=ids,
    )
    for channel_id, topic in places:
        storage.channels.topics.get_or_start(tx, channel_id, topic)
    columns = ", ".join(name for name in MESSAGE.split(", ") if name not in ("topic", "topic_key"))
    row = (
        "SELECT t.{} FROM topic t WHERE t.channel_id = k.channel_id"
        " AND t.name_key = k.topic_key AND t.name = k.topic ORDER BY t.id LIMIT 1"
    )
    tx.execute(
        f"INSERT INTO message ({columns}, topic_id, topic_since)"
        f" SELECT {columns}, ({row.format('id')}), coalesce(({row.format('edit_id')}), 0)"
        " FROM kept_message k WHERE realm_id = :realm AND id IN :ids",
        ids=ids,
    )
    for table, columns in DETAILS.items():
        existing = (
            " AND attachment_id IN (SELECT a.id FROM attachment a WHERE a.realm_id = :realm)"
            if table == "attachment_message"
            else ""
        )
        tx.execute(
            f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept_{table}"
            f" WHERE message_id IN :ids{existing}",
            ids=ids,
        )
    delete(tx, ids)
    storage.search.index.record_changes(tx, ids)


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    """Delete kept messages; their files are deleted separately."""
    for table in DETAILS:
        tx.execute(f"DELETE FROM kept_{table} WHERE message_id IN :ids", ids=list(message_ids))
    tx.delete("kept_message", id=list(message_ids))


def find(tx: Tx, selection: KeptSelection, *, after_id: int = 0, limit: int) -> list[KeptMessage]:
    """The first kept messages after an id, by id; without reactions, edits and submessages."""
    condition, values = _condition(selection)
    rows = tx.tuples(
        f"SELECT {storage.messages.KEPT_COLUMNS},"
        " m.reason, m.deleted_at, m.deleted_by, m.purge_after"
        f" FROM kept_message m WHERE m.realm_id = :realm AND m.id > :after AND {condition}"
        " ORDER BY m.id LIMIT :limit",
        after=after_id,
        limit=limit,
        **values,
    )
    return [_kept(row) for row in rows]


def topics(tx: Tx, selection: KeptSelection) -> list[KeptTopic]:
    """The number of kept messages by topic and reason; most messages first."""
    condition, values = _condition(selection)
    rows = tx.all(
        "SELECT m.channel_id, max(m.topic) AS topic, m.reason,"
        " count(*) AS count, min(m.sent_at) AS oldest, max(m.sent_at) AS newest,"
        " max(m.deleted_at) AS deleted, min(m.purge_after) AS purge"
        f" FROM kept_message m WHERE m.realm_id = :realm AND {condition}"
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
    return tx.exists(
        f"SELECT 1 AS found FROM kept_message m WHERE m.realm_id = :realm AND {condition}"
        f" AND {IS_HELD} LIMIT 1",
        **values,
    )


def due(tx: Tx, limit: int) -> list[int]:
    """Kept messages of the organization whose time is over, and that are not on hold."""
    return tx.column(
        "SELECT m.id FROM kept_message m WHERE m.realm_id = :realm AND m.purge_after <= :now"
        f" AND NOT {IS_HELD} ORDER BY m.purge_after, m.id LIMIT :limit",
        now=tx.now,
        limit=limit,
    )


def realms_with_due(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT DISTINCT m.realm_id FROM kept_message m WHERE m.purge_after <= :now"
        f" AND NOT {IS_HELD} ORDER BY m.realm_id",
        now=tx.now,
    )


def shorten(tx: Tx, seconds: float) -> None:
    """Keep all messages for at most so long after their deletion."""
    tx.execute(
        "UPDATE kept_message SET purge_after = deleted_at + :seconds"
        " WHERE realm_id = :realm AND purge_after > deleted_at + :seconds",
        seconds=seconds,
    )


# --- files ---

# Whether the file `k` is in its grace period. Files that only a legal hold keeps do not count for
# the quota of kept files: a refused upload would tell users of the hold.
_IN_GRACE = (
    "EXISTS (SELECT 1 FROM kept_attachment_message l JOIN kept_message m ON m.id = l.message_id"
    " WHERE l.attachment_id = k.id AND m.purge_after > :now)"
)


def is_linked(tx: Tx, attachment_id: int) -> bool:
    """Whether a kept message links a file."""
    return tx.has_row("kept_attachment_message", attachment_id=attachment_id)


def files_linked_by(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """The files that some kept messages link, kept or not."""
    return tx.column(
        "SELECT DISTINCT attachment_id AS id FROM kept_attachment_message"
        " WHERE realm_id = :realm AND message_id IN :ids ORDER BY attachment_id",
        ids=list(message_ids),
    )


def files_of(tx: Tx, owner_id: int) -> list[int]:
    """The kept files of a user."""
    return tx.column(
        "SELECT id FROM kept_attachment WHERE realm_id = :realm AND owner_id = :owner",
        owner=owner_id,
    )


def space_used(tx: Tx) -> int:
    """The bytes of all files of the organization that are kept for a grace period."""
    return tx.number(
        "SELECT sum(k.size) AS value FROM kept_attachment k WHERE k.realm_id = :realm"
        f" AND {_IN_GRACE}",
        now=tx.now,
    )


def space_used_by(tx: Tx, person_id: int) -> int:
    """The same for a user and their bots."""
    return tx.number(
        "SELECT sum(k.size) AS value FROM kept_attachment k WHERE k.realm_id = :realm"
        " AND k.owner_id IN (SELECT a.id FROM account a WHERE a.realm_id = :realm"
        f" AND (a.id = :person OR a.bot_owner_id = :person)) AND {_IN_GRACE}",
        person=person_id,
        now=tx.now,
    )


def unlinked_files(tx: Tx) -> list[int]:
    """Kept files that no kept message links: their owner deleted them while a message was on
    hold."""
    return tx.column(
        "SELECT a.id FROM kept_attachment a WHERE a.realm_id = :realm AND NOT EXISTS"
        " (SELECT 1 FROM kept_attachment_message l WHERE l.attachment_id = a.id)"
    )


def realms_with_unlinked_files(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT DISTINCT a.realm_id FROM kept_attachment a WHERE NOT EXISTS"
        " (SELECT 1 FROM kept_attachment_message l WHERE l.attachment_id = a.id)"
    )


def file_at(tx: Tx, path_id: str) -> tuple[int, int] | None:
    """The id and size of a kept file."""
    rows = tx.tuples(
        "SELECT id, size FROM kept_attachment WHERE realm_id = :realm AND path_id = :path",
        path=path_id,
    )
    return rows[0] if rows else None


def _kept(row: tuple[Any, ...]) -> KeptMessage:
    *message, reason, deleted_at, deleted_by, purge_after = row
    return KeptMessage(
        storage.messages.as_message(*message),
        DeletionReason(reason),
        deleted_at,
        deleted_by,
        purge_after,
    )


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
