"""Channel folders: named groups of channels."""

import msgspec

from tertulia import domain
from tertulia.errors import BadRequest


class Folder(msgspec.Struct, frozen=True):
    id: int
    name: str
    description: str
    rendered_description: str
    position: int
    creator_id: int | None
    created_at: float
    archived: bool


def checked_folder_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadRequest("Channel folder name can't be empty.", problem="folder-name-empty")
    domain.names.check(name, "channel folder name")
    return name
