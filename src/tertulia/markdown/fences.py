"""Fenced blocks, which are parsed before everything else: code, quotes, spoilers and formulas.

A fence counts only at the start of a line. Its content is stashed, and a placeholder replaces it,
on its own line between blank lines.
"""

import re

import msgspec
from msgspec import field

from tertulia.markdown.code import CodeHighlighter
from tertulia.markdown.math import Formulas
from tertulia.markdown.stash import Container, Stash

MAX_DEPTH = 80  # nested quotes and spoilers; a deeper fence is text
MAX_SPOILERS = 20  # nested spoilers

_OPENING = re.compile(
    r"(?P<fence>`{3,}|~{3,}) *"
    r"(?:(?:\{?\.)?(?P<language>[A-Za-z0-9_+\-./#,]+)\}?(?: +(?P<header>[^`~]*))?)? *"
)
_END = ("", "")  # ends the text, also inside an unclosed fence
_HOLDS_MARKUP = frozenset(("quote", "quoted", "spoiler"))


class _Fence(msgspec.Struct):
    """An open fence and its lines so far."""

    fence: str
    language: str
    header: str
    lines: list[str] = field(default_factory=list)

    @property
    def holds_markup(self) -> bool:
        return self.language in _HOLDS_MARKUP


class Fences:
    def __init__(self, stash: Stash, formulas: Formulas, highlighter: CodeHighlighter) -> None:
        self._stash = stash
        self._formulas = formulas
        self._highlighter = highlighter

    def replace(self, lines: list[str]) -> list[str]:
        """The lines, with a placeholder for every fenced block."""
        document = _Fence("", "quote", "")
        open_fences = [document]

        def close() -> None:
            finished = open_fences.pop()
            open_fences[-1].lines.extend(self._finish(finished))

        for line in lines:
            current = open_fences[-1]
            if len(open_fences) > 1 and line.rstrip() == current.fence:
                close()
            elif current.holds_markup and (fence := _opened_by(line)) and _fits(fence, open_fences):
                open_fences.append(fence)
            else:
                current.lines.append(line)
        while len(open_fences) > 1:
            close()
        return [*document.lines, *_END]

    def _finish(self, fence: _Fence) -> list[str]:
        if not fence.lines and fence.language != "spoiler":
            return []
        return ["", *self._finished_lines(fence), ""]

    def _finished_lines(self, fence: _Fence) -> list[str]:
        stash = self._stash
        match fence.language:
            case "quote" | "quoted":
                quote = Container("blockquote", "\n".join(fence.lines))
                return [stash.keep_container(quote)]
            case "math":
                return [stash.keep(self._formulas.display("\n".join(fence.lines)))]
            case "spoiler":
                content = "\n".join([*fence.lines, *_END])
                return [stash.keep_container(Container("spoiler", content, fence.header))]
            case language:
                source = "\n".join(line.rstrip() for line in fence.lines)
                return [stash.keep_block(self._highlighter.block(source, language))]


def _opened_by(line: str) -> _Fence | None:
    if not line.startswith(("```", "~~~")):
        return None
    match = _OPENING.fullmatch(line)
    if match is None:
        return None
    language = match["language"] or ""
    return _Fence(match["fence"], language.lower(), match["header"] or "")


def _fits(fence: _Fence, open_fences: list[_Fence]) -> bool:
    if not fence.holds_markup:
        return True
    if len(open_fences) > MAX_DEPTH:
        return False
    spoilers = sum(opened.language == "spoiler" for opened in open_fences)
    return fence.language != "spoiler" or spoilers < MAX_SPOILERS
