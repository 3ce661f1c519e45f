"""Words: splits a text into the units that search compares.

The text is folded first: case, width, accents and styles of quotation marks do not matter.
Languages with spaces are split at spaces. In those without (Chinese, Japanese, Korean, Thai, …)
every two adjacent letters count as a word.
"""

import re
import unicodedata
from itertools import pairwise

MAX_WORD_LENGTH = 64  # longer words, such as encoded data, are stored in overlapping pieces
MAX_PART_LENGTH = MAX_WORD_LENGTH // 2  # texts up to this length are within one such piece
MIN_PART_LENGTH = 3

_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007"
    "\u3041-\u30fa\u30fc-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Letters whose vowels are combining marks, which must not split a word.
_WITH_MARKS = "\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_WITH_MARKS}])"
_SYMBOL = "\u20a0-\u20bf\u2190-\u2bff\U0001f000-\U0001faff"
# Optional marks on letters: accents, Hebrew and Arabic vowels.
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]")

_PLAIN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_ANY = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<spaced>{_LETTER}+(?:'{_LETTER}+)*)|(?P<symbol>[{_SYMBOL}])"
)


class _Folds(dict[int, str]):
    """The folded form of each character, computed on first use."""

    def __missing__(self, code: int) -> str:
        wide = unicodedata.normalize("NFKC", chr(code)).casefold()
        apart = unicodedata.normalize("NFD", wide)
        self[code] = unicodedata.normalize("NFC", _ACCENT.sub("", apart))
        return self[code]


FOLDS = _Folds({ord(mark): '"' for mark in "“”„‟«»＂"} | {ord(mark): "'" for mark in "‘’‛ʼ＇"})


def fold(text: str) -> str:
    """The form in which texts are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(FOLDS)


def words_in(folded: str) -> set[str]:
    if folded.isascii():
        found = set(_PLAIN.findall(folded))
    else:
        found = set()
        for match in _ANY.finditer(folded):
            word = match.group()
            found.update(pairs(word) if match.lastgroup == "unspaced" else (word,))
    if max(map(len, found), default=0) > MAX_WORD_LENGTH:
        return {piece for word in found for piece in _pieces(word)}
    return found


def words_in_order(folded: str) -> list[str]:
    """The words in order. Text without spaces stays in runs."""
    if folded.isascii():
        return _PLAIN.findall(folded)
    return [match.group() for match in _ANY.finditer(folded)]


def tokens(folded: str) -> list[re.Match[str]]:
    """The words in order, with their positions. Text without spaces stays in runs."""
    return list(_ANY.finditer(folded))


def joints(folded: str) -> set[str]:
    """The letters at each boundary between two adjacent words."""
    found = words_in_order(folded)
    return {f"{boundary_letters(left)} {start(right)}" for left, right in pairwise(found)}


def boundary_letters(word: str) -> str:
    """The letters of a word at its boundary with the next one."""
    return word[-MIN_PART_LENGTH:]


def start(word: str) -> str:
    return word[:MIN_PART_LENGTH]


def is_unspaced(word: str) -> bool:
    match = _ANY.match(word)
    return match is not None and match.lastgroup == "unspaced"


def is_symbol(token: re.Match[str]) -> bool:
    return token.lastgroup == "symbol"


def pairs(run: str) -> list[str]:
    """Every two adjacent letters of a run; a single letter by itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def grams(text: str) -> set[str]:
    """The keys by which words that contain the text are found: its letter triples, or single
    letters in scripts without spaces."""
    if is_unspaced(text):
        return set(text)
    return {text[i : i + 3] for i in range(len(text) - 2)}


def _pieces(word: str) -> list[str]:
    if len(word) <= MAX_WORD_LENGTH:
        return [word]
    starts = range(0, len(word) - MAX_PART_LENGTH, MAX_PART_LENGTH)
    return [word[start : start + MAX_WORD_LENGTH] for start in starts]
