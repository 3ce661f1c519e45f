"""Requested exports."""

from tertulia.database.tx import Tx
from tertulia.domain.organization.exports import RealmExport
from tertulia.storage.row_mapper import RowMapper

_EXPORTS = RowMapper(RealmExport, "realm_export")


def insert(
    tx: Tx,
    user_id: int,
    kind: str,
    channel_id: int | None = None,
    person_id: int | None = None,
    *,
    is_html: bool = False,
) -> int:
    return tx.insert_with_id(
        "realm_export",
        user_id=user_id,
        kind=kind,
        asked_at=tx.now,
        channel_id=channel_id,
        person_id=person_id,
        is_html=is_html,
    )


def list_all(tx: Tx) -> list[RealmExport]:
    """The exports of the organization and of its channels."""
    return [each for each in _EXPORTS.where(tx, "id") if each.person_id is None]


def of_people(tx: Tx, user_id: int) -> list[RealmExport]:
    """The exports of single users that a user has requested."""
    requested = _EXPORTS.where(tx, "id", user_id=user_id)
    return [each for each in requested if each.person_id is not None]


def find(tx: Tx, export_id: int) -> RealmExport | None:
    return _EXPORTS.find(tx, id=export_id)


def find_by_file(tx: Tx, attachment_id: int) -> RealmExport | None:
    """The export with this file, if there is one."""
    return _EXPORTS.find(tx, attachment_id=attachment_id)


def waiting(tx: Tx, given_up_before: float) -> list[tuple[int, int]]:
    """Exports that no server works on, as organization and id."""
    return tx.tuples(
        "SELECT realm_id, id FROM realm_export WHERE path_id IS NULL AND failed_at IS NULL"
        " AND deleted_at IS NULL AND (started_at IS NULL OR started_at < :before) ORDER BY id",
        before=given_up_before,
    )


def start(tx: Tx, export_id: int, given_up_before: float) -> bool:
    """Claim an export. Returns False if another server has."""
    taken = tx.execute(
        "UPDATE realm_export SET started_at = :now WHERE id = :id AND realm_id = :realm"
        " AND path_id IS NULL AND failed_at IS NULL"
        " AND (started_at IS NULL OR started_at < :before)",
        now=tx.now,
        id=export_id,
        before=given_up_before,
    )
    return taken > 0


def finish(tx: Tx, export_id: int, attachment_id: int, path_id: str) -> None:
    tx.update("realm_export", export_id, attachment_id=attachment_id, path_id=path_id)


def fail(tx: Tx, export_id: int) -> None:
    tx.update("realm_export", export_id, failed_at=tx.now)


def mark_deleted(tx: Tx, export_id: int) -> None:
    tx.update("realm_export", export_id, deleted_at=tx.now, attachment_id=None)
