"""Code blocks, highlighted by Pygments.

The CSS classes are Pygments' short ones; clients have the colours. The library is loaded with the
first code that has a language (10 ms, 1.5 MB), and a lexer with the first use of its language.

Many lexers take quadratic time for text that is not code. So blocks with overlong lines, words or
gaps are not highlighted, and the cost of a message is estimated beforehand from its number of
tokens: linear for the lexers in `_STEADY`, squared for all others. The HTML depends only on the
message.
"""

import re
from functools import cache
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

from tertulia.markdown import escape
from tertulia.memo import memoized

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_HIGHLIGHTED = 2_000  # tokens of all code in a message; the rest is not highlighted
MAX_UNSTEADY = 400  # tokens of a block whose lexer is not in `_STEADY`
CHARACTERS_PER_PIECE = 3  # long words and gaps also have a cost
MAX_LINE = 500
MAX_RUN = 80  # letters of one word, or spaces in a row
MAX_EMPTY_LINES = 10
MAX_WORDS = 30  # separated only by spaces, for the lexers in `_LOOKING_AHEAD`

# Languages whose lexers were measured to be linear for any input.
_STEADY = """
    awk bash bat c clojure cmake console cpp csharp css dart diff django docker elixir erlang fsharp
    go graphql groovy haskell html http ini java js json jsx julia kotlin less lisp lua make
    markdown matlab nasm nginx nix objective-c ocaml perl php postgres powershell properties
    protobuf pycon python r rst ruby rust sass scala scss sql sqlite3 swift terraform tex text toml
    tsx typescript vim xml yaml zig
"""
STEADY = frozenset(_STEADY.split())


# The cost of a token in languages with slower lexers.
_PRICES = {
    "Docker": 1.5,
    "Makefile": 2.0,
    "Markdown": 1.5,
    "Nemerle": 1.5,
    "Objective-C": 1.5,
    "PHP": 1.5,
    "SARL": 1.5,
    "Systemd": 5.0,
    "TSX": 1.5,
    "Terraform": 2.5,
    "TypeScript": 1.5,
    "X++": 1.5,
    "Xtend": 1.5,
    "reStructuredText": 1.5,
}

# Lexers that look ahead for a parenthesis after any number of words, at every word.
_LOOKING_AHEAD = frozenset({"csharp", "java", "groovy", "aspectj", "ceylon", "gosu", "xpp"})

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_OVERLONG = re.compile(
    rf"^.{{{MAX_LINE + 1}}}"
    rf"|(?<!\w)\w{{{MAX_RUN + 1}}}"
    rf"|(?<!\s)\s{{{MAX_RUN + 1}}}"
    rf"|(?:\n[^\S\n]*+){{{MAX_EMPTY_LINES + 2}}}",
    re.MULTILINE,
)
_WORDS_ONLY = re.compile(rf"(?<!\S)(?:[\w$.<>\[\]]++\s++){{{MAX_WORDS + 1}}}")
_FIRST_LINE = re.compile(r"(?:::+|#!)(?P<path>(?:/\w+)*[/ ])?(?P<language>[\w#.+-]*)")


class CodeHighlighter:
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
        """Like a fenced block without a language, with an empty line after it."""
        language, source = _named_by_first_line(source.strip("\n"))
        return _wrap(self._html(source, _lexer_for(language)), "") + "\n"

    def _html(self, source: str, lexer: "Lexer | None") -> str:
        if lexer:
            cost = estimated_cost(source, lexer)
            if cost <= self._left:
                self._left -= cost
                return _highlighted(source, lexer)
        return _plain(source)


def estimated_cost(source: str, lexer: "Lexer") -> float:
    """The estimated cost of highlighting a block, in tokens; infinite if it cannot be code."""
    if _OVERLONG.search(source):
        return inf
    if not _LOOKING_AHEAD.isdisjoint(lexer.aliases) and _WORDS_ONLY.search(source):
        return inf
    pieces = max(len(source) / CHARACTERS_PER_PIECE, len(_PIECE.findall(source)))
    cost = pieces * _PRICES.get(lexer.name, 1.0)
    if STEADY.isdisjoint(lexer.aliases):
        cost *= max(2.0, MAX_HIGHLIGHTED * cost / MAX_UNSTEADY**2)
    return cost


def _wrap(html: str, language: str) -> str:
    attribute = f' data-code-language="{escape.attribute(language)}"' if language else ""
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{html}</code></pre></div>'


def _named_by_first_line(source: str) -> tuple[str, str]:
    """The language in a first line like `#!/bin/sh`, which is kept, or `:::python`, which is
    removed."""
    first, _, rest = source.partition("\n")
    match = _FIRST_LINE.match(first)
    if match is None:
        return "", source
    return match["language"].lower(), source if match["path"] else rest


@memoized("lexers", 64)
def _lexer_for(language: str) -> "Lexer | None":
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, startinline=True)
    except ClassNotFound:
        return None


@memoized("highlighted_code", 64)
def _highlighted(source: str, lexer: "Lexer") -> str:
    """Cached, because the same code is often rendered twice: as a draft and when it is sent."""
    limit = 2 * len(source) + 100
    tokens = list(islice(lexer.get_tokens(source), limit))
    if len(tokens) == limit:  # a lexer may emit empty tokens forever
        return _plain(source)
    from pygments import format as format_tokens

    html: str = format_tokens(tokens, _formatter())
    # Quotes need no escaping between tags, and clients expect them as typed.
    return html.replace("&quot;", '"').replace("&#39;", "'")


@cache
def _formatter() -> Any:
    from pygments.formatters.html import HtmlFormatter

    return HtmlFormatter(nowrap=True)


def _plain(source: str) -> str:
    return escape.code(source.rstrip()) + "\n"
