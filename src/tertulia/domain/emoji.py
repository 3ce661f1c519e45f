"""Emoji as clients name them: by name alone, or by name, code and type.

There are three types: Unicode emoji, the custom emoji of an organization, and one special emoji
that clients draw by themselves.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tertulia.errors import BadRequest

UNICODE = "unicode_emoji"
CUSTOM = "realm_emoji"
SPECIAL = "service_extra_emoji"
SPECIAL_NAME = "zulip"

# Compat: clients for Zulip know the special type by its older name.
_TYPES = {UNICODE: UNICODE, CUSTOM: CUSTOM, SPECIAL: SPECIAL, "zulip_extra_emoji": SPECIAL}


class Emoji(msgspec.Struct, frozen=True):
    name: str
    code: str
    type: str


class EmojiTable(Protocol):
    """The Unicode emoji, by name and by code."""

    def code_for(self, name: str, /) -> str | None: ...
    def names_for(self, code: str, /) -> Sequence[str]: ...


def find_common(table: EmojiTable, name: str) -> Emoji | None:
    """An emoji that exists in every organization."""
    if name == SPECIAL_NAME:
        return Emoji(name, name, SPECIAL)
    code = table.code_for(name)
    return None if code is None else Emoji(name, code, UNICODE)


def checked_type(text: str) -> str:
    if text not in _TYPES:
        raise BadRequest("Invalid emoji type.")
    return _TYPES[text]


def check_common(table: EmojiTable, emoji: Emoji) -> None:
    """Raise BadRequest unless name, code and type match. For other than custom emoji."""
    if emoji.type == SPECIAL:
        names = [SPECIAL_NAME] if emoji.code == SPECIAL_NAME else []
    else:
        names = list(table.names_for(emoji.code))
    if not names:
        raise BadRequest("Invalid emoji code.")
    if emoji.name not in names:
        raise BadRequest("Invalid emoji name.")
