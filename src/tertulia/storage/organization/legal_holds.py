"""Legal holds, and which messages they cover."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.organization.legal_holds import LegalHold
from tertulia.domain.people.user import User
from tertulia.storage.row_mapper import Record

_HOLDS = Record(LegalHold, "legal_hold")

EDIT_TABLES = ("message_edit", "kept_message_edit", "held_message_edit")


def was_in(channel: str) -> str:
    """SQL: whether the message `m` is or was in a channel. Moving it away does not end a hold."""
    moves = [
        f"EXISTS (SELECT 1 FROM {table} e WHERE e.message_id = m.id"
        f" AND e.prev_channel_id {channel})"
        for table in EDIT_TABLES
    ]
    return f"(m.channel_id {channel} OR m.origin_channel_id {channel} OR {' OR '.join(moves)})"


# Whether an active hold covers the message `m`, a row of `message` or of `kept_message`.
IS_HELD = (
    "EXISTS (SELECT 1 FROM legal_hold h WHERE h.realm_id = m.realm_id AND h.ended_at IS NULL"
    f" AND ((h.channel_id IS NOT NULL AND {was_in('= h.channel_id')}) OR h.user_id = m.sender_id"
    " OR h.user_id = (SELECT a.bot_owner_id FROM account a WHERE a.id = m.sender_id)"
    " OR (m.conversation_id IS NOT NULL AND EXISTS (SELECT 1 FROM conversation_member v"
    " WHERE v.conversation_id = m.conversation_id AND v.user_id = h.user_id))))"
)
_EDIT = (
    "id, realm_id, message_id, user_id, edited_at, prev_content, prev_rendered, prev_topic, topic,"
    " prev_channel_id, channel_id"
)


def insert(
    tx: Tx, user_id: int | None, channel_id: int | None, reason: str, created_by: int | None
) -> int:
    return tx.insert_with_id(
        "legal_hold",
        user_id=user_id,
        channel_id=channel_id,
        reason=reason,
        created_at=tx.now,
        created_by=created_by,
    )


def find(tx: Tx, hold_id: int) -> LegalHold | None:
    return _HOLDS.find(tx, id=hold_id)


def list_all(tx: Tx) -> list[LegalHold]:
    return _HOLDS.where(tx, "id")


def active(tx: Tx) -> list[LegalHold]:
    return _HOLDS.all(
        tx, "FROM legal_hold WHERE realm_id = :realm AND ended_at IS NULL ORDER BY id"
    )


def extend_to_bot(tx: Tx, bot: User) -> bool:
    """Put a bot that gets another owner on hold itself, if its owner until now is on hold. Returns
    whether that is so."""
    found = [each for each in active(tx) if each.user_id == bot.bot_owner_id is not None]
    for each in found:
        insert(tx, bot.id, None, each.reason, each.created_by)
    return bool(found)


def end(tx: Tx, hold_id: int, ended_by: int | None) -> None:
    tx.update("legal_hold", hold_id, ended_at=tx.now, ended_by=ended_by)


# --- messages ---


def held_among(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """Those of the messages that a hold covers."""
    if not message_ids:
        return []
    return tx.column(
        f"SELECT m.id FROM message m WHERE m.realm_id = :realm AND m.id IN :ids AND {IS_HELD}",
        ids=list(message_ids),
    )


def has_message_of(tx: Tx, user_id: int) -> bool:
    """Whether a hold covers a message of a user, deleted or not."""
    return any(
        tx.exists(
            f"SELECT 1 AS found FROM {table} m WHERE m.realm_id = :realm AND m.sender_id = :user"
            f" AND {IS_HELD} LIMIT 1",
            user=user_id,
        )
        for table in ("message", "kept_message")
    )


def has_file_of(tx: Tx, user_id: int) -> bool:
    """Whether a hold covers a message that links a file of a user, deleted or not."""
    return any(
        tx.exists(
            f"SELECT 1 AS found FROM {files} a JOIN {prefix}attachment_message l"
            f" ON l.attachment_id = a.id JOIN {prefix}message m ON m.id = l.message_id"
            f" WHERE a.realm_id = :realm AND a.owner_id = :user AND {IS_HELD} LIMIT 1",
            user=user_id,
        )
        for files in ("attachment", "kept_attachment")
        for prefix in ("", "kept_")
    )


def covers_file(tx: Tx, file: Attachment) -> bool:
    """Whether a hold covers a message that links a file, deleted or not, or a message that linked
    it before its sender edited it."""
    holds = active(tx)
    if not holds:
        return False
    is_linked = any(
        tx.exists(
            f"SELECT 1 AS found FROM {prefix}attachment_message l"
            f" JOIN {prefix}message m ON m.id = l.message_id"
            f" WHERE l.realm_id = :realm AND l.attachment_id = :id AND {IS_HELD} LIMIT 1",
            id=file.id,
        )
        for prefix in ("", "kept_")
    )
    # Only messages of the owner and of users on hold: a search in all edits would take too long.
    senders = [file.owner_id, *(each.user_id for each in holds if each.user_id is not None)]
    return is_linked or any(
        tx.exists(
            f"SELECT 1 AS found FROM {table} m JOIN {edits} e ON e.message_id = m.id"
            " WHERE m.realm_id = :realm AND m.sender_id IN :senders AND m.edited_at >= :since"
            f" AND e.prev_content LIKE :path AND {IS_HELD} LIMIT 1",
            senders=senders,
            since=file.created_at,
            path=f"%{file.path_id.rpartition('/')[0]}/%",
        )
        for table in ("message", "kept_message")
        for edits in EDIT_TABLES
    )


# --- earlier versions ---


def keep_edits(tx: Tx, message_id: int, up_to_id: int) -> None:
    """Copy the oldest edits of a message that are about to be deleted."""
    tx.execute(
        f"INSERT INTO held_message_edit ({_EDIT}) SELECT {_EDIT} FROM message_edit"
        " WHERE message_id = :message AND id <= :id",
        message=message_id,
        id=up_to_id,
    )


def delete_edits_without_hold(tx: Tx, limit: int) -> int:
    """Delete some kept edits whose messages no hold covers any more. Returns their number."""
    ids = tx.column(
        "SELECT e.id FROM held_message_edit e WHERE e.realm_id = :realm"
        + "".join(
            f" AND NOT EXISTS (SELECT 1 FROM {table} m WHERE m.id = e.message_id AND {IS_HELD})"
            for table in ("message", "kept_message")
        )
        + " ORDER BY e.id LIMIT :limit",
        limit=limit,
    )
    if ids:
        tx.delete("held_message_edit", id=ids)
    return len(ids)


def realms_with_kept_edits(tx: Tx) -> list[int]:
    return tx.column("SELECT DISTINCT realm_id FROM held_message_edit ORDER BY realm_id")
