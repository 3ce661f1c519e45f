"""Linkifiers: an organization's patterns that become links, such as `BUG-12`.

Administrators write the patterns. RE2 matches in time linear in the text and in the size of the
pattern; that size and the number of matches are limited.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from tertulia.markdown import escape, url_templates, urls
from tertulia.markdown.model import LinkPattern
from tertulia.markdown.stash import Stash
from tertulia.markdown.tree import Link
from tertulia.memo import memoized

_MAX_MATCHES = 1000  # per part of a text and pattern
_MAX_INSTRUCTIONS = 500  # of the compiled pattern

_LITERAL = re.compile(r"[A-Za-z0-9 _:/#-]+(?![?*{])")
_BEFORE = r"(^|[\s'\"(,:<])"
_AFTER = r"($|[^\pL\pN])"


class _Match(Protocol):
    """A match of RE2, which has group names in bytes when it reads bytes."""

    def span(self, group: int) -> tuple[int, int]: ...
    def groupdict(self) -> dict[bytes, bytes | None]: ...


class _Pattern(Protocol):
    groupindex: Mapping[bytes, int]
    programsize: int

    def search(self, text: bytes, pos: int = 0) -> _Match | None: ...


class InvalidPattern(ValueError):
    """Not a regular expression that RE2 accepts, or too large."""


class Match(NamedTuple):
    start: int
    end: int
    text: str
    url: str


def check(pattern: str) -> frozenset[str]:
    """The names of a pattern's groups. Raises InvalidPattern."""
    _, alone = _compiled(pattern)
    return frozenset(name.decode() for name in alone.groupindex)


def occurring(text: str, linkifiers: tuple[LinkPattern, ...]) -> tuple[LinkPattern, ...]:
    """The linkifiers that may match in a text, so that the others need not be tried on each of its
    parts."""
    if not linkifiers:
        return ()
    data = text.encode()
    return tuple(linkifier for linkifier in linkifiers if _occurs(linkifier.pattern, data))


def _occurs(pattern: str, data: bytes) -> bool:
    try:
        _, alone = _compiled(pattern)
    except InvalidPattern:
        return False
    # An anchor depends on where a part begins and ends.
    return "^" in pattern or "$" in pattern or "\\" in pattern or alone.search(data) is not None


def apply(text: str, stash: Stash, linkifiers: tuple[LinkPattern, ...]) -> str:
    for linkifier in linkifiers:
        if _beginning(linkifier.pattern) not in text:
            continue
        pieces = []
        done = 0
        for match in find(text, linkifier, stash.plain):
            pieces.append(text[done : match.start])
            html = f"{escape.tag('a', href=match.url)}{escape.text(match.text)}</a>"
            link = Link(match.url, stash.plain(match.text))
            pieces.append(stash.keep(html, link.shown, link))
            done = match.end
        if done:
            text = "".join((*pieces, text[done:]))
    return text


def find(
    text: str, linkifier: LinkPattern, plain: Callable[[str], str] = lambda text: text
) -> list[Match]:
    """The matches of a linkifier in a text, with their links. An invalid pattern matches nothing.

    `plain` replaces placeholders by their text, so that none gets into an address.
    """
    try:
        pattern, _ = _compiled(linkifier.pattern)
    except InvalidPattern:
        return []
    data = text.encode()
    matches: list[Match] = []
    position = characters = counted = 0
    for _ in range(_MAX_MATCHES):
        match = pattern.search(data, position)
        start, end = match.span(2) if match else (0, 0)
        if match is None or start == end:
            break
        values = {
            name.decode(): plain(value.decode())
            for name, value in match.groupdict().items()
            if value is not None
        }
        characters += len(data[counted:start].decode())
        shown = data[start:end].decode()
        url = url_templates.expand(linkifier.url_template, values)
        if urls.is_allowed(url):
            matches.append(Match(characters, characters + len(shown), shown, url))
        characters += len(shown)
        position = counted = end
    return matches


def _words(error: Exception) -> str:
    words = error.args[0] if error.args else ""
    return words.decode() if isinstance(words, bytes) else str(words)


@memoized("linkifier_prefixes", 512)
def _beginning(pattern: str) -> str:
    """A literal prefix of every match, as far as it is obvious."""
    match = _LITERAL.match(pattern)
    return match[0] if match and "|" not in pattern else ""


@memoized("linkifier_patterns", 512)
def _compiled(pattern: str) -> tuple[_Pattern, _Pattern]:
    """The pattern with its required surroundings, and the pattern alone."""
    import re2  # two megabytes that most organizations do not need

    options = re2.Options()
    options.log_errors = False
    try:
        alone: _Pattern = re2.compile(pattern.encode(), options)
        bordered: _Pattern = re2.compile(f"{_BEFORE}({pattern}){_AFTER}".encode(), options)
    except re2.error as error:
        raise InvalidPattern(_words(error)) from None
    if alone.programsize > _MAX_INSTRUCTIONS:
        raise InvalidPattern("pattern too large")
    return bordered, alone
