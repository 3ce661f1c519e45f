"""Uploads whose bytes are in a store outside of the database; over all organizations."""

from tertulia.database.tx import Tx
from tertulia.domain.files.upload_locations import DATABASE, StoredUpload
from tertulia.storage.files import uploads
from tertulia.storage.files.uploads import TO_DELETE
from tertulia.storage.row_mapper import RowMapper

HOLD_SECONDS = 3600  # how long a hold lasts if it is not renewed


_UPLOADS = RowMapper(
    StoredUpload,
    alias="u",
    columns={"name": "stored_name", "size": "stored_bytes", "digest": "stored_digest"},
    readings={"place": lambda name: name or DATABASE},
)


# The files that are shown, and those that kept messages link.
_FILES = (
    "(SELECT upload_id, size FROM attachment"
    " UNION ALL SELECT upload_id, size FROM deleted_attachment)"
)


def of_attachment(tx: Tx, attachment_id: int) -> StoredUpload | None:
    """The upload that an attachment currently shows."""
    return _UPLOADS.one(
        tx,
        "FROM attachment a JOIN upload u ON u.id = a.upload_id"
        " WHERE a.id = :id AND a.realm_id = :realm",
        id=attachment_id,
    )


def of_kept_file(tx: Tx, attachment_id: int) -> StoredUpload | None:
    """The upload of a deleted file that is kept."""
    return _UPLOADS.one(
        tx,
        "FROM deleted_attachment a JOIN upload u ON u.id = a.upload_id"
        " WHERE a.id = :id AND a.realm_id = :realm",
        id=attachment_id,
    )


def in_stores(tx: Tx) -> list[StoredUpload]:
    """All uploads that attachments show and a store holds."""
    return _UPLOADS.all(
        tx, "FROM upload u WHERE u.place <> '' AND u.touched_at IS NULL ORDER BY u.id"
    )


def in_stores_of_organization(tx: Tx, limit: int) -> list[StoredUpload]:
    return _UPLOADS.all(
        tx,
        "FROM upload u WHERE u.place <> '' AND u.realm_id = :realm LIMIT :limit",
        limit=limit,
    )


def names(tx: Tx, store_name: str) -> set[str]:
    """All names that are in a store, being written there or to be deleted there."""
    return set(tx.column("SELECT stored_name FROM upload WHERE place = :place", place=store_name))


def counts(tx: Tx) -> dict[str, tuple[int, int]]:
    """The number of files and bytes in each store."""
    rows = tx.all(
        f"SELECT u.place, count(*) AS files, sum(a.size) AS size FROM {_FILES} a"
        " JOIN upload u ON u.id = a.upload_id GROUP BY u.place ORDER BY u.place"
    )
    return {row["place"] or DATABASE: (int(row["files"]), int(row["size"])) for row in rows}


# --- moving to another store ---


def next_to_migrate(
    tx: Tx, store_name: str, after: int, largest: int | None, *, only_from_database: bool
) -> StoredUpload | None:
    """The next file that is in the wrong store; an empty file may be anywhere."""
    where = "u.place = ''" if only_from_database else "u.place <> :place"
    row = tx.one(
        "SELECT u.id, u.realm_id, u.place, u.stored_name, a.size AS stored_bytes, u.stored_digest"
        f" FROM upload u JOIN {_FILES} a ON a.upload_id = u.id"
        f" WHERE {where} AND u.touched_at IS NULL AND u.id > :after AND a.size > 0"
        " AND (CAST(:largest AS BIGINT) IS NULL OR a.size <= :largest) ORDER BY u.id LIMIT 1",
        place="" if store_name == DATABASE else store_name,
        after=after,
        largest=largest,
    )
    return None if row is None else _UPLOADS.of(row)


def insert(tx: Tx, copy: StoredUpload) -> int:
    """Record a file before it is written to a store, so that it is never orphaned there."""
    upload_id = uploads.insert(tx)
    tx.update(
        "upload",
        upload_id,
        place="" if copy.place == DATABASE else copy.place,
        stored_name=copy.name,
        stored_bytes=copy.size,
        stored_digest=copy.digest,
    )
    return upload_id


def replace(tx: Tx, old_id: int, new_id: int) -> bool:
    """Show the copy from now on, and sweep the original. Returns whether it was still wanted."""
    if not uploads.finish(tx, new_id):
        return False
    wanted = sum(
        tx.execute(
            f"UPDATE {table} SET upload_id = :new WHERE upload_id = :old AND realm_id = :realm",
            new=new_id,
            old=old_id,
        )
        for table in ("attachment", "deleted_attachment")
    )
    uploads.mark_for_deletion(tx, old_id if wanted else new_id)
    return wanted > 0


# --- sweeping ---


def list_to_delete(tx: Tx, limit: int) -> list[StoredUpload]:
    """Some files to delete; none while a backup holds them."""
    if tx.one(
        "SELECT 1 AS found FROM file_hold WHERE touched_at > :lapsed LIMIT 1",
        lapsed=tx.now - HOLD_SECONDS,
    ):
        return []
    return _UPLOADS.all(
        tx,
        "FROM upload u WHERE u.touched_at = :to_delete AND u.place <> ''"
        " ORDER BY u.id LIMIT :limit",
        to_delete=TO_DELETE,
        limit=limit,
    )


def clear(tx: Tx, upload_id: int) -> None:
    """The bytes are deleted: what remains is an empty upload, which is swept later."""
    tx.update("upload", upload_id, place="", stored_name="", stored_bytes=0, stored_digest="")


# --- holds of backups ---


def hold(tx: Tx) -> int:
    tx.execute("DELETE FROM file_hold WHERE touched_at < :lapsed", lapsed=tx.now - HOLD_SECONDS)
    return tx.number(
        "INSERT INTO file_hold (realm_id, touched_at) SELECT min(id), :now FROM realm"
        " RETURNING id AS value",
        now=tx.now,
    )


def renew_hold(tx: Tx, hold_id: int) -> None:
    tx.execute("UPDATE file_hold SET touched_at = :now WHERE id = :id", now=tx.now, id=hold_id)


def release_hold(tx: Tx, hold_id: int) -> None:
    tx.execute("DELETE FROM file_hold WHERE id = :id", id=hold_id)
