"""User statuses: a short text and an emoji, and when they end."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia.wire import Doc, EmojiType
from tertulia.wire_fields import Away, EmojiCode, EmojiName, StatusText


class Status(msgspec.Struct, frozen=True):
    """An empty text means not set. Without text and emoji there is no end."""

    status_text: str = ""
    emoji_name: str = ""
    emoji_code: str = ""
    reaction_type: str = ""
    ends_at: float | None = None

    def with_changes(self, changes: dict[str, Any]) -> "Status":
        changed = replace(self, **changes)
        if not changed.emoji_name:
            changed = replace(changed, reaction_type="")
        return changed if changed.status_text or changed.emoji_name else Status()

    def shown(self, away: bool) -> "StatusObject":
        has_emoji = bool(self.emoji_name)
        return StatusObject(
            away=True if away else UNSET,
            status_text=self.status_text or UNSET,
            emoji_name=self.emoji_name or UNSET,
            emoji_code=self.emoji_code if has_emoji else UNSET,
            reaction_type=self.reaction_type if has_emoji else UNSET,
            ends_at=UNSET if self.ends_at is None else int(self.ends_at),
        )


class StatusObject(msgspec.Struct, frozen=True, kw_only=True):
    """A status in API format: only the parts that are set."""

    away: Away | UnsetType = UNSET
    status_text: StatusText | UnsetType = UNSET
    emoji_name: EmojiName | UnsetType = UNSET
    emoji_code: EmojiCode | UnsetType = UNSET
    reaction_type: EmojiType | UnsetType = UNSET
    ends_at: Annotated[int | UnsetType, Doc("When the server clears it, in UNIX seconds.")] = UNSET


NO_STATUS = StatusObject()
