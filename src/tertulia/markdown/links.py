"""Links with a text, `[text](address "title")`, and inline uploads, `![text](address)`.

Brackets may nest, and a title may contain parentheses, so a search for the end of a link could read
the rest of the text for every `[`. `_Brackets` reads the text once and then answers by lookup.
"""

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

import msgspec

from tertulia.markdown import escape, urls
from tertulia.markdown.model import Resolved, Upload
from tertulia.markdown.stash import Stash
from tertulia.markdown.tree import Link

_ANGLED = re.compile(r"\(\s*<([^<>]*)>\s*(?:'([^']*)'\s*|\"([^\"]*)\"\s*)?\)")
_SPACE = re.compile(r"\s")
_OPENING = re.compile(r"\(\s*")
_AUDIO = frozenset(
    ("audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/wav", "audio/webm")
)
_UPLOADS = "/user_uploads/"


class _Target(msgspec.Struct, frozen=True):
    address: str
    title: str | None
    end: int


def apply(text: str, stash: Stash, found: Resolved, base_url: str) -> str:
    brackets = _Brackets(text)
    pieces = []
    done = 0
    for start, middle in brackets.texts():
        if start < done:
            continue
        is_shown = start > 0 and text[start - 1] == "!"
        if is_shown and not found.uploads:
            continue
        target = brackets.target(middle + 1)
        if target is None:
            continue
        label = text[start + 1 : middle]
        kept = (
            _stash_upload(stash, label, target, found)
            if is_shown
            else _stash_link(stash, label, target, base_url)
        )
        if kept:
            pieces.append(text[done : start - is_shown])
            pieces.append(kept)
            done = target.end
    pieces.append(text[done:])
    return "".join(pieces)


def _stash_link(stash: Stash, label: str, target: _Target, base_url: str) -> str | None:
    href = urls.encode(stash.plain(target.address), base_url)
    if href is None:
        return None
    title = None if target.title is None else _SPACE.sub(" ", stash.plain(target.title.strip()))
    label = label.strip() and label
    shown = label or href
    opening = escape.tag("a", href=href, title=title)
    link = Link(href, stash.plain(shown))
    return stash.keep(f"{opening}{escape.text(shown)}</a>", link.shown, link)


def _stash_upload(stash: Stash, label: str, target: _Target, found: Resolved) -> str | None:
    address = target.address
    upload = found.uploads.get(address.removeprefix(_UPLOADS))
    if upload is None or not address.startswith(_UPLOADS):
        return None
    name = stash.plain(label)
    if upload.content_type.startswith("image/"):
        html = picture(upload, alt=name, class_="inline-image", data_original_src=address)
    elif upload.content_type in _AUDIO:
        title = name or None
        html = escape.tag(
            "audio", controls="controls", preload="metadata", src=address, title=title
        )
        html += "</audio>"
    else:
        return None
    return stash.keep(html, name, Link(address, name, is_shown=True))


def picture(upload: Upload, **attributes: str) -> str:
    """The HTML of an uploaded picture: its thumbnail, or a placeholder until it is made."""
    if not upload.thumbnail:
        attributes["class_"] = f"{attributes.get('class_', '')} image-loading-placeholder".strip()
    return escape.tag(
        "img",
        **attributes,
        data_animated="true" if upload.is_animated else None,
        data_original_content_type=upload.content_type,
        data_original_dimensions=f"{upload.width}x{upload.height}",
        src=upload.thumbnail or "/static/images/loading/loader-black.svg",
    )


class _Brackets:
    """The positions of brackets, parentheses and quotes in a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def texts(self) -> list[tuple[int, int]]:
        """Each `[` with its `]` that is followed by `(`, in order."""
        open_at: list[int] = []
        pairs = []
        for match in re.finditer(r"[\[\]]", self._text):
            at = match.start()
            if match[0] == "[":
                open_at.append(at)
            elif open_at:
                start = open_at.pop()
                if self._text.startswith("(", at + 1):
                    pairs.append((start, at))
        pairs.sort()
        return pairs

    def target(self, at: int) -> _Target | None:
        """The address and title between the `(` at a position and the `)` that ends the link."""
        text = self._text
        if angled := _ANGLED.match(text, at):
            title = angled[2] if angled[2] is not None else angled[3]
            return _Target(angled[1].strip(), title, angled.end())
        opening = _OPENING.match(text, at)
        assert opening is not None
        start = opening.end()
        close = self._closing.get(at)
        quote = _first_after(self._quotes, start)
        if quote is None or (close is not None and close < quote):
            return None if close is None else _Target(text[start:close].strip(), None, close + 1)
        return self._titled(start, quote) or self._untitled(at, start, quote)

    def _titled(self, start: int, quote: int) -> _Target | None:
        """A title starts with the first quote or else with the other kind, and ends
        before a `)`."""
        text = self._text
        ends = [(quote, self._end_of_title(text[quote], quote))]
        other = '"' if text[quote] == "'" else "'"
        if (other_quote := text.find(other, quote)) > 0 and self._ends[other]:
            ends.append((other_quote, self._end_of_title(other, other_quote)))
        found = [(end, opened) for opened, end in ends if end is not None]
        if not found:
            return None
        (end, close), opened = min(found)
        return _Target(text[start:opened].strip(), text[opened + 1 : end], close + 1)

    def _untitled(self, at: int, start: int, quote: int) -> _Target | None:
        """A quote that starts no title is part of the address, but hides parentheses before it."""
        before = bisect_left(self._parens, quote)
        first = bisect_right(self._parens, at)
        depth = 1
        for index in range(first, min(before, first + _MAX_PARENS)):
            depth += 1 if self._text[self._parens[index]] == "(" else -1
        close = next(
            (
                position
                for position in self._parens[before + depth - 1 : before + depth - 1 + _MAX_PARENS]
                if self._text[position] == ")"
            ),
            None,
        )
        return None if close is None else _Target(self._text[start:close].strip(), None, close + 1)

    def _end_of_title(self, quote: str, opened: int) -> tuple[int, int] | None:
        ends = self._ends[quote]
        index = bisect_right(ends, (opened, len(self._text)))
        return ends[index] if index < len(ends) else None

    @cached_property
    def _parens(self) -> list[int]:
        return [match.start() for match in re.finditer(r"[()]", self._text)]

    @cached_property
    def _closing(self) -> dict[int, int]:
        closing = {}
        open_at: list[int] = []
        for at in self._parens:
            if self._text[at] == "(":
                open_at.append(at)
            elif open_at:
                closing[open_at.pop()] = at
        return closing

    @cached_property
    def _quotes(self) -> list[int]:
        return [match.start() for match in re.finditer("['\"]", self._text)]

    @cached_property
    def _ends(self) -> dict[str, list[tuple[int, int]]]:
        """For each kind of quote, the positions at which it is followed by `)`, with the position
        of that."""
        ends: dict[str, list[tuple[int, int]]] = {"'": [], '"': []}
        for match in re.finditer("(['\"]) *\\)", self._text):
            ends[match[1]].append((match.start(), match.end() - 1))
        return ends


_MAX_PARENS = 50  # parentheses that are examined around a quote that starts no title


def _first_after(positions: list[int], start: int) -> int | None:
    index = bisect_left(positions, start)
    return positions[index] if index < len(positions) else None
