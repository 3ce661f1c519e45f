"""Folders: names under which channels stand together."""

from dataclasses import dataclass

from tertulia import domain
from tertulia.errors import BadRequest


@dataclass(frozen=True, slots=True)
class Folder:
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
        raise BadRequest("Channel folder name can't be empty.")
    position = domain.names.first_bad_character(name)
    if position is not None:
        raise BadRequest(f"Invalid character in channel folder name, at position {position}.")
    return name
