"""Code blocks, highlighted by Pygments.

The classes are Pygments' own short ones; clients bring the colours. A lexer takes a moment to load
when its language is first used, and stays.

Many lexers take quadratic time for text that is no code at all. So long lines are not highlighted,
and what a message may cost is counted beforehand, in characters for the lexers of `STEADY`, and in
their squares for all others: what a block looks like depends on the message and on nothing else.
"""

import re
from functools import lru_cache

from pygments import format as format_tokens
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from tertulia.markdown import escape

MAX_HIGHLIGHTED = 6_000  # characters of all code of a message; what goes beyond is shown plain
MAX_UNSTEADY = 1_000  # of a block in a language whose lexer is not known to be steady
MAX_LINE = 500

# Languages whose lexers were measured to take linear time for whatever they are given.
_STEADY = """
    awk bash bat c clojure cmake console cpp css dart diff django docker elixir erlang fsharp go
    graphql haskell html http ini js json jsx julia kotlin less lisp lua make markdown matlab nasm
    nginx nix objective-c ocaml perl php postgres powershell properties protobuf pycon python r
    rst ruby rust sass scala scss sql sqlite3 swift terraform tex text toml tsx typescript vim xml
    yaml zig
"""
STEADY = frozenset(_STEADY.split())
_UNSTEADY_BUT_QUICK = {"Java": 2_000, "Groovy": 2_000}

_FIRST_LINE = re.compile(r"(?:::+|#!)(?P<path>(?:/\w+)*[/ ])?(?P<language>[\w#.+-]*)")
_FORMATTER = HtmlFormatter(nowrap=True)


class Highlighter:
    """The code of one message."""

    def __init__(self, default_language: str = "") -> None:
        self._default_language = default_language
        self._left = float(MAX_HIGHLIGHTED)

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
        if lexer and _has_short_lines(source) and self._afford(source, lexer):
            return _highlighted(source, lexer)
        return escape.code(source.rstrip()) + "\n"

    def _afford(self, source: str, lexer: Lexer) -> bool:
        """Take what a block costs from what is left for the message, if that is enough."""
        cost = float(len(source))
        if STEADY.isdisjoint(lexer.aliases):
            most = _UNSTEADY_BUT_QUICK.get(lexer.name, MAX_UNSTEADY)
            cost *= max(1.0, MAX_HIGHLIGHTED * cost / most**2)
        if cost > self._left:
            return False
        self._left -= cost
        return True


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
def _highlighted(source: str, lexer: Lexer) -> str:
    """Kept for a while: the same code is often rendered twice, as a draft and as sent."""
    html = format_tokens(lexer.get_tokens(source), _FORMATTER)
    # Quotes are harmless between tags, and clients expect them as they were typed.
    return html.replace("&quot;", '"').replace("&#39;", "'")


def _has_short_lines(source: str) -> bool:
    return len(source) <= MAX_LINE or all(len(line) <= MAX_LINE for line in source.split("\n"))
