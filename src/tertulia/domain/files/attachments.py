"""Uploaded files: their names, paths and types.

Neither the name nor the type that a client sends is trusted. A name becomes part of a URL only
after `path_name`, and browsers display only the types in `SHOWN`.
"""

import mimetypes
import re
import secrets
import unicodedata
from urllib.parse import unquote

import msgspec

from tertulia.domain.people.user import User

PIECE_BYTES = 1 << 18  # a file is stored in pieces of this size
MAX_NAME_LENGTH = 100  # characters
MAX_EXTENSION_LENGTH = 20
NAMELESS = "uploaded-file"
PREFIX = "/user_uploads/"

BYTES = "application/octet-stream"

# The maximum size of thumbnails, and their file names.
THUMBNAIL_SIZE = (840, 560)
THUMBNAIL = "840x560.webp"
ANIMATED_THUMBNAIL = "840x560-anim.webp"

# Types that browsers display without running any content.
SHOWN = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"),
        *("audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav"),
        *("audio/webm", "video/mp4", "video/ogg", "video/quicktime", "video/webm"),
        *("application/pdf", "text/plain"),
    }
)

_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,50}/[a-z0-9][a-z0-9.+-]{0,80}", re.ASCII)
_SEPARATORS = re.compile(r"[/\\]")
_NOT_IN_PATHS = re.compile(r"[^\w.\s-]")
_GAPS = re.compile(r"[\s-]+")
_known_types = mimetypes.MimeTypes()  # Python's own table, independent of this machine
for _type, _extension in (
    ("image/webp", ".webp"),
    ("audio/flac", ".flac"),
    ("audio/mp4", ".m4a"),
    ("audio/ogg", ".ogg"),
    ("video/mp4", ".m4v"),
    ("text/plain", ".md"),
):
    _known_types.add_type(_type, _extension)


class Quota(msgspec.Struct, frozen=True):
    """The total size of files; 0 means unlimited."""

    organization_mib: int = 0
    person_mib: int = 0  # including their bots


def person_of(owner: User) -> int:
    """The user whose quota a file counts against: a bot's owner for a bot."""
    return owner.id if owner.bot_owner_id is None else owner.bot_owner_id


class MediaInfo(msgspec.Struct, frozen=True):
    """The detected type of a file. Only an image that can be displayed has a size."""

    content_type: str
    width: int = 0
    height: int = 0
    is_animated: bool = False


class Attachment(msgspec.Struct, frozen=True):
    id: int
    realm_id: int
    owner_id: int
    upload_id: int
    path_id: str  # the URL path after /user_uploads/
    name: str
    media: MediaInfo
    size: int
    created_at: float
    message_ids: tuple[int, ...] = ()  # messages that link it; only if requested

    @property
    def shown_type(self) -> str:
        """The content type for browsers: plain bytes unless it can be displayed safely."""
        return self.media.content_type if self.media.content_type in SHOWN else BYTES

    @property
    def url(self) -> str:
        return PREFIX + self.path_id

    @property
    def thumbnail_url(self) -> str:
        """The path of the thumbnail; empty if the file is not an image."""
        if not self.media.width:
            return ""
        shape = ANIMATED_THUMBNAIL if self.media.is_animated else THUMBNAIL
        return f"{PREFIX}thumbnail/{self.path_id}/{shape}"


def shown_name(filename: str) -> str:
    """The name of a file without folders and invisible characters."""
    last = _SEPARATORS.split(unicodedata.normalize("NFC", filename))[-1]
    return _cut("".join(filter(str.isprintable, last)).strip()) or NAMELESS


def path_name(name: str) -> str:
    """The name in a URL: letters and digits of any script, `.`, `_` and `-`."""
    plain = _GAPS.sub("-", _NOT_IN_PATHS.sub("", unicodedata.normalize("NFKC", name)))
    stem, dot, extension = plain.strip("-_").rpartition(".")
    if not dot:
        stem, extension = extension, ""
    stem = stem.strip("-_.") or NAMELESS
    return _cut(f"{stem}.{extension}" if extension else stem)


def new_path_id(realm_id: int, name: str) -> str:
    """A path that cannot be guessed."""
    return f"{realm_id}/{secrets.randbelow(256):x}/{secrets.token_urlsafe(18)}/{path_name(name)}"


def linked_path_id(written: str) -> str:
    """The file that a link points to."""
    return unquote(written.partition("?")[0].partition("#")[0])


def known_type(declared: str, name: str) -> str:
    """The type that the client declares or, if it does not, the type suggested by the name."""
    plain = declared.partition(";")[0].strip().lower()
    if plain != BYTES and _TYPE.fullmatch(plain):
        return plain
    return _known_types.guess_type(f"x{name[-MAX_EXTENSION_LENGTH:]}")[0] or BYTES


def _cut(name: str) -> str:
    """A name of limited length that keeps its extension."""
    if len(name) <= MAX_NAME_LENGTH:
        return name
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension) > MAX_EXTENSION_LENGTH:
        return name[:MAX_NAME_LENGTH]
    return f"{stem[: MAX_NAME_LENGTH - len(extension) - 1]}.{extension}"
