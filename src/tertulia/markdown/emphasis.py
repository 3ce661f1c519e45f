"""Code spans, strong, emphasis and strikethrough.

Emphasis may nest in itself (`*a *b* c*`): the leftmost pair that fits becomes one finished part,
and the search starts again. `_pair` does the same with a stack, in one pass.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

import msgspec
from msgspec import field

from tertulia.markdown import escape
from tertulia.markdown.stash import Stash

_TICKS = re.compile("`+")
_STARS = re.compile(r"\*+")
_STRONG = re.compile(r"\*\*([^\n]+?)\*\*")
_DELETED = re.compile(r"(?<!~)~~([^~\n]+)~~(?!~)")


def apply_code(text: str, stash: Stash) -> str:
    """A run of backticks is closed by the next run of the same length; if there is none, a shorter
    run is tried."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    by_length: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, []).append(index)
    lengths = sorted(by_length, reverse=True)

    pieces = []
    done = index = 0
    while index < len(runs):
        start, end = runs[index]
        closer, length = _closing_run(index, end - start, by_length, lengths)
        if closer:
            source = text[start + length : runs[closer][0]]
            pieces.append(text[done:start])
            pieces.append(stash.keep(f"<code>{escape.code(source)}</code>", source))
            done = runs[closer][1]
            index = closer
        index += 1
    pieces.append(text[done:])
    return "".join(pieces)


def _closing_run(
    index: int, available: int, by_length: dict[int, list[int]], lengths: list[int]
) -> tuple[int, int]:
    for length in lengths:
        if length <= available:
            same = by_length[length]
            later = bisect_right(same, index)
            if later < len(same):
                return same[later], length
    return 0, 0


def apply_strong_emphasis(text: str, stash: Stash, inner: Callable[[str], str]) -> str:
    return _pair(
        text, 3, lambda body: _stash_tags(stash, "<strong><em>", body, inner, "</em></strong>")
    )


def apply_emphasis(text: str, stash: Stash, inner: Callable[[str], str]) -> str:
    return _pair(text, 1, lambda body: _stash_tags(stash, "<em>", body, inner, "</em>"))


def apply_strong(text: str, stash: Stash, inner: Callable[[str], str]) -> str:
    return _STRONG.sub(
        lambda match: _stash_tags(stash, "<strong>", match[1], inner, "</strong>"), text
    )


def apply_deleted(text: str, stash: Stash, inner: Callable[[str], str]) -> str:
    return _DELETED.sub(lambda match: _stash_tags(stash, "<del>", match[1], inner, "</del>"), text)


def _stash_tags(
    stash: Stash, opening: str, body: str, inner: Callable[[str], str], closing: str
) -> str:
    return stash.keep(f"{opening}{inner(body)}{closing}", stash.plain(body))


class _Run(msgspec.Struct):
    """Stars that may open an emphasis, and the text after them."""

    stars: int
    pieces: list[str] = field(default_factory=list)
    is_barred: bool = False  # the text contains something that no emphasis may contain

    def follow(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.is_barred = self.is_barred or "\n" in text or "^" in text

    def may_close(self) -> bool:
        """Whether the text can be emphasized: it is not empty and has no white space at
        its ends."""
        if self.is_barred or not self.pieces:
            return False
        return not self.pieces[0][0].isspace() and not self.pieces[-1][-1].isspace()


def _pair(text: str, size: int, wrap: Callable[[str], str]) -> str:
    """Wrap the text between `size` stars and the next `size` stars, innermost first."""
    runs = [_Run(0)]
    done = 0
    for match in _STARS.finditer(text):
        runs[-1].follow(text[done : match.start()])
        done = match.end()
        stars = done - match.start()
        while stars >= size and runs[-1].stars >= size and runs[-1].may_close():
            opener = runs[-1]
            mark = wrap("".join(opener.pieces))
            stars -= size
            opener.stars -= size
            opener.pieces = []
            if opener.stars == 0:
                runs.pop()
            runs[-1].follow(mark)
        if stars:
            runs.append(_Run(stars))
    runs[-1].follow(text[done:])
    return "".join("*" * run.stars + "".join(run.pieces) for run in runs)
