"""Signatures: a Bloom filter of the words of a long text.

A filter never denies a word that is in the text, but may allow one that is not; then the text
decides. It is divided into parts. The stem of a word sets bits in one part, and each of its grams
in one part, so that a search reads only a few parts of many signatures.
"""

from collections.abc import Collection, Iterable
from zlib import crc32

from tertulia import domain
from tertulia.domain.search.query import QueryTerm

PARTS = 64
MIN_PART_BYTES = 4
MAX_PART_BYTES = 256  # so that a row fits into a SQLite page; all parts together have 16 KiB
MAX_GRAMS_PER_CLUE = 8

_GRAM = 1  # start value of the checksum, so that a gram differs from the same letters as a word


def of(keys: Collection[int]) -> list[bytes]:
    """The parts of the signature of a text with these keys.

    They have at least eight bits per key, unless there are very many keys.
    """
    size = MIN_PART_BYTES
    while size < MAX_PART_BYTES and size * PARTS < len(keys):
        size *= 2
    parts = [bytearray(size) for _ in range(PARTS)]
    bits = size * 8
    for key in keys:
        place = key // PARTS % bits
        parts[key % PARTS][place // 8] |= 1 << place % 8
    return [bytes(part) for part in parts]


def keys_of(words: Iterable[str]) -> set[int]:
    """The keys of all stems and grams. Pairs of letters are their own stems, and there are
    thousands."""
    spaced: list[str] = []
    pairs: list[str] = []
    for word in words:
        (pairs if domain.search.words.is_unspaced(word) else spaced).append(word)
    stems = {*pairs, *map(domain.search.words.stem, spaced)}
    grams = set("".join(pairs)).union(*map(domain.search.words.grams, spaced))
    return {*map(_stem_key, stems), *map(_gram_key, grams)}


def alternatives(clue: QueryTerm) -> list[list[int]]:
    """The keys of a term: a matching text has all keys of at least one alternative."""
    found = []
    if clue.stem is not None or clue.word is not None:
        stem = domain.search.words.stem(clue.word or "") if clue.stem is None else clue.stem
        found.append([_stem_key(stem)])
    if clue.part is not None:
        grams = sorted(domain.search.words.grams(clue.part))[:MAX_GRAMS_PER_CLUE]
        found.append([_gram_key(gram) for gram in grams])
    return found


def part_of(key: int) -> int:
    return key % PARTS


def may_hold(part: bytes, key: int) -> bool:
    """Whether a text may have a key. `part` is the part to which the key belongs."""
    place = key // PARTS % (len(part) * 8)
    return bool(part[place // 8] & 1 << place % 8)


def _stem_key(stem: str) -> int:
    return crc32(stem.encode())


def _gram_key(gram: str) -> int:
    return crc32(gram.encode(), _GRAM)
