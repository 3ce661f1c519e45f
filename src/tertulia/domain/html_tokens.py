"""A tokenizer for HTML that reads any input in linear time and never fails.

It follows the HTML Standard (section 13.2.5) as far as the text of a mail needs it: start tags with
their attributes, end tags and text with character references. Comments, declarations and the
contents of scripts and styles are skipped. As in the Standard, a tag, comment or quoted value that
is never closed ends with the input; so no position is scanned again after a failed match.

`docs/decisions/0001-html-mail-tokenizer.md` gives the reason why this is not `html.parser`.
"""

import html
import re
from collections.abc import Iterator

import msgspec

MAX_TAGS = 20_000  # tags and attributes in one text; the rest is not read

_MARKUP = re.compile(r"<(?=[a-zA-Z!?/])")  # any other "<" is text
_TAG = re.compile(r"</?[a-zA-Z][^\t\n\f\r />]*+")
_COMMENT_END = re.compile(r"--!?>")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+"
    r"(?:(?P<end>>)"
    r"|(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*+)"
    r"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    r"(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'"
    r"|(?P<bare>(?![\"'])[^\t\n\f\r >]*+)|(?P<open>)))?)"
)
_RAW_TEXT_END = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_LONG_NUMBER = re.compile(r"&#([0-9]{8,})")


class StartTag(msgspec.Struct, frozen=True):
    name: str
    attributes: dict[str, str]


class EndTag(msgspec.Struct, frozen=True):
    name: str


Token = StartTag | EndTag | str


def tokenize(text: str) -> Iterator[Token]:
    """Yield tags, and text in between with its character references decoded."""
    return _Tokenizer(text).tokens()


class _Tokenizer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._tags = 0

    def tokens(self) -> Iterator[Token]:
        text, end = self._text, len(self._text)
        begin = 0  # of text that is not yielded yet
        while begin < end and self._tags < MAX_TAGS:
            markup = _MARKUP.search(text, begin)
            if markup is None:
                break
            start = markup.start()
            found = _TAG.match(text, start)
            if start > begin:
                yield unescape(text[begin:start])
            if found is None:
                self._skip_comment(start)
            else:
                self._position = found.end()
                yield from self._tag(found[0])
            begin = self._position
        if begin < end and self._tags < MAX_TAGS:
            yield unescape(text[begin:])

    def _skip_comment(self, start: int) -> None:
        """Skip a comment, a declaration, or what the Standard calls a bogus comment."""
        text = self._text
        if text.startswith(("<!-->", "<!--->"), start):
            self._position = text.index(">", start) + 1
        elif text.startswith("<!--", start):
            found = _COMMENT_END.search(text, start + 4)
            self._position = len(text) if found is None else found.end()
        else:
            self._position = text.find(">", start) + 1 or len(text)

    def _tag(self, opening: str) -> Iterator[Token]:
        attributes = self._attributes()
        if attributes is None:
            self._position = len(self._text)
        elif opening.startswith("</"):
            yield EndTag(opening[2:].lower())
        else:
            name = opening[1:].lower()
            yield StartTag(name, attributes)
            raw_text_end = _RAW_TEXT_END.get(name)
            if raw_text_end is not None:
                found = raw_text_end.search(self._text, self._position)
                self._position = len(self._text) if found is None else found.start()

    def _attributes(self) -> dict[str, str] | None:
        """Read attributes up to the end of a tag; None if the tag is not closed."""
        attributes: dict[str, str] = {}
        self._tags += 1
        while self._tags < MAX_TAGS:
            found = _ATTRIBUTE.match(self._text, self._position)
            if found is None or found["open"] is not None:
                return None
            self._position = found.end()
            if found["end"]:
                return attributes
            value = found["double"] or found["single"] or found["bare"] or ""
            attributes.setdefault(found["name"].lower(), unescape(value))
            self._tags += 1
        return None


def unescape(text: str) -> str:
    """Decode character references; a number that is too long for a character becomes U+FFFD."""
    if "&" not in text:
        return text
    return html.unescape(_LONG_NUMBER.sub(_shortened, text))


def _shortened(found: re.Match[str]) -> str:
    digits = found[1].lstrip("0")
    return f"&#{digits or '0'}" if len(digits) < 8 else "\ufffd"
