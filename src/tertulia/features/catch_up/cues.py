"""Cue words: the phrases by which a decision, a request or a changed date is recognized.

A cue is a sequence of words in the folded form of search. A word that ends with `*` matches every
word that starts so. Scripts without spaces are compared as parts of the text. All languages are
looked up at once, because one team often writes in several.
"""

import tomllib
from pathlib import Path

from tertulia import domain

_FILE = Path(__file__).with_suffix(".toml")


class Cue:
    """Bits; a text has any number of them."""

    DECISION = 1
    ASK = 2  # asks the whole group: who can, shall we
    REQUEST = 4  # asks for something without a question mark
    INTENTION = 8  # the writer will do something
    CHANGE = 16  # with a date: something was moved
    DATE = 32


def cues_in(folded: str, found_words: list[str]) -> int:
    """The cues of a text, which is given folded and as its words, as bits of `Cue`."""
    found = 0
    for index, word in enumerate(found_words):
        if word[:_START_LENGTH] not in _HEADS:  # true of nearly all words
            continue
        found |= _WORDS.get(word, 0)
        for parts, cue in _PHRASES.get(word, ()):
            if found_words[index : index + len(parts)] == parts:
                found |= cue
        for start, cue in _STARTS.get(word[:_START_LENGTH], ()):
            if word.startswith(start):
                found |= cue
    if not folded.isascii():
        for part, cue in _UNSPACED:
            if part in folded:
                found |= cue
    return found


def words_of(folded: str) -> list[str]:
    """The words of a folded text, in order."""
    return domain.search.words.words_in_order(folded)


_START_LENGTH = 4  # letters by which the starts of words are looked up
_WORDS: dict[str, int] = {}
_PHRASES: dict[str, list[tuple[list[str], int]]] = {}  # by their first word
_STARTS: dict[str, list[tuple[str, int]]] = {}  # by their first letters
_UNSPACED: list[tuple[str, int]] = []


def _add(text: str, cue: int) -> None:
    folded = domain.search.words.fold(text.strip())
    found_words = words_of(folded)
    if domain.search.words.is_unspaced(folded):
        _UNSPACED.append((folded, cue))
    elif folded.endswith("*"):
        *before, start = found_words
        if before:
            raise ValueError(f"only a single word may end with *: {text}")
        _STARTS.setdefault(start[:_START_LENGTH], []).append((start, cue))
    elif len(found_words) > 1:
        _PHRASES.setdefault(found_words[0], []).append((found_words, cue))
    else:
        _WORDS[found_words[0]] = _WORDS.get(found_words[0], 0) | cue


for _name, _languages in tomllib.loads(_FILE.read_text(encoding="utf-8")).items():
    for _text in ",".join(_languages.values()).split(","):
        _add(_text, getattr(Cue, _name.upper()))
# The first letters of all of them.
_HEADS = frozenset(each[:_START_LENGTH] for each in (*_WORDS, *_PHRASES, *_STARTS))
