"""Alert words: texts for which somebody wants to be called, wherever they are said.

Texts are compared without case and at the borders of words, so that "tea" is not found in
"teacher". Scripts that are written without spaces have no such borders, and there a word is
found anywhere. Both are said by tokens: a word is said where its tokens stand in a row.

What it takes to find the words of a text depends on the text, not on how many words there are:
at each token that words begin with, rows of as many tokens as such words have are looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and ideographs
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]|\s")

MAX_TOKENS = 100  # of a word: some letters become three when they are folded


class WatchedWord(NamedTuple):
    """A word as it is looked for. Of texts only hashes are kept: they are short, and that two are
    the same by chance nobody will live to see."""

    first: int  # token
    tokens: int
    whole: int


@dataclass(init=False)
class WatchedWords:
    """Everybody's words. It may be asked on one thread while it is changed on another."""

    _words: dict[int, tuple[WatchedWord, ...]]  # by user
    _called: dict[int, tuple[int, ...]]  # users, by the hash of a word
    _lengths: dict[int, Counter[int]]  # by first token, how many words have so many tokens

    def __init__(self) -> None:
        self._words, self._called, self._lengths = {}, {}, {}

    def put(self, user_id: int, words: Iterable[WatchedWord]) -> None:
        """All words of somebody, in the place of those before."""
        for word in self._words.pop(user_id, ()):
            self._take_out(user_id, word)
        kept = tuple(word for word in words if 0 < word.tokens <= MAX_TOKENS)
        for word in kept:
            self._called[word.whole] = (*self._called.get(word.whole, ()), user_id)
            self._lengths.setdefault(word.first, Counter())[word.tokens] += 1
        if kept:
            self._words[user_id] = kept

    def called_by(self, text: str) -> frozenset[int]:
        """Everybody one of whose words is said, whether or not they hear it."""
        if not self._words:
            return frozenset()
        text = fold(text)
        starts = [token.start() for token in _TOKEN.finditer(text)]
        starts.append(len(text))
        called: set[int] = set()
        for index, (start, end) in enumerate(pairwise(starts)):
            for count in tuple(self._lengths.get(hash(text[start:end]), ())):
                if index + count < len(starts):
                    called.update(self._called.get(hash(text[start : starts[index + count]]), ()))
        return frozenset(called)

    def _take_out(self, user_id: int, word: WatchedWord) -> None:
        left = tuple(each for each in self._called[word.whole] if each != user_id)
        if left:
            self._called[word.whole] = left
        else:
            del self._called[word.whole]
        lengths = self._lengths[word.first]
        lengths[word.tokens] -= 1
        if not lengths[word.tokens]:
            del lengths[word.tokens]
        if not lengths:
            del self._lengths[word.first]


def fold(text: str) -> str:
    return text.casefold()


def watched(word: str) -> WatchedWord:
    tokens = _TOKEN.findall(fold(word))
    return WatchedWord(hash(tokens[0] if tokens else ""), len(tokens), hash("".join(tokens)))
