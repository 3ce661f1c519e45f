"""Finished parts, kept aside while the rest of the text is worked on.

Each is represented in the text by one character of a plane that Unicode leaves to applications,
so that a finished part is never read again, counts as an ordinary character for the rules around
it, and costs the same however long it is. `admit` keeps aside those that a user typed, so none in
the text is a user's. The plane has room for one per character of the longest text we render.
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
    """A fenced quote or spoiler, whose content is yet to be parsed."""

    tag: str  # "blockquote" or "spoiler"
    content: str
    header: str = ""


class Kept(NamedTuple):
    html: str  # may hold the marks of other parts
    text: str = ""  # what a reader sees of it
    link: Link | None = None
    is_block: bool = False
    container: Container | None = None


class Stash:
    def __init__(self) -> None:
        self._kept: list[Kept] = []

    def admit(self, source: str) -> str:
        """The source with every character that could be taken for a mark kept aside."""
        if source.isascii():
            return source
        return _MARK.sub(lambda match: self.keep(entity := f"&#{ord(match[0])};", entity), source)

    def keep(self, html: str, text: str = "", link: Link | None = None) -> str:
        return self._add(Kept(html, text, link))

    def keep_block(self, html: str) -> str:
        return self._add(Kept(html, is_block=True))

    def keep_container(self, container: Container) -> str:
        return self._add(Kept("", container=container))

    def find(self, mark: str) -> Kept | None:
        if len(mark) != 1 or not _FIRST <= ord(mark) <= _LAST:
            return None
        return self._kept[ord(mark) - _FIRST]

    def restore(self, html: str) -> tuple[str, list[Link]]:
        """The HTML with every mark replaced by what it stands for, marks within marks included.

        And the links among them, in the order in which a reader meets them.
        """
        links: list[Link] = []
        if html.isascii() or not _MARK.search(html):
            return html, links
        done: list[str] = []
        waiting = _MARKS.split(html)
        waiting.reverse()
        while waiting:
            piece = waiting.pop()
            kept = self.find(piece)
            if kept is None:
                done.append(piece)
                continue
            if kept.link:
                links.append(kept.link)
            if kept.html.isascii() or not _MARK.search(kept.html):
                done.append(kept.html)
            else:
                waiting.extend(reversed(_MARKS.split(kept.html)))
        return "".join(done), links

    def plain(self, text: str) -> str:
        """The text with every mark replaced by what a reader sees of it."""
        if text.isascii():
            return text
        return _MARK.sub(lambda match: self._kept[ord(match[0]) - _FIRST].text, text)

    def _add(self, kept: Kept) -> str:
        self._kept.append(kept)
        return chr(_FIRST + len(self._kept) - 1)
