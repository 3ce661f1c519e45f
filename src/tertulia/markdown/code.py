"""Code blocks, highlighted by Pygments.

The classes are Pygments' own short ones; clients bring the colours. A lexer takes a moment to load
when its language is first used, and stays. Many lexers take quadratic time or worse for text that
is no code at all, so long lines are not highlighted, and a lexer that runs wild is stopped.
"""

import re
import time
from collections.abc import Iterator
from functools import lru_cache

from pygments import format as format_tokens
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import _TokenType
from pygments.util import ClassNotFound

from tertulia.markdown import escape

MAX_HIGHLIGHTED = 6_000  # characters of a block; a longer one is shown plain
MAX_LINE = 500

# For all code of a message: several times what the slowest lexer needs for real code. When they
# have passed on the clock, as many are granted again of this thread's own time, so that a busy
# server does not change what code looks like. (The clock is much the quicker one to look at.)
MAX_SECONDS = 0.1
_TOKENS_BETWEEN_LOOKS = 8

_FIRST_LINE = re.compile(r"(?:::+|#!)(?P<path>(?:/\w+)*[/ ])?(?P<language>[\w#.+-]*)")
_FORMATTER = HtmlFormatter(nowrap=True)


class Highlighter:
    """The code of one message."""

    def __init__(self, default_language: str = "") -> None:
        self._default_language = default_language
        self._clock_at_start = time.monotonic()
        self._own_time_at_warning: float | None = None

    def block(self, source: str, language: str) -> str:
        source = source.strip("\n")
        language = language or self._default_language
        if language:
            lexer = _lexer_for(language)
            return _wrap(self._html(source, lexer), lexer.name if lexer else language)
        language, source = _named_by_first_line(source)
        return _wrap(self._html(source, _lexer_for(language)), "")

    def indented(self, source: str) -> str:
        """As a fenced block without a language, and with an empty line after it."""
        language, source = _named_by_first_line(source.strip("\n"))
        return _wrap(self._html(source, _lexer_for(language)), "") + "\n"

    def _html(self, source: str, lexer: Lexer | None) -> str:
        if lexer and len(source) <= MAX_HIGHLIGHTED and _has_short_lines(source):
            try:
                return self._highlighted(source, lexer)
            except _RunsWild:
                pass
        return escape.code(source.rstrip()) + "\n"

    def _highlighted(self, source: str, lexer: Lexer) -> str:
        kept = _place_for(source, lexer)
        if not kept:
            html = format_tokens(self._tokens(lexer, source), _FORMATTER)
            # Quotes are harmless between tags, and clients expect them as they were typed.
            kept.append(html.replace("&quot;", '"').replace("&#39;", "'"))
        return kept[0]

    def _tokens(self, lexer: Lexer, source: str) -> Iterator[tuple[_TokenType, str]]:
        for count, token in enumerate(lexer.get_tokens(source)):
            if count % _TOKENS_BETWEEN_LOOKS == 0 and self._is_time_up():
                raise _RunsWild
            yield token

    def _is_time_up(self) -> bool:
        if time.monotonic() - self._clock_at_start < MAX_SECONDS:
            return False
        own_time = time.thread_time()
        if self._own_time_at_warning is None:
            self._own_time_at_warning = own_time
        return own_time - self._own_time_at_warning > MAX_SECONDS


class _RunsWild(Exception):
    """A lexer takes far longer than code of this size needs."""


def _wrap(html: str, language: str) -> str:
    attribute = f' data-code-language="{escape.attribute(language)}"' if language else ""
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{html}</code></pre></div>'


def _named_by_first_line(source: str) -> tuple[str, str]:
    """`#!/bin/sh` names a language and stays; so does `:::python`, which is taken away."""
    first, _, rest = source.partition("\n")
    match = _FIRST_LINE.match(first)
    if match is None:
        return "", source
    return match["language"].lower(), source if match["path"] else rest


@lru_cache(maxsize=64)
def _lexer_for(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, startinline=True) if language else None
    except ClassNotFound:
        return None


@lru_cache(maxsize=64)
def _place_for(source: str, lexer: Lexer) -> list[str]:
    """Where the HTML of some code is kept: it is often rendered twice, as a draft and as sent."""
    return []


def _has_short_lines(source: str) -> bool:
    return len(source) <= MAX_LINE or all(len(line) <= MAX_LINE for line in source.split("\n"))
