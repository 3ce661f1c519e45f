"""User statuses: a short text and an emoji."""

from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia.domain.emoji import UNICODE, Emoji


class Status(msgspec.Struct, frozen=True):
    """An empty text means not set."""

    status_text: str = ""
    emoji_name: str = ""
    emoji_code: str = ""
    reaction_type: str = ""

    def with_changes(self, changes: dict[str, Any]) -> "Status":
        changed = replace(self, **changes)
        return changed if changed.emoji_name else replace(changed, reaction_type="")

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
