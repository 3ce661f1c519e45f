"""Emoji by name, by character and by emoticon."""

import re
from collections.abc import Mapping
from functools import lru_cache

from tertulia.markdown import escape
from tertulia.markdown.emoji_names import code_for, code_of, names_for
from tertulia.markdown.stash import Stash

_NAME = re.compile(r":([\w+-]+):")
_EMOTICONS = {
    ":)": "slight_smile",
    "(:": "slight_smile",
    ":(": "frown",
    "<3": "heart",
    ":|": "neutral",
    ":/": "confused",
    ";)": "wink",
    ":D": "smile",
    ":o": "open_mouth",
    ":O": "open_mouth",
    ":p": "stuck_out_tongue",
    ":P": "stuck_out_tongue",
}
_EMOTICON = re.compile(
    rf"(?<![^\s!-/:-@\[-`{{-~])(?:{'|'.join(map(re.escape, _EMOTICONS))})(?![^\s!-/:-@\[-`{{-~])"
)

_BASE = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_TONE = "\U0001f3fb-\U0001f3ff"
_CHARACTER = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}"  # a flag
    "|[0-9#*]\ufe0f?\u20e3"  # a key
    f"|[{_BASE}](?:\ufe0f|[{_TONE}])?[\U000e0020-\U000e007f]*"
    f"(?:\u200d[{_BASE}](?:\ufe0f|[{_TONE}])?)*"
)
MAY_HOLD_CHARACTERS = re.compile(f"[{_BASE}\u20e3]")

# Shown as a letter or sign unless U+FE0F follows: Emoji_Presentation=No in Unicode's emoji-data.
_IS_EMOJI_IN_BMP = re.compile(
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1"
    "\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705"
    "\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50"
    "\u2b55]"
)
_IS_TEXT_BEYOND = re.compile(
    "[\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f202\U0001f237\U0001f321\U0001f324-\U0001f32c"
    "\U0001f336\U0001f37d\U0001f396\U0001f397\U0001f399-\U0001f39b\U0001f39e\U0001f39f"
    "\U0001f3cb-\U0001f3ce\U0001f3d4-\U0001f3df\U0001f3f3\U0001f3f5\U0001f3f7\U0001f43f\U0001f441"
    "\U0001f4fd\U0001f549\U0001f54a\U0001f56f\U0001f570\U0001f573-\U0001f579\U0001f587"
    "\U0001f58a-\U0001f58d\U0001f590\U0001f5a5\U0001f5a8\U0001f5b1\U0001f5b2\U0001f5bc"
    "\U0001f5c2-\U0001f5c4\U0001f5d1-\U0001f5d3\U0001f5dc-\U0001f5de\U0001f5e1\U0001f5e3\U0001f5e8"
    "\U0001f5ef\U0001f5f3\U0001f5fa\U0001f6cb\U0001f6cd-\U0001f6cf\U0001f6e0-\U0001f6e5\U0001f6e9"
    "\U0001f6f0\U0001f6f3]"
)


def apply_names(text: str, stash: Stash, custom: Mapping[str, str]) -> str:
    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name in custom:
            html = escape.tag(
                "img", alt=match[0], class_="emoji", src=custom[name], title=name.replace("_", " ")
            )
            return stash.keep(html, match[0])
        code = code_for(name)
        return _keep(stash, name, code) if code else match[0]

    return _NAME.sub(replace, text)


def apply_emoticons(text: str, stash: Stash) -> str:
    def replace(match: re.Match[str]) -> str:
        name = _EMOTICONS[match[0]]
        return _keep(stash, name, code_for(name) or "")

    return _EMOTICON.sub(replace, text)


def apply_characters(text: str, stash: Stash) -> str:
    def replace(match: re.Match[str]) -> str:
        named = _named(match[0])
        return _keep(stash, *named) if named else match[0]

    return _CHARACTER.sub(replace, text)


@lru_cache(maxsize=256)
def _named(characters: str) -> tuple[str, str] | None:
    """The canonical name and the code of an emoji typed as characters."""
    if len(characters) == 1 and _is_text(characters):
        return None
    code = code_of(characters)
    names = names_for(code)
    return (names[0], code) if names else None


def _is_text(character: str) -> bool:
    if character <= "\uffff":
        return not _IS_EMOJI_IN_BMP.match(character)
    return bool(_IS_TEXT_BEYOND.match(character))


def _keep(stash: Stash, name: str, code: str) -> str:
    return stash.keep(_span(name, code), f":{name}:")


@lru_cache(maxsize=256)
def _span(name: str, code: str) -> str:
    spoken = name.replace("_", " ")
    opening = escape.tag(
        "span", aria_label=spoken, class_=f"emoji emoji-{code}", role="img", title=spoken
    )
    return f"{opening}:{escape.text(name)}:</span>"
