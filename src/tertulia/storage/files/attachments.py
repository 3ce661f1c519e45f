"""Complete uploads, and the messages that link to them."""

from collections.abc import Sequence

from msgspec.structs import asdict

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment, MediaInfo
from tertulia.domain.limits import MAX_ID

_COLUMNS = (
    "id, realm_id, owner_id, upload_id, path_id, name, content_type, size, width, height,"
    " is_animated, created_at"
)


def insert(
    tx: Tx, owner_id: int, upload_id: int, path_id: str, name: str, size: int, media_info: MediaInfo
) -> int:
    attachment_id = tx.insert_with_id(
        "attachment",
        owner_id=owner_id,
        upload_id=upload_id,
        path_id=path_id,
        name=name,
        size=size,
        created_at=tx.now,
        **asdict(media_info),
    )
    _add_space(tx, owner_id, size)
    return attachment_id


def delete(tx: Tx, attachment: Attachment) -> None:
    """Delete the record; its bytes are deleted separately."""
    for table in ("attachment_message", "attachment_scheduled", "attachment_thumbnail"):
        tx.execute(f"DELETE FROM {table} WHERE attachment_id = :id", id=attachment.id)
    tx.delete("attachment", id=attachment.id)
    _add_space(tx, attachment.owner_id, -attachment.size)


def keep(tx: Tx, attachment: Attachment) -> None:
    """Move the record to those of deleted files that kept messages link; its bytes stay."""
    tx.execute(
        f"INSERT INTO deleted_attachment ({_COLUMNS}) SELECT {_COLUMNS} FROM attachment"
        " WHERE id = :id AND realm_id = :realm",
        id=attachment.id,
    )
    delete(tx, attachment)


def restore(tx: Tx, attachment_id: int) -> Attachment | None:
    """Move the record of a kept file back. None if there is none."""
    tx.execute(
        f"INSERT INTO attachment ({_COLUMNS}) SELECT {_COLUMNS} FROM deleted_attachment"
        " WHERE id = :id AND realm_id = :realm",
        id=attachment_id,
    )
    if not tx.delete("deleted_attachment", id=attachment_id):
        return None
    found = find(tx, attachment_id)
    assert found is not None
    _add_space(tx, found.owner_id, found.size)
    return found


def delete_kept(tx: Tx, attachment_id: int) -> int | None:
    """Delete the record of a kept file. Returns its upload; None if there is no such file."""
    upload_id: int | None = tx.value(
        "SELECT upload_id AS value FROM deleted_attachment WHERE id = :id AND realm_id = :realm",
        id=attachment_id,
    )
    tx.delete("deleted_attachment", id=attachment_id)
    return upload_id


def find(tx: Tx, attachment_id: int) -> Attachment | None:
    """With the messages that link to it."""
    row = tx.one(
        f"SELECT {_COLUMNS} FROM attachment WHERE id = :id AND realm_id = :realm", id=attachment_id
    )
    return None if row is None else _with_messages(tx, [row])[0]


def find_by_path(tx: Tx, path_id: str) -> Attachment | None:
    found = find_by_paths(tx, [path_id])
    return found[0] if found else None


def find_by_paths(tx: Tx, path_ids: Sequence[str]) -> list[Attachment]:
    """Newest first."""
    if not path_ids:
        return []
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM attachment WHERE path_id IN :paths AND realm_id = :realm"
        " ORDER BY id DESC",
        paths=list(path_ids),
    )
    return [_attachment(row) for row in rows]


def of_user(tx: Tx, owner_id: int) -> list[Attachment]:
    """Newest first, with the messages that link to them."""
    return of_users(tx, [owner_id])


