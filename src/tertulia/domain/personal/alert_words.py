"""Alert words: texts for which somebody wants to be called, wherever they are said.

Texts are compared without case and at the borders of words, so that "tea" is not found in
"teacher". Scripts that are written without spaces have no such borders, and there a word is
found anywhere. A text is cut into tokens once; a word can be in it only if the word's first
token is, so the words that have to be looked for are found by an index.
"""

import re
from functools import lru_cache

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and ideographs
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_LETTER = rf"[^\W{_UNSPACED}]"


def fold(text: str) -> str:
    return text.casefold()


def first_token(word: str) -> str:
    """What a text must hold for the word to be in it."""
    found = _TOKEN.search(fold(word))
    return found[0] if found else ""


def tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(fold(text)))


def is_said(word: str, text: str) -> bool:
    """Whether a word stands in a text; both are folded already."""
    return _pattern(word).search(text) is not None


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, word) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, word[-1]) else ""
    return re.compile(before + re.escape(word) + after)
