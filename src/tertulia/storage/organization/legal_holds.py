"""Legal holds, and which messages they cover."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.organization.legal_holds import LegalHold
from tertulia.storage.row_mapper import Record

_HOLDS = Record(LegalHold, "legal_hold")

# Whether an active hold covers the message `m`, a row of `message` or of `kept_message`.
IS_HELD = (
    "EXISTS (SELECT 1 FROM legal_hold h WHERE h.realm_id = m.realm_id AND h.ended_at IS NULL"
    " AND (h.channel_id = m.channel_id OR h.user_id = m.sender_id"
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


def end(tx: Tx, hold_id: int, ended_by: int | None) -> None:
    tx.update("legal_hold", hold_id, ended_at=tx.now, ended_by=ended_by)


# --- messages ---


def held_among(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """Those of the messages that a hold covers."""
    return _held_among(tx, "message", message_ids)


def held_among_kept(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """Those of the deleted messages that a hold covers."""
    return _held_among(tx, "kept_message", message_ids)


def _held_among(tx: Tx, table: str, message_ids: Sequence[int]) -> list[int]:
    if not message_ids:
        return []
    return tx.column(
        f"SELECT m.id FROM {table} m WHERE m.realm_id = :realm AND m.id IN :ids AND {IS_HELD}",
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


def covers_file(tx: Tx, attachment_id: int) -> bool:
    """Whether a hold covers a message that links a file, deleted or not."""
    return any(
        tx.exists(
            f"SELECT 1 AS found FROM {prefix}attachment_message l"
            f" JOIN {prefix}message m ON m.id = l.message_id"
            f" WHERE l.realm_id = :realm AND l.attachment_id = :id AND {IS_HELD} LIMIT 1",
            id=attachment_id,
        )
        for prefix in ("", "kept_")
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
