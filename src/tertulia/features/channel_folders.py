"""Channel folders: named groups of channels. Administrators manage them, all users see them.

The core knows only in which folder a channel is.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import FolderNotFound
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import Example, Id, MaxItems, MaxLength
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import CreationTime, CreatorId, ListPosition

MAX_FOLDERS = 1000  # per organization

Name = Annotated[
    str,
    MaxLength(domain.limits.MAX_FOLDER_NAME_LENGTH),
    Doc("The name of the folder.", example="Kitchen"),
]
Description = Annotated[
    str,
    MaxLength(domain.limits.MAX_FOLDER_DESCRIPTION_LENGTH),
    Doc("The description.", example="What we cook"),
]
FolderId = Annotated[int, Doc("The id of the folder.", example=2)]
IsArchived = Annotated[bool, Doc("Whether the folder is archived.")]
NameText = Annotated[str, Doc("The name of the folder.")]
DescriptionText = Annotated[str, Doc("The description.")]
DescriptionHtml = Annotated[str, Doc("The description as HTML.")]


class Folder(Record, frozen=True, table="channel_folder"):
    id: int
    name: str
    description: str
    rendered_description: str
    position: int
    creator_id: int | None
    created_at: float
    archived: bool


def checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadRequest("Channel folder name can't be empty.", problem="folder-name-empty")
    domain.names.check(name, "channel folder name")
    return name


def get(tx: Tx, folder_id: int) -> Folder:
    folder = Folder.find(tx, id=folder_id)
    if folder is None:
        raise FolderNotFound()
    return folder


def list_all(tx: Tx) -> list[Folder]:
    """All folders in their order, archived ones included."""
    return Folder.where(tx, "position, id")


def is_taken(tx: Tx, name: str, but_for: int | None = None) -> bool:
    others = (each for each in list_all(tx) if not each.archived and each.id != but_for)
    return domain.names.is_like_one_of(name, [each.name for each in others])


def insert(tx: Tx, name: str, **columns: Any) -> int:
    folder_id = Folder.insert(
        tx, name=name, name_key=domain.channels.topics.fold(name), position=0, **columns
    )
    # A new folder is last: its id is larger than any position that was set.
    Folder.update(tx, folder_id, position=folder_id)
    return folder_id


# --- events ---


class FolderObject(msgspec.Struct, kw_only=True):
    id: FolderId
    name: NameText
    description: DescriptionText
    rendered_description: DescriptionHtml
    order: ListPosition
    creator_id: CreatorId | None
    date_created: CreationTime
    is_archived: IsArchived


def folder_object(folder: Folder) -> FolderObject:
    return FolderObject(
        id=folder.id,
        name=folder.name,
        description=folder.description,
        rendered_description=folder.rendered_description,
        order=folder.position,
        creator_id=folder.creator_id,
        date_created=int(folder.created_at),
        is_archived=folder.archived,
    )


class FolderAdded(Event, frozen=True, kind="folder_added"):
    folder: FolderObject

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["add"]
        channel_folder: Annotated[FolderObject, Doc("The folder of channels.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", self.folder)


class FolderChanges(msgspec.Struct):
    """The changed members of a folder."""

    name: NameText | UnsetType = UNSET
    description: DescriptionText | UnsetType = UNSET
    rendered_description: DescriptionHtml | UnsetType = UNSET
    is_archived: IsArchived | UnsetType = UNSET


class FolderChanged(Event, frozen=True, kind="folder_changed"):
    """One property of a folder changed. A description comes with its HTML."""

    folder_id: int
    data: dict[str, Any]

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["update"]
        channel_folder_id: FolderId
        data: Annotated[FolderChanges, Doc("The changed fields.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("update", self.folder_id, FolderChanges(**self.data))


class FoldersReordered(Event, frozen=True, kind="folders_reordered"):
    order: list[int]

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["reorder"]
        order: Annotated[list[int], Doc("Ids of all folders, in the new order.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("reorder", self.order)


# --- actions ---


def add(tx: Tx, user: User, name: str, description: str, rendered: str) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    if Folder.count(tx) >= MAX_FOLDERS:
        raise TooMany("channel folders", MAX_FOLDERS)
    folder_id = insert(
        tx,
        _free_name(tx, name),
        description=description,
        rendered_description=rendered,
        creator_id=user.id,
        created_at=tx.now,
    )
    events.log.announce(tx, FolderAdded(folder_object(get(tx, folder_id))), to=Everyone())
    return folder_id


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
        name = _free_name(tx, name, but_for=folder.id)
        if name != folder.name:
            key = domain.channels.topics.fold(name)
            Folder.update(tx, folder.id, name=name, name_key=key)
            _announce(tx, folder, name=name)
    if description is not None and description[0] != folder.description:
        text, rendered = description
        Folder.update(tx, folder.id, description=text, rendered_description=rendered)
        _announce(tx, folder, description=text, rendered_description=rendered)
    if archived is not None and archived != folder.archived:
        _archive(tx, get(tx, folder_id), archived)


def set_order(tx: Tx, user: User, order: list[int]) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    if sorted(order) != sorted(folder.id for folder in list_all(tx)):
        raise BadRequest("Invalid order mapping.", problem="invalid-order")
    for position, folder_id in enumerate(order):
        Folder.update(tx, folder_id, position=position)
    events.log.announce(tx, FoldersReordered(order), to=Everyone())


def _archive(tx: Tx, folder: Folder, archived: bool) -> None:
    if archived and tx.has_row("channel", folder_id=folder.id):
        raise BadRequest(
            "You need to remove all the channels from this folder to archive it.",
            problem="folder-not-empty",
        )
    if not archived:
        _free_name(tx, folder.name, but_for=folder.id)
    Folder.update(tx, folder.id, archived=archived)
    _announce(tx, folder, is_archived=archived)


def _free_name(tx: Tx, name: str, but_for: int | None = None) -> str:
    name = checked_name(name)
    if is_taken(tx, name, but_for):
        raise BadRequest("Channel folder name already in use", problem="folder-name-taken")
    return name


def _announce(tx: Tx, folder: Folder, **data: Any) -> None:
    events.log.announce(tx, FolderChanged(folder.id, data), to=Everyone())


# --- endpoints ---


class Folders(Reply):
    channel_folders: Annotated[list[FolderObject], Doc("The folders, in their order.")]


class NewFolder(Reply):
    channel_folder_id: FolderId


async def fetch(
    call: Call,
    *,
    include_archived: Annotated[bool, Doc("Whether to include archived ones.")] = False,
) -> Folders:
    """List the channel folders, in order."""
    found = await call.db.read(list_all)
    shown = [each for each in found if include_archived or not each.archived]
    return Folders(channel_folders=[folder_object(each) for each in shown])


async def create(call: Call, *, name: Name, description: Description) -> NewFolder:
    """Create a channel folder."""
    rendered = await actions.messages.draft.describe(call.author, description)
    folder_id = await call.db.write(add, call.user, name, description, rendered)
    return NewFolder(channel_folder_id=folder_id)


async def update(
    call: Call,
    channel_folder_id: FolderId,
    *,
    name: Name | None = None,
    description: Annotated[Description | None, Example("Rooms")] = None,
    is_archived: IsArchived | None = None,
) -> None:
    """Change, archive or restore a channel folder."""
    described = None
    if description is not None:
        rendered = await actions.messages.draft.describe(call.author, description)
        described = description, rendered
    await call.db.write(edit, call.user, channel_folder_id, name, described, is_archived)


async def reorder(
    call: Call,
    *,
    order: Annotated[list[Id], MaxItems(10_000), Doc("The ids in the new order.", example=[2])],
) -> None:
    """Reorder the channel folders."""
    await call.db.write(set_order, call.user, order)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for each in list_all(tx):
        yield {
            "id": each.id,
            "realm": tx.realm_id,
            "name": each.name,
            "description": each.description,
            "rendered_description": each.rendered_description,
            "order": each.position,
            "is_archived": each.archived,
            "creator": each.creator_id,
            "date_created": each.created_at,
        }


FEATURE = Feature(
    register={
        "channel_folders": ListedPart(
            Folder.table,
            of_all_users=list_all,
            to_wire=folder_object,
            doc="The folders of channels, in their order.",
        )
    },
    exports={"zerver_channelfolder": _exported},
    stays_after_erasure=[(Folder.table, "creator_id")],
    audit={"channels": ["% /channel_folders%"]},
)
