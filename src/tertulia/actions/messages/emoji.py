"""Emoji lookup: resolves what a client sends to an existing emoji."""

import re

from tertulia import domain, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.emoji import CUSTOM, SPECIAL, SPECIAL_NAME, UNICODE, Emoji
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.errors import BadRequest
from tertulia.errors.messages import EmojiNotFound

_ID = re.compile(r"[0-9]{1,18}", re.ASCII)


def resolve(tx: Tx, name: str, code: str | None, type_: str | None) -> Emoji:
    """The emoji with this name; code and type, if given, must match."""
    if code is None and type_ is None:
        found = find(tx, name)
        if found is None:
            raise EmojiNotFound(name=name)
        return found
    wanted = domain.emoji.checked_type(type_ or UNICODE)
    if code is None:
        named = (
            _find_custom(tx, name)
            if wanted == CUSTOM
            else domain.emoji.find_common(markdown.emoji_names, name)
        )
        code = "" if named is None else named.code
    chosen = Emoji(name, code, wanted)
    if wanted == CUSTOM:
        _check_custom(tx, chosen)
    else:
        domain.emoji.check_common(markdown.emoji_names, chosen)
    return chosen


def find(tx: Tx, name: str) -> Emoji | None:
    return _find_custom(tx, name) or domain.emoji.find_common(markdown.emoji_names, name)


def name_from_text(written: str) -> str:
    """The name of an emoji written as in a message: `:tada:`, or the character itself."""
    if len(written) > 2 and written[0] == written[-1] == ":":
        return written[1:-1]
    if written.isascii():
        return written
    names = markdown.emoji_names.names_for(markdown.emoji_names.code_of(written))
    return names[0] if names else written


def known_type(word: str) -> str | None:
    """The type that a client names; None if it is unknown."""
    try:
        return domain.emoji.checked_type(word)
    except BadRequest:
        return None


def is_code(tx: Tx, code: str, type_: str | None) -> bool:
    """Whether a code exists, for a type or, without one, for any."""
    wanted = None if type_ is None else known_type(type_)
    if type_ is not None and wanted is None:
        return True  # the type is the error
    return (
        (wanted in (None, UNICODE) and bool(markdown.emoji_names.names_for(code)))
        or (wanted in (None, SPECIAL) and code == SPECIAL_NAME)
        or (wanted in (None, CUSTOM) and _custom(tx, code) is not None)
    )


def _find_custom(tx: Tx, name: str) -> Emoji | None:
    """Custom emoji take precedence over others of the same name."""
    found = storage.organization.custom_emoji.find_active(tx, name)
    return None if found is None else Emoji(found.name, str(found.id), CUSTOM)


def _check_custom(tx: Tx, wanted: Emoji) -> None:
    found = _custom(tx, wanted.code)
    if found is None:
        raise BadRequest("Invalid custom emoji.", problem="invalid-custom-emoji")
    if found.name != wanted.name:
        raise BadRequest("Invalid custom emoji name.")
    if found.deactivated:
        raise BadRequest("This custom emoji has been deactivated.", problem="invalid-custom-emoji")


def _custom(tx: Tx, code: str) -> CustomEmoji | None:
    """A custom emoji by its code, active or not."""
    return storage.organization.custom_emoji.find(tx, int(code)) if _ID.fullmatch(code) else None
