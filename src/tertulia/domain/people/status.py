"""User statuses: a short text and an emoji, and when they end."""

from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia.domain.emoji import UNICODE, Emoji


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

    def shown(self, away: bool) -> dict[str, Any]:
        """Only the parts that are set."""
        parts: dict[str, Any] = {"away": True} if away else {}
        if self.status_text:
            parts["status_text"] = self.status_text
        if self.emoji_name:
            parts |= {
                "emoji_name": self.emoji_name,
                "emoji_code": self.emoji_code,
                "reaction_type": self.reaction_type,
            }
        if self.ends_at is not None:
            parts["ends_at"] = int(self.ends_at)
        return parts


def emoji_parts(emoji: Emoji | None) -> dict[str, str]:
    """The parts of a status that an emoji sets; None clears it."""
    if emoji is None:
        return {"emoji_name": "", "emoji_code": "", "reaction_type": UNICODE}
    return {
        "emoji_name": emoji.name,
        "emoji_code": emoji.code,
        "reaction_type": emoji.type,
    }
