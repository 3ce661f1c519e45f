"""Channel folders in API format, and their events."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.channels.folders import Folder
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import CreationTime, CreatorId, ListPosition

IsArchived = Annotated[bool, Doc("Whether the folder is archived.")]
FolderId = Annotated[int, Doc("The id of the folder.", example=2)]
DescriptionHtml = Annotated[str, Doc("The description as HTML.")]
DescriptionText = Annotated[str, Doc("The description.")]
Name = Annotated[str, Doc("The name of the folder.")]


class FolderObject(msgspec.Struct, kw_only=True):
    id: FolderId
    name: Name
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


class FolderAdded(Event, frozen=True):
    kind: ClassVar[str] = "folder_added"

    folder: FolderObject

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["add"]
        channel_folder: Annotated[FolderObject, Doc("The folder of channels.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", self.folder)


class FolderChanges(msgspec.Struct):
    """The changed members of a folder."""

    name: Name | UnsetType = UNSET
    description: DescriptionText | UnsetType = UNSET
    rendered_description: DescriptionHtml | UnsetType = UNSET
    is_archived: IsArchived | UnsetType = UNSET


class FolderChanged(Event, frozen=True):
    """One property of a folder changed. A description comes with its HTML."""

    kind: ClassVar[str] = "folder_changed"

    folder_id: int
    data: dict[str, Any]

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["update"]
        channel_folder_id: FolderId
        data: Annotated[FolderChanges, Doc("The changed fields.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("update", self.folder_id, FolderChanges(**self.data))


class FoldersReordered(Event, frozen=True):
    kind: ClassVar[str] = "folders_reordered"

    order: list[int]

    class Wire(WireEvent, tag="channel_folder"):
        op: Literal["reorder"]
        order: Annotated[list[int], Doc("Ids of all folders, in the new order.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("reorder", self.order)
