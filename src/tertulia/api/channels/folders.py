"""Channel folders: created, edited and ordered by administrators, listed for everybody."""

from typing import Annotated

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.events.types.channels.folders import FolderId, FolderObject, IsArchived
from tertulia.http.parameter_rules import Id, MaxItems, MaxLength
from tertulia.http.replies import Reply
from tertulia.wire import Doc

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


class Folders(Reply):
    channel_folders: Annotated[list[FolderObject], Doc("The folders, in their order.")]


class NewFolder(Reply):
    channel_folder_id: FolderId


async def list_folders(
    call: Call,
    *,
    include_archived: Annotated[bool, Doc("Whether to include archived ones.")] = False,
) -> Folders:
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
    channel_folder_id: FolderId,
    *,
    name: Name | None = None,
    description: Description | None = None,
    is_archived: IsArchived | None = None,
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


async def reorder(
    call: Call,
    *,
    order: Annotated[list[Id], MaxItems(10_000), Doc("The ids in the new order.", example=[2])],
) -> None:
    """Reorder the channel folders."""
    await call.db.write(actions.channels.folders.reorder, call.user, order)
