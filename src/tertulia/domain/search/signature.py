"""Signatures: which words a long text may hold, as a Bloom filter.

A filter never denies a word that is in the text, and sometimes allows one that is not; the text
decides then. It is cut into parts, and each word has its bits in one part for its stem and in one
part for each of its grams, so that a search reads few parts of many signatures.
"""

from collections.abc import Iterable
from zlib import crc32

from tertulia import domain
from tertulia.domain.search.query import Clue

PARTS = 64
MIN_PART_BYTES = 4
MAX_PART_BYTES = 512  # so that a signature has at most 32 KiB
MAX_GRAMS_PER_CLUE = 8


def of(words: Iterable[str]) -> list[bytes]:
    """The parts of the signature of a text with these words; about eight bits for each key."""
    keys = {key for word in words for key in _keys_of(word)}
    size = MIN_PART_BYTES
    while size < MAX_PART_BYTES and size * PARTS < len(keys):
        size *= 2
    parts = [bytearray(size) for _ in range(PARTS)]
    for key in keys:
        byte, mask = _place(key, size)
        parts[part_of(key)][byte] |= mask
    return [bytes(part) for part in parts]


def alternatives(clue: Clue) -> list[list[int]]:
    """The keys of a clue: a text that fits it has all keys of at least one alternative."""
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
    """Whether the text of a signature may have a key, by the part that the key belongs to."""
    byte, mask = _place(key, len(part))
    return bool(part[byte] & mask)


def _keys_of(word: str) -> list[int]:
    grams = domain.search.words.grams(word)
    return [_stem_key(domain.search.words.stem(word)), *map(_gram_key, grams)]


def _stem_key(stem: str) -> int:
    return crc32(f"={stem}".encode())


def _gram_key(gram: str) -> int:
    return crc32(f"~{gram}".encode())


def _place(key: int, size: int) -> tuple[int, int]:
    byte, bit = divmod(key // PARTS % (size * 8), 8)
    return byte, 1 << bit
