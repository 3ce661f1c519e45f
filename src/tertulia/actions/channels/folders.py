"""Channel folders, which administrators manage."""

from typing import Any

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.folders import Folder
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone
from tertulia.events.types.channels.folders import FolderAdded, FolderChanged, FoldersReordered


def get(tx: Tx, folder_id: int) -> Folder:
    folder = storage.channels.folders.find(tx, folder_id)
    if folder is None:
        raise BadRequest("Invalid channel folder ID", problem="invalid-channel-folder-id")
    return folder


def create(tx: Tx, user: User, name: str, description: str, rendered: str) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    if len(storage.channels.folders.list_all(tx)) >= domain.limits.MAX_FOLDERS:
        raise BadRequest(
            "Too many channel folders (limit: {limit})",
            problem="too-many",
            limit=domain.limits.MAX_FOLDERS,
        )
    name = _free_name(tx, name)
    folder = storage.channels.folders.insert(tx, name, description, rendered, user.id)
    events.log.announce(
        tx, FolderAdded(events.types.channels.folders.folder_object(folder)), to=Everyone()
    )
    return folder.id


def edit(
    tx: Tx,
    user: User,
    folder_id: int,
    name: str | None,
    description: tuple[str, str] | None,
    archived: bool | None,
) -> None:
    """Apply the given changes. A description comes with its HTML."""
    actions.groups.permissions.require_administrator(tx, user)
    folder = get(tx, folder_id)
    if name is not None:
        _rename(tx, folder, name)
    if description is not None and description[0] != folder.description:
        text, rendered = description
        storage.channels.folders.describe(tx, folder.id, text, rendered)
        _announce(tx, folder, description=text, rendered_description=rendered)
    if archived is not None and archived != folder.archived:
        _archive(tx, get(tx, folder_id), archived)


def reorder(tx: Tx, user: User, order: list[int]) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    if sorted(order) != sorted(folder.id for folder in storage.channels.folders.list_all(tx)):
        raise BadRequest("Invalid order mapping.", problem="invalid-order")
    storage.channels.folders.set_order(tx, order)
    events.log.announce(tx, FoldersReordered(order), to=Everyone())


def _rename(tx: Tx, folder: Folder, name: str) -> None:
    name = _free_name(tx, name, but_for=folder)
    if name != folder.name:
        storage.channels.folders.rename(tx, folder.id, name)
        _announce(tx, folder, name=name)


def _archive(tx: Tx, folder: Folder, archived: bool) -> None:
    if archived and storage.channels.folders.has_channels(tx, folder.id):
        raise BadRequest(
            "You need to remove all the channels from this folder to archive it.",
            problem="folder-not-empty",
        )
    if not archived:
        _free_name(tx, folder.name, but_for=folder)
    storage.channels.folders.set_archived(tx, folder.id, archived)
    _announce(tx, folder, is_archived=archived)


def _free_name(tx: Tx, name: str, but_for: Folder | None = None) -> str:
    name = domain.channels.folders.checked_folder_name(name)
    others = [
        each.name
        for each in storage.channels.folders.list_all(tx)
        if not each.archived and (but_for is None or each.id != but_for.id)
    ]
    if domain.names.is_like_one_of(name, others):
        raise BadRequest("Channel folder name already in use", problem="folder-name-taken")
    return name


def _announce(tx: Tx, folder: Folder, **data: Any) -> None:
    events.log.announce(tx, FolderChanged(folder.id, data), to=Everyone())
