"""The text of our rendered HTML, without tags."""

import html
import re
from collections.abc import Iterator

# An attribute may contain a `>`, but then it is quoted.
_WITHIN_TAG = r"""(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>"""
TAG = re.compile(f"<{_WITHIN_TAG}")
# Inline tags do not separate words; block tags do.
_INLINE = re.compile(r"</?(?:a|b|code|del|em|i|mark|s|span|strong|sub|sup|time|u)\b")
_INLINE_TAG = re.compile(_INLINE.pattern + _WITHIN_TAG)
_EMOJI = re.compile(r'class="emoji emoji-([0-9a-f]{2,5}(?:-[0-9a-f]{2,5})*)"')
_FORMULA = '<span class="katex">'
_SPAN = re.compile(f"<(/?)span{_WITHIN_TAG}")
_TEX = re.compile(r'<annotation encoding="application/x-tex">(.*?)</annotation>', re.DOTALL)
_MATHML = re.compile(r"(<math\b.*?</math>)", re.DOTALL)


def text_of(markup: str) -> str:
    """The text, with a space between two blocks, and emoji both as characters and by name."""
    markup = formulas_as_tex(markup)
    if markup.startswith("<p>") and markup.find("<", 3) == len(markup) - 4:
        text = markup[3:-4]  # nearly all messages are one plain paragraph
    elif _EMOJI.search(markup):
        text = TAG.sub(_replacement, markup)
    else:
        text = TAG.sub(" ", _INLINE_TAG.sub("", markup))
    return html.unescape(text) if "&" in text else text


def formulas_as_tex(markup: str) -> str:
    """The HTML with the TeX of each formula in place of its MathML and its visual HTML."""
    return _replace_formulas(markup, _TEX, "$$")


def formulas_as_mathml(markup: str) -> str:
    """The HTML for readers with MathML: without the visual HTML of formulas."""
    return _replace_formulas(markup, _MATHML, "")


def _replace_formulas(markup: str, kept: re.Pattern[str], delimiter: str) -> str:
    if _FORMULA not in markup:
        return markup
    parts, done = [], 0
    for start, end in formulas(markup):
        found = kept.search(markup, start, end)
        parts += [markup[done:start], f"{delimiter}{found[1]}{delimiter}" if found else ""]
        done = end
    return "".join([*parts, markup[done:]])


def formulas(markup: str) -> Iterator[tuple[int, int]]:
    """Where each formula starts and ends."""
    start = markup.find(_FORMULA)
    while start >= 0:
        depth = 0
        for tag in _SPAN.finditer(markup, start):
            depth += -1 if tag[1] else 1
            if depth == 0:
                yield start, tag.end()
                start = tag.end()
                break
        else:
            return
        start = markup.find(_FORMULA, start)


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
