"""Channels: what one is, and who may see it and read it."""

from dataclasses import dataclass, fields
from typing import Any

from tertulia.domain import limits
from tertulia.domain.groups import GroupValue
from tertulia.domain.topics import first_bad_character
from tertulia.errors import BadRequest

COLORS = [
    "#76ce90",
    "#fae589",
    "#a6c7e5",
    "#e79ab5",
    "#bfd56f",
    "#f4ae55",
    "#b0a5fd",
    "#addfe5",
    "#f5ce6e",
    "#c2726a",
    "#94c849",
    "#bd86e5",
    "#ee7e4a",
    "#a6dcbf",
    "#95a5fd",
    "#53a063",
    "#9987e1",
    "#e4523d",
    "#c2c2c2",
    "#4f8de4",
    "#c6a8ad",
    "#e7cc4d",
    "#c8bebf",
    "#a47462",
]

RECENTLY_SECONDS = 180 * 86_400
FOREVER = -1


@dataclass(frozen=True, slots=True)
class Channel:
    id: int
    realm_id: int
    name: str
    description: str
    rendered_description: str
    created_at: float
    creator_id: int | None
    invite_only: bool
    is_web_public: bool
    history_public: bool
    archived: bool
    is_default: bool
    folder_id: int | None
    first_message_id: int | None
    last_message_at: float | None
    retention_days: int | None
    topics_policy: str
    default_push: bool
    permissions: dict[str, GroupValue]

    @property
    def is_public(self) -> bool:
        return not self.invite_only

    def is_recently_active(self, now: float) -> bool:
        return now - (self.last_message_at or self.created_at) < RECENTLY_SECONDS


@dataclass(frozen=True, slots=True)
class Subscription:
    """One user's place in one channel, with the settings that are theirs alone."""

    channel_id: int
    user_id: int
    active: bool
    color: str
    is_muted: bool = False
    pin_to_top: bool = False
    desktop_notifications: bool | None = None
    audible_notifications: bool | None = None
    push_notifications: bool | None = None
    email_notifications: bool | None = None
    wildcard_mentions_notify: bool | None = None

    def chosen(self) -> dict[str, Any]:
        """The personal settings, as far as they are not what everybody starts with."""
        return {
            each.name: value
            for each in fields(self)[3:]
            if (value := getattr(self, each.name)) != each.default
        }


@dataclass(frozen=True, slots=True)
class NewChannel:
    """What a channel is to be, as asked for by the one who creates it."""

    name: str
    description: str = ""
    invite_only: bool = False
    is_web_public: bool = False
    is_default: bool = False
    history_public: bool | None = None
    retention_days: int | None = None
    topics_policy: str = "inherit"
    folder_id: int | None = None
    default_push: bool = False
    permissions: dict[str, GroupValue] | None = None

    def shares_history(self) -> bool:
        """Public channels always do; private ones only if asked to."""
        return not self.invite_only or bool(self.history_public)


def checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadRequest("Channel name can't be empty.")
    if len(name) > limits.CHANNEL_NAME_LENGTH:
        raise BadRequest(f"Channel name too long (limit: {limits.CHANNEL_NAME_LENGTH} characters).")
    position = first_bad_character(name)
    if position is not None:
        raise BadRequest(f"Invalid character in channel name, at position {position}.")
    return name


def next_color(taken: set[str]) -> str:
    """The first colour not used yet; when all are, they go round again."""
    for color in COLORS:
        if color not in taken:
            return color
    return COLORS[len(taken) % len(COLORS)]


def slug(channel_id: int, name: str) -> str:
    """How a channel is written in the address of a message."""
    return f"{channel_id}-{encode_for_link(name.replace(' ', '-'))}"


def encode_for_link(text: str) -> str:
    """Percent-encoding as clients expect it in a fragment: with a dot for the percent sign."""
    encoded = []
    for byte in text.encode():
        char = chr(byte)
        if byte < 128 and (char.isalnum() or char in "-_~"):
            encoded.append(char)
        else:
            encoded.append(f".{byte:02X}")
    return "".join(encoded)
