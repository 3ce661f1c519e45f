"""Names: which characters they may contain, so that readers can tell two names apart.

Invisible characters and those that change the text direction are rejected, except where people need
them: inside emoji, and between letters of scripts that join them.
"""

import re
import unicodedata
from collections.abc import Iterable

from tertulia.errors import BadRequest

# Characters that Unicode calls default ignorable, including the directional ones; also the Braille
# blank and the interlinear annotation marks.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING = (
    "\u0620-\u07ff\u0840-\u08ff"  # Arabic and related scripts
    "\u0900-\u0dff\u1000-\u109f\u1780-\u17d3\u1820-\u18aa\u1b00-\u1b7f\ua980-\ua9df"
    "\U00011000-\U000114ff"
)
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_IN_USE = re.compile(
    rf"(?<=[{_PICTURES}])[\ufe0e\ufe0f]"
    r"|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])"
    r"|(?<=[\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007f]"  # flags of regions
    rf"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    rf"|(?<=[{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
    r"|(?<=[\u1820-\u18aa])[\u180b-\u180f]"
    r"|(?<=[\u2801-\u28ff])\u2800(?=[\u2801-\u28ff])"
)


# Cyrillic, Greek, Armenian and Cherokee letters that look like a Latin one.
_CONFUSABLES = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
    "\u0555\u0570\u0578\u057d\u0585"
    "\u13aa\u13f4\u13df\u13a0\u13ac\u13c0\u13bb\u13ab\u13e6\u13de\u13b7\u13e2\u13a1\u13da\u13a2\u13d9"
    "\u13b3\u13c3",
    "ABEKMHOPCTYXIJSaeopcyxijshdqwABEZHIKMNOPTYXovOhnuoABCDEGHJKLMPRSTVWZ",
)


def check(name: str, kind: str) -> None:
    """Raise BadRequest for a character that is not allowed in names."""
    position = first_bad_character(name)
    if position is not None:
        raise BadRequest(
            "Invalid character in {what}, at position {position}.",
            problem="text-character-invalid",
            what=kind,
            position=position,
        )


def first_bad_character(text: str) -> int | None:
    """The position, from 1, of the first character that is not allowed in names."""
    if text.isascii() and text.isprintable():
        return None
    positions = (index + 1 for index in range(len(text)) if _is_bad(text, index))
    return next(positions, None)


def cleaned(text: str, limit: int | None = None, end: str = "") -> str:
    """Turn a text from outside into a valid name: characters that are not allowed become spaces.

    A text longer than `limit` is cut, and ends with `end`.
    """
    found = _without_bad(unicodedata.normalize("NFC", text))
    if limit is None or len(found) <= limit:
        return found
    return _without_bad(found[: limit - len(end)]) + end  # the cut may be inside an emoji


def visible_part(text: str) -> str:
    """The visible part of a text."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def normalized(name: str) -> str:
    """A name in NFC, so that composed and combining accents are equal."""
    return unicodedata.normalize("NFC", name.strip())


def skeleton(name: str) -> str:
    """Equal for two names that differ only in invisible characters."""
    return " ".join(unicodedata.normalize("NFC", visible_part(name)).split())


def lookalike_key(name: str) -> str:
    """Equal for two names that look the same, even in different scripts or mathematical letters."""
    found = skeleton(unicodedata.normalize("NFKC", name))
    return found if found.isascii() else found.translate(_CONFUSABLES)


def is_like_one_of(name: str, others: Iterable[str]) -> bool:
    """Whether a name looks like one of the others, ignoring case."""
    own = lookalike_key(name).casefold()
    return any(lookalike_key(other).casefold() == own for other in others)


def _without_bad(text: str) -> str:
    if first_bad_character(text) is None:
        return text.strip()
    kept = ""
    for char, following in zip(text, [*text[1:], ""], strict=True):
        before = kept[-1:]
        kept += " " if _is_bad(f"{before}{char}{following}", len(before)) else char
    return kept.strip()


def _is_bad(text: str, index: int) -> bool:
    char = text[index]
    if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or _is_none(ord(char)):
        return True
    return bool(_UNSEEN.match(char)) and not _IN_USE.match(text, index)


def _is_none(code_point: int) -> bool:
    """Whether Unicode guarantees that the code point is never a character."""
    return (code_point & 0xFFFE) == 0xFFFE or 0xFDD0 <= code_point <= 0xFDEF