def of_users(tx: Tx, owner_ids: list[int], limit: int = MAX_ID) -> list[Attachment]:
    """The newest ones, with the messages that link to them."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM attachment WHERE owner_id IN :owners AND realm_id = :realm"
        " ORDER BY id DESC LIMIT :limit",
        owners=owner_ids,
        limit=limit,
    )
    return _with_messages(tx, rows)


def thumbnail(tx: Tx, attachment_id: int) -> bytes | None:
    """None if it was not requested yet; empty if none can be made."""
    found = tx.value(
        "SELECT data AS value FROM attachment_thumbnail WHERE attachment_id = :id"
        " AND realm_id = :realm",
        id=attachment_id,
    )
    return None if found is None else bytes(found)


def store_thumbnail(tx: Tx, attachment_id: int, data: bytes) -> None:
    """Store it, if the file still exists."""
    tx.execute(
        "INSERT INTO attachment_thumbnail (realm_id, attachment_id, data)"
        " SELECT realm_id, id, :data FROM attachment WHERE id = :id AND realm_id = :realm"
        " ON CONFLICT (attachment_id) DO NOTHING",
        id=attachment_id,
        data=data,
    )


def space_used(tx: Tx) -> int:
    """The bytes of all files of the organization."""
    return tx.number("SELECT upload_bytes AS value FROM realm WHERE id = :id", id=tx.realm_id)


def count(tx: Tx) -> tuple[int, int]:
    """The number of files of the organization, and of their bytes."""
    files = tx.number("SELECT count(*) AS value FROM attachment WHERE realm_id = :realm")
    return files, space_used(tx)


def space_used_by(tx: Tx, person_id: int) -> int:
    """The bytes of all files of a user and their bots."""
    return tx.number(
        "SELECT sum(upload_bytes) AS value FROM account WHERE realm_id = :realm"
        " AND (id = :person OR bot_owner_id = :person)",
        person=person_id,
    )


# --- links ---


def link(tx: Tx, attachment_id: int, message_id: int) -> None:
    tx.execute(
        "INSERT INTO attachment_message (realm_id, attachment_id, message_id)"
        " VALUES (:realm, :attachment, :message) ON CONFLICT DO NOTHING",
        attachment=attachment_id,
        message=message_id,
    )


def unlink(tx: Tx, attachment_ids: Sequence[int], message_id: int) -> None:
    if attachment_ids:
        tx.delete("attachment_message", attachment_id=list(attachment_ids), message_id=message_id)


def linked_by(tx: Tx, message_ids: Sequence[int]) -> list[int]:
    """The files that some messages link to, newest first."""
    return tx.column(
        "SELECT DISTINCT attachment_id AS id FROM attachment_message WHERE message_id IN :ids"
        " ORDER BY attachment_id DESC",
        ids=list(message_ids),
    )


def unlink_all(tx: Tx, message_ids: Sequence[int]) -> None:
    tx.execute("DELETE FROM attachment_message WHERE message_id IN :ids", ids=list(message_ids))


def messages_linking(tx: Tx, attachment_id: int, before: int, limit: int) -> list[int]:
    """The next messages before one that link to a file, newest first."""
    return tx.column(
        "SELECT message_id AS id FROM attachment_message WHERE attachment_id = :attachment"
        " AND message_id < :before ORDER BY message_id DESC LIMIT :limit",
        attachment=attachment_id,
        before=before,
        limit=limit,
    )


def hold_for(tx: Tx, attachment_id: int, scheduled_id: int) -> None:
    tx.execute(
        "INSERT INTO attachment_scheduled (realm_id, attachment_id, scheduled_id)"
        " VALUES (:realm, :attachment, :scheduled) ON CONFLICT DO NOTHING",
        attachment=attachment_id,
        scheduled=scheduled_id,
    )


def release_from(tx: Tx, scheduled_id: int) -> None:
    tx.delete("attachment_scheduled", scheduled_id=scheduled_id)


def held_for(tx: Tx, scheduled_id: int) -> list[str]:
    """The URLs of the files that a scheduled message links to."""
    return tx.column(
        "SELECT a.path_id FROM attachment_scheduled s JOIN attachment a ON a.id = s.attachment_id"
        " WHERE s.scheduled_id = :id AND s.realm_id = :realm",
        id=scheduled_id,
    )


def is_held(tx: Tx, attachment_id: int) -> bool:
    """Whether a scheduled message links to it."""
    return tx.has_row("attachment_scheduled", attachment_id=attachment_id)


def _add_space(tx: Tx, owner_id: int, size: int) -> None:
    for table, row_id in (("realm", tx.realm_id), ("account", owner_id)):
        tx.execute(
            f"UPDATE {table} SET upload_bytes = upload_bytes + :size WHERE id = :id",
            size=size,
            id=row_id,
        )


def _with_messages(tx: Tx, rows: Sequence[Row]) -> list[Attachment]:
    if not rows:
        return []
    links = tx.all(
        "SELECT attachment_id, message_id FROM attachment_message WHERE attachment_id IN :ids"
        " ORDER BY message_id",
        ids=[row["id"] for row in rows],
    )
    found: dict[int, list[int]] = {}
    for row in links:
        found.setdefault(row["attachment_id"], []).append(row["message_id"])
    return [_attachment(row, found.get(row["id"], ())) for row in rows]


def _attachment(row: Row, message_ids: Sequence[int] = ()) -> Attachment:
    return Attachment(
        id=row["id"],
        realm_id=row["realm_id"],
        owner_id=row["owner_id"],
        upload_id=row["upload_id"],
        path_id=row["path_id"],
        name=row["name"],
        media=MediaInfo(row["content_type"], row["width"], row["height"], bool(row["is_animated"])),
        size=row["size"],
        created_at=row["created_at"],
        message_ids=tuple(message_ids),
    )
