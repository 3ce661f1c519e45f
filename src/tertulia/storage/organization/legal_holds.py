"""Legal holds: while one is active, messages that it covers are kept when they are deleted.

A hold on a user covers what they send and all direct messages of their conversations. A hold on a
channel covers its messages.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.people.user import User
from tertulia.storage.record import Record

Table = Literal["message", "deleted_message"]


def involves(users: str) -> str:
    """SQL: whether users or their bots sent the message `m`, or users are in its conversation."""
    return (
        f"(m.sender_id IN (SELECT a.id FROM account a WHERE a.id {users} OR a.bot_owner_id {users})"
        " OR m.conversation_id IN (SELECT v.conversation_id FROM conversation_member v"
        f" WHERE v.user_id {users}))"
    )


def was_in(channels: str, table: Table = "message") -> str:
    """SQL: whether the message `m` is or was in a channel. Moving it away does not end a hold."""
    if table == "deleted_message":
        return (
            f"EXISTS (SELECT 1 FROM channel c WHERE c.id {channels}"
            " AND m.channel_ids LIKE '%,' || c.id || ',%')"
        )
    return (
        f"(m.channel_id {channels} OR m.origin_channel_id {channels}"
        " OR EXISTS (SELECT 1 FROM message_edit e WHERE e.message_id = m.id"
        f" AND e.prev_channel_id {channels})"
        " OR EXISTS (SELECT 1 FROM message c JOIN topic_edit e ON e.topic_id = c.topic_id"
        f" AND e.id > c.topic_since WHERE c.id = m.id AND e.prev_channel_id {channels}))"
    )


def covered(tx: Tx, table: Table) -> tuple[str, dict[str, Any]]:
    """The condition that an active hold covers the row `m` of a table, and its parameters."""
    holds = active(tx)
    if not holds:
        return "FALSE", {}
    return f"({involves('IN :held_users')} OR {was_in('IN :held_channels', table)})", {
        "held_users": [each.user_id for each in holds if each.user_id is not None],
        "held_channels": [each.channel_id for each in holds if each.channel_id is not None],
    }


class LegalHold(Record, frozen=True, table="legal_hold"):
    id: int
    user_id: int | None
    channel_id: int | None
    reason: str
    created_at: float
    created_by: int | None  # None for the command line
    ended_at: float | None
    ended_by: int | None


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


def active(tx: Tx) -> list[LegalHold]:
    return LegalHold.all(tx, "ended_at IS NULL ORDER BY id")


def extend_to_bot(tx: Tx, bot: User) -> bool:
    """Put a bot that gets another owner on hold itself, if its owner until now is on hold. Returns
    whether that is so."""
    if bot.bot_owner_id is None:
        return False
    found = [each for each in active(tx) if each.user_id == bot.bot_owner_id]
    for each in found:
        insert(tx, [bot.id], [], each.reason, each.created_by)
    return bool(found)


# --- messages ---


def held_among(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """Those of the messages that a hold covers."""
    if not message_ids:
        return []
    is_held, params = covered(tx, "message")
    return tx.column(
        f"SELECT m.id FROM message m WHERE m.realm_id = :realm AND m.id IN :ids AND {is_held}",
        ids=list(message_ids),
        **params,
    )


def has_message_of(tx: Tx, user_ids: list[int]) -> bool:
    """Whether a hold covers a message of one of the users, deleted or not."""
    return any(
        tx.exists(
            f"SELECT 1 AS found FROM {table} m WHERE m.realm_id = :realm AND m.sender_id IN :users"
            f" AND {is_held} LIMIT 1",
            users=user_ids,
            **params,
        )
        for table, (is_held, params) in _coverage(tx).items()
    )


def has_file_of(tx: Tx, user_ids: list[int]) -> bool:
    """Whether a hold covers a message that links a file of one of the users, deleted or not."""
    return any(
        tx.exists(
            f"SELECT 1 AS found FROM {files} a JOIN {_LINKS[table]} l"
            f" ON l.attachment_id = a.id JOIN {table} m ON m.id = l.message_id"
            f" WHERE a.realm_id = :realm AND a.owner_id IN :users AND {is_held} LIMIT 1",
            users=user_ids,
            **params,
        )
        for files in ("attachment", "deleted_attachment")
        for table, (is_held, params) in _coverage(tx).items()
    )


def covered_files(tx: Tx, files: Sequence[Attachment]) -> set[int]:
    """Those of the files that a message on hold links, deleted or not, or linked before its sender
    edited it."""
    if not files or not active(tx):
        return set()
    found = {
        attachment_id
        for table, (is_held, params) in _coverage(tx).items()
        for attachment_id in tx.column(
            f"SELECT l.attachment_id FROM {_LINKS[table]} l"
            f" JOIN {table} m ON m.id = l.message_id"
            f" WHERE l.realm_id = :realm AND l.attachment_id IN :ids AND {is_held}",
            ids=[file.id for file in files],
            **params,
        )
    }
    others = {file.path_id.rpartition("/")[0]: file for file in files if file.id not in found}
    if others:
        since = min(file.created_at for file in others.values())
        for text in _earlier_versions_with_files(tx, since):
            found |= {file.id for folder, file in others.items() if f"{folder}/" in text}
    return found


def _earlier_versions_with_files(tx: Tx, since: float) -> Iterator[str]:
    """Texts with the earlier versions of messages on hold that link a file and were replaced since
    then."""
    is_held, params = covered(tx, "message")
    yield from tx.column(
        "SELECT e.prev_content FROM message_edit e JOIN message m ON m.id = e.message_id"
        " WHERE e.realm_id = :realm AND e.edited_at >= :since AND e.prev_content LIKE :link"
        f" AND {is_held}",
        since=since,
        link="%user_uploads/%",
        **params,
    )
    is_held, params = covered(tx, "deleted_message")
    yield from tx.column(
        "SELECT m.document FROM deleted_message m WHERE m.realm_id = :realm"
        f" AND m.deleted_at >= :since AND m.document LIKE :link AND {is_held}",
        since=since,
        link="%user_uploads/%",
        **params,
    )


_LINKS: dict[Table, str] = {
    "message": "attachment_message",
    "deleted_message": "deleted_message_file",
}


def _coverage(tx: Tx) -> dict[Table, tuple[str, dict[str, Any]]]:
    return {table: covered(tx, table) for table in _LINKS}


# --- earlier versions ---


def delete_edits_without_hold(tx: Tx, limit: int) -> int:
    """Delete some edits that are only kept for a hold, and whose messages no hold covers any more.
    Returns their number. Those of deleted messages are deleted with them."""
    is_held, params = covered(tx, "message")
    ids = tx.column(
        "SELECT e.id FROM message_edit e JOIN message m ON m.id = e.message_id"
        f" WHERE e.realm_id = :realm AND e.is_held AND NOT {is_held} ORDER BY e.id LIMIT :limit",
        limit=limit,
        **params,
    )
    if ids:
        tx.delete("message_edit", id=ids)
    return len(ids)


def realms_with_held_edits(tx: Tx) -> list[int]:
    return tx.column("SELECT DISTINCT realm_id FROM message_edit WHERE is_held ORDER BY realm_id")
