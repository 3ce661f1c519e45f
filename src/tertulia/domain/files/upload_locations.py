"""Where the bytes of an uploaded file can be: in the database, or in a store outside of it."""

import re
import secrets

import msgspec

DATABASE, FOLDER, S3 = "database", "folder", "s3"
UNFINISHED = ".part"  # how the name of a file ends that was not put as a whole

_OURS = re.compile(r"[0-9]+/([0-9a-f]{2})/\1[0-9a-f]{30}")


class StoredUpload(msgspec.Struct, frozen=True):
    """One upload, and where its bytes are."""

    id: int
    realm_id: int
    place: str
    name: str = ""  # what it is called in its store
    size: int = 0
    digest: str = ""  # SHA-256; known of what is in a store


def new_name(realm_id: int) -> str:
    """A name in a store that was never used before, nor by a copy of this database."""
    name = secrets.token_hex(16)
    return f"{realm_id}/{name[:2]}/{name}"


def is_of_a_server(name: str) -> bool:
    """Whether some server gave a file this name; others may keep theirs in the same store."""
    return _OURS.fullmatch(name.removesuffix(UNFINISHED)) is not None
