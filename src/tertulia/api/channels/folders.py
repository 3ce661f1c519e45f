"""Channel folders: created, edited and ordered by administrators, listed for everybody."""

from typing import Annotated

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.events.types.channels.folders import FolderObject
from tertulia.http.parameter_rules import Id, MaxItems, MaxLength
from tertulia.http.replies import Reply

Name = Annotated[str, MaxLength(domain.limits.MAX_FOLDER_NAME_LENGTH)]
Description = Annotated[str, MaxLength(domain.limits.MAX_FOLDER_DESCRIPTION_LENGTH)]


class Folders(Reply):
    channel_folders: list[FolderObject]


class NewFolder(Reply):
    channel_folder_id: int


async def list_folders(call: Call, *, include_archived: bool = False) -> Folders:
    """List the channel folders, in order."""
    found = await call.db.read(storage.channels.folders.list_all)
    return Folders(
        channel_folders=[
            events.types.channels.folders.folder_object(folder)
            for folder in found
            if include_archived or not folder.archived
        ]
    )


async def create(call: Call, *, name: Name, description: Description) -> NewFolder:
    """Create a channel folder."""
    rendered = await actions.messages.draft.describe(call.author, description)
    folder_id = await call.db.write(
        actions.channels.folders.create, call.user, name, description, rendered
    )
    return NewFolder(channel_folder_id=folder_id)


async def edit(
    call: Call,
    channel_folder_id: int,
    *,
    name: Name | None = None,
    description: Description | None = None,
    is_archived: bool | None = None,
) -> None:
    """Change, archive or restore a channel folder."""
    described = None
    if description is not None:
        described = (
            description,
            await actions.messages.draft.describe(call.author, description),
        )
    await call.db.write(
        actions.channels.folders.edit, call.user, channel_folder_id, name, described, is_archived
    )


async def reorder(call: Call, *, order: Annotated[list[Id], MaxItems(10_000)]) -> None:
    """Reorder the channel folders."""
    await call.db.write(actions.channels.folders.reorder, call.user, order)
