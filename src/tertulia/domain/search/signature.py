"""Signatures: a Bloom filter of the words of a text.

A filter never denies a word that is in the text, but may allow one that is not; then the text
decides. It is divided into parts, as few as fit into rows of MAX_PART_BYTES. The stem of a word
sets a bit in one part, and so does each of its grams, so that a search reads only a few parts of
many long signatures, and one row of a short one.
"""

from collections.abc import Collection, Iterable, Sequence
from zlib import crc32

from tertulia.domain.search import languages, words
from tertulia.domain.search.languages import DEFAULT
from tertulia.domain.search.query import QueryTerm

MAX_PARTS = 64
PART_COUNTS = (1, 2, 4, 8, 16, 32, MAX_PARTS)
MIN_PART_BYTES = 4
MAX_PART_BYTES = 256  # so that a row fits into a SQLite page; all parts together have 16 KiB
MAX_GRAMS_PER_TERM = 8

_GRAM = 1  # start value of the checksum, so that a gram differs from the same letters as a word


def of(keys: Collection[int]) -> list[bytes]:
    """The parts of the signature of a text with these keys.

    They have eight bits per key, unless there are very many keys.
    """
    count = next((each for each in PART_COUNTS if each * MAX_PART_BYTES >= len(keys)), MAX_PARTS)
    size = min(MAX_PART_BYTES, max(MIN_PART_BYTES, -(-len(keys) // count)))
    parts = [bytearray(size) for _ in range(count)]
    for key in keys:
        bit = _place(key, count, size)
        parts[key % count][bit // 8] |= 1 << bit % 8
    return [bytes(part) for part in parts]


def keys_of(all_words: Iterable[str], language: str = DEFAULT) -> set[int]:
    """The keys of all stems and grams. Pairs of letters are their own stems, and there are
    thousands."""
    spaced: list[str] = []
    pairs: list[str] = []
    for word in all_words:
        (pairs if words.is_unspaced(word) else spaced).append(word)
    stems = {*pairs, *(languages.stem(word, language) for word in spaced)}
    all_grams = set("".join(pairs)).union(*map(words.grams, spaced))
    return {*map(_stem_key, stems), *map(_gram_key, all_grams)}


def alternatives(term: QueryTerm) -> list[list[int]]:
    """The keys of a term: a matching text has all keys of at least one alternative."""
    found = []
    if term.word is not None:
        for (_, stem), start in zip(term.stems, term.starts, strict=True):
            found.append([_stem_key(stem), *_gram_keys(start if term.by_stem else term.word)])
    if term.part is not None:
        found.append(_gram_keys(term.part))
    return found


def first_number(count: int) -> int:
    """The number under which the first part of a signature of so many parts is stored.

    The numbers of the other parts follow. Signatures with different counts share no number.
    """
    return 2 * (MAX_PARTS - count)


def numbered(parts: Sequence[bytes]) -> Iterable[tuple[int, bytes]]:
    """The parts of a signature with their numbers."""
    return enumerate(parts, first_number(len(parts)))


def by_number(keys: Iterable[int], count: int) -> dict[int, list[int]]:
    """Keys by the number of the part to which they belong, in signatures of so many parts."""
    found: dict[int, list[int]] = {}
    for key in keys:
        found.setdefault(first_number(count) + key % count, []).append(key)
    return found


def may_contain(part: bytes, keys: Iterable[int], count: int) -> bool:
    """Whether a text may have all of some keys that belong to this part."""
    for key in keys:
        bit = _place(key, count, len(part))
        if not part[bit // 8] & 1 << bit % 8:
            return False
    return True


def _place(key: int, count: int, size: int) -> int:
    """The bit of a key within its part of so many bytes."""
    return key // count % (size * 8)


def _gram_keys(text: str) -> list[int]:
    if not text:
        return []
    chosen = sorted(words.grams(text))[:MAX_GRAMS_PER_TERM]
    return [_gram_key(gram) for gram in chosen]


def _stem_key(stem: str) -> int:
    return crc32(stem.encode())


def _gram_key(gram: str) -> int:
    return crc32(gram.encode(), _GRAM)
