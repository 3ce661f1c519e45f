"""Emoji by name, by character and by emoticon."""

import re
from collections.abc import Mapping

from tertulia.markdown import escape
from tertulia.markdown.emoji_names import code_for, code_of, is_sign, names_for
from tertulia.markdown.stash import Stash
from tertulia.memo import memoized

MAX_SHOWN = 1000
# Compat: Zulip's clients know this emoji and its picture by these names.
SPECIAL_NAME = "zulip"
SPECIAL_IMAGE = "/static/generated/emoji/images/emoji/unicode/zulip.png"

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
    "|[0-9#*]\ufe0f?\u20e3"  # a keycap
    f"|[{_BASE}](?:\ufe0f|[{_TONE}])?[\U000e0020-\U000e007f]*"
    f"(?:\u200d[{_BASE}](?:\ufe0f|[{_TONE}])?)*"
)
MAY_HOLD_CHARACTERS = re.compile(f"[{_BASE}\u20e3]")


class EmojiRenderer:
    """The emoji of one message. Each takes a hundred characters of HTML, so their number is
    limited; the rest stays as typed."""

    def __init__(self, stash: Stash, custom: Mapping[str, str]) -> None:
        self._stash = stash
        self._custom = custom
        self._left = MAX_SHOWN

    def names(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            name = match[1]
            if name in self._custom:
                return self._stash_emoji(match[0], name, _image(name, self._custom[name]))
            if name == SPECIAL_NAME:
                return self._stash_emoji(match[0], name, _image(name, SPECIAL_IMAGE))
            code = code_for(name)
            return self._stash_emoji(match[0], name, _span(name, code)) if code else match[0]

        return _NAME.sub(replace, text)

    def emoticons(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            name = _EMOTICONS[match[0]]
            return self._stash_emoji(match[0], name, _span(name, code_for(name) or ""))

        return _EMOTICON.sub(replace, text)

    def characters(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            named = _named(match[0])
            return self._stash_emoji(match[0], named[0], _span(*named)) if named else match[0]

        return _CHARACTER.sub(replace, text)

    def _stash_emoji(self, typed: str, name: str, html: str) -> str:
        self._left -= 1
        return typed if self._left < 0 else self._stash.keep(html, f":{name}:")


@memoized("emoji_names", 256)
def _named(characters: str) -> tuple[str, str] | None:
    """The canonical name and code of an emoji typed as characters."""
    code = code_of(characters)
    names = names_for(code)
    if not names or (len(characters) == 1 and is_sign(code)):
        return None
    return names[0], code


def _image(name: str, source: str) -> str:
    title = name.replace("_", " ")
    return escape.tag("img", alt=f":{name}:", class_="emoji", src=source, title=title)


@memoized("emoji_html", 256)
def _span(name: str, code: str) -> str:
    label = name.replace("_", " ")
    opening = escape.tag(
        "span", aria_label=label, class_=f"emoji emoji-{code}", role="img", title=label
    )
    return f"{opening}:{escape.text(name)}:</span>"
