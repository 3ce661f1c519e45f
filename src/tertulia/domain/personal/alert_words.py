"""Alert words: texts that notify a user wherever they occur.

Texts are compared without case and at word boundaries, so that "tea" does not match "teacher".
Scripts without spaces have no such boundaries; there a word matches anywhere. Both follow from
tokens: a word matches where its tokens occur in sequence.

The time to search a text depends on the text, not on the number of words: at each token with which
words begin, the server looks up sequences of the lengths that such words have.
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

MAX_TOKENS = 100  # per word; some letters become three when they are folded


class WatchedWord(NamedTuple):
    """A word as it is searched for. Only 64-bit hashes of texts are kept; collisions are
    negligible."""

    first: int  # token
    tokens: int
    whole: int


@dataclass(init=False)
class WatchedWords:
    """The alert words of all users. One thread may search while another changes it."""

    _words: dict[int, tuple[WatchedWord, ...]]  # by user
    _users_by_hash: dict[int, tuple[int, ...]]  # users by the hash of a word
    _lengths: dict[int, Counter[int]]  # by first token: how many words have so many tokens

    def __init__(self) -> None:
        self._words, self._users_by_hash, self._lengths = {}, {}, {}

    def set_words(self, user_id: int, words: Iterable[WatchedWord]) -> None:
        """Replace all words of a user."""
        for word in self._words.pop(user_id, ()):
            self._remove(user_id, word)
        kept = tuple(word for word in words if 0 < word.tokens <= MAX_TOKENS)
        for word in kept:
            self._users_by_hash[word.whole] = (*self._users_by_hash.get(word.whole, ()), user_id)
            self._lengths.setdefault(word.first, Counter())[word.tokens] += 1
        if kept:
            self._words[user_id] = kept

    def matches(self, text: str) -> frozenset[int]:
        """All users one of whose words occurs, whether or not they receive the message."""
        if not self._words:
            return frozenset()
        text = fold(text)
        starts = [token.start() for token in _TOKEN.finditer(text)]
        starts.append(len(text))
        found: set[int] = set()
        for index, (start, end) in enumerate(pairwise(starts)):
            for count in tuple(self._lengths.get(hash(text[start:end]), ())):
                if index + count < len(starts):
                    found.update(
                        self._users_by_hash.get(hash(text[start : starts[index + count]]), ())
                    )
        return frozenset(found)

    def _remove(self, user_id: int, word: WatchedWord) -> None:
        left = tuple(each for each in self._users_by_hash[word.whole] if each != user_id)
        if left:
            self._users_by_hash[word.whole] = left
        else:
            del self._users_by_hash[word.whole]
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
