"""Channel folders in API format, and their events."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia.domain.channels.folders import Folder
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class FolderObject(msgspec.Struct, kw_only=True):
    id: int
    name: str
    description: str
    rendered_description: str
    order: int
    creator_id: int | None
    date_created: int
    is_archived: bool


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
    types: ClassVar[tuple[str, ...]] = ("channel_folder",)

    folder: FolderObject

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "add", "channel_folder": self.folder}


class FolderChanged(Event, frozen=True):
    """One property of a folder changed. A description comes with its HTML."""

    kind: ClassVar[str] = "folder_changed"
    types: ClassVar[tuple[str, ...]] = ("channel_folder",)

    folder_id: int
    data: dict[str, Any]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update", "channel_folder_id": self.folder_id, "data": self.data}


class FoldersReordered(Event, frozen=True):
    kind: ClassVar[str] = "folders_reordered"
    types: ClassVar[tuple[str, ...]] = ("channel_folder",)

    order: list[int]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "reorder", "order": self.order}
