"""Where the bytes of an uploaded file are: in the database or in an external store."""

import re
import secrets

import msgspec

DATABASE, FOLDER, S3 = "database", "folder", "s3"
UNFINISHED = ".part"  # suffix of files that are not completely written

_OURS = re.compile(r"[0-9]+/([0-9a-f]{2})/\1[0-9a-f]{30}")


class StoredUpload(msgspec.Struct, frozen=True):
    """An upload and the location of its bytes."""

    id: int
    realm_id: int
    place: str
    name: str = ""  # its name in the store
    size: int = 0
    digest: str = ""  # SHA-256; set for files in a store


def new_name(realm_id: int) -> str:
    """A name in a store that was never used before, not even by a copy of this database."""
    name = secrets.token_hex(16)
    return f"{realm_id}/{name[:2]}/{name}"


def is_of_a_server(name: str) -> bool:
    """Whether a Tertulia server created this name; others may use the same store."""
    return _OURS.fullmatch(name.removesuffix(UNFINISHED)) is not None
