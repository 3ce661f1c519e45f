"""Custom emoji of an organization."""

import re

import msgspec

from tertulia.domain import limits
from tertulia.errors import BadRequest

_NAME = re.compile(r"[0-9a-z _-]+")


class CustomEmoji(msgspec.Struct, frozen=True):
    """A custom emoji. Its images are stored separately."""

    id: int
    realm_id: int
    name: str
    author_id: int
    deactivated: bool
    file_name: str
    still_name: str | None = None

    @property
    def source_url(self) -> str:
        return f"/user_avatars/{self.realm_id}/emoji/images/{self.file_name}"

    @property
    def still_url(self) -> str | None:
        """The URL of the first frame, for an animated one."""
        if self.still_name is None:
            return None
        return f"/user_avatars/{self.realm_id}/emoji/images/still/{self.still_name}"


def checked_emoji_name(name: str) -> str:
    """The name as it is stored: with underscores for spaces."""
    if len(name) > limits.MAX_EMOJI_NAME_LENGTH:
        raise BadRequest(
            "emoji_name is too long (limit: {limit} characters)",
            problem="text-too-long",
            limit=limits.MAX_EMOJI_NAME_LENGTH,
        )
    if _NAME.fullmatch(name) is None:
        raise BadRequest(
            "Emoji names must contain only lowercase English letters, digits, spaces, dashes,"
            " and underscores.",
            problem="emoji-name-characters",
        )
    name = name.replace(" ", "_")
    if name[-1] in "-_":
        raise BadRequest(
            "Emoji names must end with either a letter or digit.", problem="emoji-name-ending"
        )
    return name
