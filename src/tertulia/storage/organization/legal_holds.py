"""Legal holds, and which messages they cover."""

from collections.abc import Iterator, Sequence

from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.organization.legal_holds import LegalHold
from tertulia.domain.people.user import User
from tertulia.storage.row_mapper import RowMapper

_HOLDS = RowMapper(LegalHold, "legal_hold")

EDIT_TABLES = ("message_edit", "kept_message_edit", "held_message_edit")


def was_in(channel: str) -> str:
    """SQL: whether the message `m` is or was in a channel. Moving it away does not end a hold."""
    moves = [
        f"EXISTS (SELECT 1 FROM {table} e WHERE e.message_id = m.id"
        f" AND e.prev_channel_id {channel})"
        for table in EDIT_TABLES
    ]
    moves.append(
        "EXISTS (SELECT 1 FROM message c JOIN topic_edit e ON e.topic_id = c.topic_id"
        f" AND e.id > c.topic_since WHERE c.id = m.id AND e.prev_channel_id {channel})"
    )
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
    " prev_channel_id, channel_id, after_edit_id"
)


def insert(
    tx: Tx,
    user_ids: Sequence[int],
    channel_ids: Sequence[int],
    reason: str,
    created_by: int | None,
) -> list[int]:
    """Begin a hold of each. Returns the ids of the holds."""
    last = tx.number("SELECT max(id) AS value FROM legal_hold WHERE realm_id = :realm")
    held = [(each, None) for each in user_ids] + [(None, each) for each in channel_ids]
    tx.insert_rows(
        "legal_hold",
        [{"user_id": user_id, "channel_id": channel_id} for user_id, channel_id in held],
        reason=reason,
        created_at=tx.now,
        created_by=created_by,
    )
    return tx.column(
        "SELECT id FROM legal_hold WHERE realm_id = :realm AND id > :last ORDER BY id", last=last
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
    if bot.bot_owner_id is None:
        return False
    found = [each for each in active(tx) if each.user_id == bot.bot_owner_id]
    for each in found:
        insert(tx, [bot.id], [], each.reason, each.created_by)
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


def covered_files(tx: Tx, files: Sequence[Attachment]) -> set[int]:
    """Those of the files that a message on hold links, deleted or not, or linked before its sender
    edited it."""
    if not files or not active(tx):
        return set()
    found = {
        attachment_id
        for prefix in ("", "kept_")
        for attachment_id in tx.column(
            f"SELECT l.attachment_id FROM {prefix}attachment_message l"
            f" JOIN {prefix}message m ON m.id = l.message_id"
            f" WHERE l.realm_id = :realm AND l.attachment_id IN :ids AND {IS_HELD}",
            ids=[file.id for file in files],
        )
    }
    others = {file.path_id.rpartition("/")[0]: file for file in files if file.id not in found}
    if others:
        since = min(file.created_at for file in others.values())
        for text in _earlier_versions_with_files(tx, since):
            found |= {file.id for folder, file in others.items() if f"{folder}/" in text}
    return found


def _earlier_versions_with_files(tx: Tx, since: float) -> Iterator[str]:
    """The earlier versions of messages on hold that link a file and were replaced since then."""
    for edits in EDIT_TABLES:
        for table in ("message", "kept_message"):
            yield from tx.column(
                f"SELECT e.prev_content FROM {edits} e WHERE e.realm_id = :realm"
                " AND e.edited_at >= :since AND e.prev_content LIKE :link"
                f" AND EXISTS (SELECT 1 FROM {table} m WHERE m.id = e.message_id AND {IS_HELD})",
                since=since,
                link="%user_uploads/%",
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
