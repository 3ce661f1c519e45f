"""Channel folders."""

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.channels.folders import Folder
from tertulia.storage.row_mapper import RowMapper

_FOLDERS = RowMapper(Folder, "channel_folder")


def find(tx: Tx, folder_id: int) -> Folder | None:
    return _FOLDERS.find(tx, id=folder_id)


def list_all(tx: Tx) -> list[Folder]:
    """All folders in their order, archived ones included."""
    return _FOLDERS.where(tx, "position, id")


def insert(
    tx: Tx, name: str, description: str, rendered_description: str, creator_id: int
) -> Folder:
    folder_id = tx.insert_with_id(
        "channel_folder",
        name=name,
        name_key=domain.channels.topics.fold(name),
        description=description,
        rendered_description=rendered_description,
        position=0,
        creator_id=creator_id,
        created_at=tx.now,
    )
    # A new folder is last: its id is larger than any position that was set.
    tx.execute("UPDATE channel_folder SET position = id WHERE id = :id", id=folder_id)
    folder = find(tx, folder_id)
    assert folder is not None
    return folder


def rename(tx: Tx, folder_id: int, name: str) -> None:
    tx.update("channel_folder", folder_id, name=name, name_key=domain.channels.topics.fold(name))


def describe(tx: Tx, folder_id: int, description: str, rendered_description: str) -> None:
    tx.update(
        "channel_folder",
        folder_id,
        description=description,
        rendered_description=rendered_description,
    )


def set_archived(tx: Tx, folder_id: int, archived: bool) -> None:
    tx.update("channel_folder", folder_id, archived=archived)


def set_order(tx: Tx, folder_ids: list[int]) -> None:
    for position, folder_id in enumerate(folder_ids):
        tx.update("channel_folder", folder_id, position=position)


def has_channels(tx: Tx, folder_id: int) -> bool:
    return tx.has_row("channel", folder_id=folder_id)
