"""Highlighting: marks search results in the HTML of a message.

Marks wrap only text, so that removing them restores the HTML. A match across an inline tag, for
example a word that is half bold, gets one mark on each side of the tag.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from tertulia.domain.messages import plain_text
from tertulia.domain.messages.plain_text import TAG, formulas
from tertulia.domain.search import words
from tertulia.domain.search.query import Query

OPEN, CLOSE = '<span class="highlight">', "</span>"

Span = tuple[int, int]

_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);")


class Highlighter:
    """Marks the matches of one query; used for every message of a response."""

    def __init__(self, query: Query) -> None:
        self._terms = query.words
        phrases = sorted((phrase.text for phrase in query.phrases), key=len, reverse=True)
        spaced = [r"\s+".join(re.escape(part) for part in text.split()) for text in phrases]
        self._phrases = re.compile("|".join(spaced)) if spaced else None

    def markup(self, rendered: str) -> str:
        """The HTML of a message with marks."""
        if not self._terms and self._phrases is None:
            return rendered
        source = _Source(rendered)
        return source.marked(self._found(source.folded))

    def text(self, plain: str) -> str:
        """A plain text as HTML with marks."""
        return self.markup(html.escape(plain))

    def _found(self, folded: str) -> list[Span]:
        found = [] if self._phrases is None else [m.span() for m in self._phrases.finditer(folded)]
        if self._terms:
            for token in words.tokens(folded):
                found += self._found_in(token)
        return _merged(found)

    def _found_in(self, token: re.Match[str]) -> Iterator[Span]:
        """The matching part, or the whole word if it is a form of the query word."""
        word, start = token.group(), token.start()
        for term in self._terms:
            if term.is_form(word):
                yield token.span()
            elif term.part is not None:
                at = word.find(term.part)
                while at >= 0:
                    yield start + at, start + at + len(term.part)
                    at = word.find(term.part, at + len(term.part))


class _Source:
    """HTML, and its folded text with the position in the HTML of each character."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._folded: list[str] = []
        self._length = 0
        # Segments of text that are the same, character by character, in the HTML: their start in
        # the folded text, and their range in the HTML. A character that is escaped or folded is a
        # segment of its own.
        self._begins: list[int] = []
        self._stretches: list[tuple[int, int, int]] = []
        self._read()
        self.folded = "".join(self._folded)

    def marked(self, spans: list[Span]) -> str:
        pieces, done = [], 0
        for start, end in self._in_markup(spans):
            if self._markup[start:end].isspace():
                continue  # table rows may have only whitespace between them
            pieces += [self._markup[done:start], OPEN, self._markup[start:end], CLOSE]
            done = end
        return "".join([*pieces, self._markup[done:]])

    def _in_markup(self, spans: list[Span]) -> Iterator[Span]:
        """Convert spans of the folded text to spans of the HTML that contain no tag."""
        last: Span | None = None
        for start, end in spans:
            first = max(0, bisect_right(self._begins, start) - 1)
            for index in range(first, bisect_left(self._begins, end)):
                begin, (source, source_end, length) = self._begins[index], self._stretches[index]
                if source < 0 or begin + length <= start:
                    continue
                found = (source, source_end)
                if length == source_end - source:
                    found = (
                        source + max(0, start - begin),
                        source + min(length, end - begin),
                    )
                if last is not None and found[0] < last[1]:
                    continue  # a character that was folded to several is marked once
                if last is not None and last[1] == found[0]:
                    last = (last[0], found[1])
                    continue
                if last is not None:
                    yield last
                last = found
            if last is not None:
                yield last
                last = None

    def _read(self) -> None:
        done = 0
        for start, end in formulas(self._markup):  # marks would break the layout of a formula
            self._read_nodes(done, start)
            self._add(" ", -1, -1)
            done = end
        self._read_nodes(done, len(self._markup))

    def _read_nodes(self, start: int, end: int) -> None:
        for tag in TAG.finditer(self._markup, start, end):
            self._read_text(start, tag.start())
            self._add(
                words.fold(plain_text.replacement_for(tag.group())),
                -1,
                -1,
            )
            start = tag.end()
        self._read_text(start, end)

    def _read_text(self, start: int, end: int) -> None:
        for entity in _ENTITY.finditer(self._markup, start, end):
            self._read_plain(start, entity.start())
            self._add(words.fold(html.unescape(entity.group())), *entity.span())
            start = entity.end()
        self._read_plain(start, end)

    def _read_plain(self, start: int, end: int) -> None:
        text = self._markup[start:end]
        if text.isascii():
            self._add(text.lower(), start, end)
            return
        for at, char in enumerate(text, start):
            self._add(words.FOLDS[ord(char)], at, at + 1)

    def _add(self, folded: str, start: int, end: int) -> None:
        if folded:
            self._begins.append(self._length)
            self._stretches.append((start, end, len(folded)))
            self._folded.append(folded)
            self._length += len(folded)
        elif start >= 0 and self._stretches and self._stretches[-1][1] == start:
            begin, _, length = self._stretches[-1]
            self._stretches[-1] = (begin, end, length)  # an accent belongs to its letter


def _merged(spans: list[Span]) -> list[Span]:
    """Sorted, with overlapping spans merged."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
