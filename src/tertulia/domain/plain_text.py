"""The text of HTML that we rendered ourselves: what remains when the tags are gone."""

import html
import re

# An attribute may hold a `>`, but then it is quoted.
TAG = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
# Inside a paragraph tags do not divide words; between blocks they do.
_INLINE = re.compile(r"</?(?:a|b|code|del|em|i|mark|s|span|strong|sub|sup|time|u)\b")


def text_of(markup: str) -> str:
    """The text, with a space wherever two blocks meet."""
    if markup.startswith("<p>") and markup.find("<", 3) == len(markup) - 4:
        text = markup[3:-4]  # nearly all messages are one plain paragraph
    else:
        text = TAG.sub(_space_or_nothing, markup)
    return html.unescape(text) if "&" in text else text


def divides(tag: str) -> bool:
    """Whether a tag stands between two words, however close they are."""
    return _INLINE.match(tag) is None


def _space_or_nothing(tag: re.Match[str]) -> str:
    return " " if divides(tag.group()) else ""
