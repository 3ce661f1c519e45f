"""Channels and subscriptions."""

import re
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from tertulia.domain import limits, names
from tertulia.domain.groups.group import GroupValue
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
COUNTED_DAYS = 28  # period over which the traffic of a channel is averaged

_COLOR = re.compile(r"#[0-9a-fA-F]{3,6}")


class Channel(msgspec.Struct, frozen=True):
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
    weekly_traffic: int | None = None
    recently_active: bool = True
    allows_summaries: bool = True  # of its topics, by the operator's language model
    slow_mode_seconds: int = 0  # between two messages of a user
    slow_mode_until: float | None = None  # slow mode ends by itself

    def slow_mode_seconds_at(self, now: float) -> int:
        """The seconds between two messages of a user; 0 without slow mode."""
        ended = self.slow_mode_until is not None and self.slow_mode_until <= now
        return 0 if ended else self.slow_mode_seconds

    @property
    def is_public(self) -> bool:
        return not self.invite_only

    @property
    def openness(self) -> str:
        """The privacy of the channel, as named in notices."""
        if self.is_web_public:
            return "Web-public"
        if not self.invite_only:
            return "Public"
        return "Private, shared history" if self.history_public else "Private, protected history"

    @property
    def access_rule(self) -> "AccessRule":
        named = {name: self.permissions[name] for name in ACCESS_RULE_PERMISSIONS}
        return AccessRule(self.invite_only, self.is_web_public, named)

    def with_access_rule(self, rule: "AccessRule") -> "Channel":
        """The same channel with another access rule."""
        return replace(
            self,
            invite_only=rule.invite_only,
            is_web_public=rule.is_web_public,
            permissions={**self.permissions, **rule.permissions},
        )


# The permissions by which a user may see a channel without a subscription.
ACCESS_RULE_PERMISSIONS = (
    "can_add_subscribers_group",
    "can_administer_channel_group",
    "can_subscribe_group",
)


class AccessRule(msgspec.Struct, frozen=True):
    """Everything in a channel, except subscriptions, that decides who may see it."""

    invite_only: bool
    is_web_public: bool
    permissions: dict[str, GroupValue]


class Subscription(NamedTuple):
    """One user's subscription to one channel, with their settings for it."""

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

    @property
    def personal(self) -> tuple[Any, ...]:
        """The settings only, from the color on."""
        return self[3:]

    def chosen(self) -> dict[str, Any]:
        """The settings that differ from the defaults."""
        return {
            name: value
            for name, value in zip(self._fields[3:], self.personal, strict=True)
            if name not in self._field_defaults or value != self._field_defaults[name]
        }


class NewChannel(msgspec.Struct, frozen=True):
    """The parameters of a channel to create."""

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
    allows_summaries: bool = True
    permissions: dict[str, GroupValue] | None = None

    def shares_history(self) -> bool:
        """Always in public channels; in private ones if requested."""
        return not self.invite_only or bool(self.history_public)


def checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadRequest("Channel name can't be empty.", problem="channel-name-empty")
    if len(name) > limits.MAX_CHANNEL_NAME_LENGTH:
        raise BadRequest(
            "Channel name too long (limit: {limit} characters).",
            problem="channel-name-too-long",
            limit=limits.MAX_CHANNEL_NAME_LENGTH,
        )
    names.check(name, "channel name")
    return name


def checked_color(text: str) -> str | None:
    """A color as it is stored, `#rrggbb` in lower case; None if the text is not a color."""
    if _COLOR.fullmatch(text) is None:
        return None
    digits = text[1:].lower()
    if len(digits) in (3, 4):  # one digit for each of red, green and blue
        digits = "".join(digit * 2 for digit in digits[:3])
    return f"#{digits[:6]:0<6}"


def average_week(recent: int, age_days: int) -> int | None:
    """Messages in an average week, rounded to two digits; None in a channel's first week.

    `recent` is the number of messages in the last four weeks, or since the channel was created.
    """
    if age_days < 7:
        return None
    average = recent // 4 if age_days >= COUNTED_DAYS else recent * 7 // age_days
    if not average:
        return min(recent, 1)
    unit: int = 10 ** max(0, len(str(average)) - 2)
    return round(average / unit) * unit


def next_color(taken: set[str]) -> str:
    """The first unused color. When all are used, they repeat."""
    for color in COLORS:
        if color not in taken:
            return color
    return COLORS[len(taken) % len(COLORS)]
