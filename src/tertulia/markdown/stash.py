"""Finished parts of the HTML, set aside while the rest of the text is processed.

A private-use character of Unicode is the placeholder of each part. So a finished part is never read
again, counts as an ordinary character for the other rules, and costs the same at any length.
`admit` stashes such characters that a user typed, so every placeholder in the text is ours. There
are enough for every character of the longest text.
"""

import re
from typing import NamedTuple

from tertulia.markdown.tree import Link

_FIRST = 0xF0000
_LAST = 0x10FFFF

MARK = "\U000f0000-\U0010ffff"  # for use in a character class
_MARK = re.compile(f"[{MARK}]")
_MARKS = re.compile(f"([{MARK}])")


class Container(NamedTuple):
    """A fenced quote or spoiler whose content is not parsed yet."""

    tag: str  # "blockquote" or "spoiler"
    content: str
    header: str = ""


class StashedPart(NamedTuple):
    html: str  # may contain placeholders of other parts
    text: str = ""  # the visible text
    link: Link | None = None
    is_block: bool = False
    container: Container | None = None


class Stash:
    def __init__(self) -> None:
        self._parts: list[StashedPart] = []

    def admit(self, source: str) -> str:
        """The source, with every character that could be confused with a placeholder stashed."""
        if source.isascii():
            return source
        return _MARK.sub(lambda match: self.keep(entity := f"&#{ord(match[0])};", entity), source)

    def keep(self, html: str, text: str = "", link: Link | None = None) -> str:
        return self._add(StashedPart(html, text, link))

    def keep_block(self, html: str) -> str:
        return self._add(StashedPart(html, is_block=True))

    def keep_container(self, container: Container) -> str:
        return self._add(StashedPart("", container=container))

    def find(self, mark: str) -> StashedPart | None:
        if len(mark) != 1 or not _FIRST <= ord(mark) <= _LAST:
            return None
        return self._parts[ord(mark) - _FIRST]

    def restore(self, html: str) -> tuple[str, list[Link]]:
        """The HTML with every placeholder replaced, including nested ones, and the links in it, in
        reading order."""
        links: list[Link] = []
        if html.isascii() or not _MARK.search(html):
            return html, links
        done: list[str] = []
        waiting = _MARKS.split(html)
        waiting.reverse()
        while waiting:
            piece = waiting.pop()
            part = self.find(piece)
            if part is None:
                done.append(piece)
                continue
            if part.link:
                links.append(part.link)
            if part.html.isascii() or not _MARK.search(part.html):
                done.append(part.html)
            else:
                waiting.extend(reversed(_MARKS.split(part.html)))
        return "".join(done), links

    def plain(self, text: str) -> str:
        """The text with every placeholder replaced by its visible text."""
        if text.isascii():
            return text
        return _MARK.sub(lambda match: self._parts[ord(match[0]) - _FIRST].text, text)

    def _add(self, part: StashedPart) -> str:
        self._parts.append(part)
        return chr(_FIRST + len(self._parts) - 1)
