"""The text of our rendered HTML, without tags."""

import html
import re

# An attribute may contain a `>`, but then it is quoted.
_WITHIN_TAG = r"""(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>"""
TAG = re.compile(f"<{_WITHIN_TAG}")
# Inline tags do not separate words; block tags do.
_INLINE = re.compile(r"</?(?:a|b|code|del|em|i|mark|s|span|strong|sub|sup|time|u)\b")
_INLINE_TAG = re.compile(_INLINE.pattern + _WITHIN_TAG)
_EMOJI = re.compile(r'class="emoji emoji-([0-9a-f]{2,5}(?:-[0-9a-f]{2,5})*)"')


def text_of(markup: str) -> str:
    """The text, with a space between two blocks, and emoji both as characters and by name."""
    if markup.startswith("<p>") and markup.find("<", 3) == len(markup) - 4:
        text = markup[3:-4]  # nearly all messages are one plain paragraph
    elif _EMOJI.search(markup):
        text = TAG.sub(_replacement, markup)
    else:
        text = TAG.sub(" ", _INLINE_TAG.sub("", markup))
    return html.unescape(text) if "&" in text else text


def replacement_for(tag: str) -> str:
    """The text that replaces a tag: a space between blocks; for an emoji, its character."""
    if not is_inline(tag):
        return " "
    emoji = _EMOJI.search(tag)
    return "" if emoji is None else "".join(chr(int(c, 16)) for c in emoji.group(1).split("-"))


def is_inline(tag: str) -> bool:
    return _INLINE.match(tag) is not None


def _replacement(tag: re.Match[str]) -> str:
    return replacement_for(tag.group())
