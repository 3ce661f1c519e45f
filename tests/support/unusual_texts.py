"""Texts that are hard to index: each has very many words that no other text has."""

import base64
import random
from itertools import product

from tertulia import domain

LENGTH = domain.limits.MAX_MESSAGE_LENGTH
USUAL = [
    *("the", "quick", "brown", "fox", "jump", "over", "lazy", "dog", "while", "discuss", "lunch"),
    *("plan", "with", "everyone", "town", "last", "week", "bread", "soup", "rice", "bean", "milk"),
]


def chinese(chance: random.Random, length: int = LENGTH) -> str:
    return "".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(length))


def hex_log(chance: random.Random, length: int = LENGTH) -> str:
    lines = (f"{chance.getrandbits(128):032x}" for _ in range(length // 33 + 1))
    return " ".join(lines)[:length]


SHORT_WORDS = sorted(map("".join, product("abcdefghijklmnopqrstuvwxyz0123456789", repeat=3)))


def many_short_words(chance: random.Random, length: int = LENGTH) -> str:
    return " ".join(chance.sample(SHORT_WORDS, length // 4))


def base64_log(chance: random.Random, length: int = LENGTH) -> str:
    return base64.b64encode(chance.randbytes(length)).decode()[:length]


def rare_letters(chance: random.Random, length: int = LENGTH) -> str:
    """Long words of a script with spaces and many letters, so that all grams are new."""
    mails = [chr(chance.randrange(0xA000, 0xA48C)) for _ in range(length)]
    mails[63::64] = " " * len(mails[63::64])
    return "".join(mails)


def english(chance: random.Random, length: int = LENGTH) -> str:
    """Text with the word frequencies of a language."""
    stems = [f"{a}{b}{c}" for a in USUAL for b in ("", "er", "ing", "ly") for c in ("", "s", "x")]
    text = " ".join(chance.choice(stems) for _ in range(length // 5 + 1))
    return text[:length]


HOSTILE = [chinese, hex_log, many_short_words, rare_letters]


def chinese_prose(chance: random.Random, length: int) -> str:
    """Text with the word frequencies of a language without spaces."""
    some = random.Random(0)
    words = [chinese(some, 1 + some.randrange(2)) for _ in range(300)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    return "".join(chance.choices(words, weights, k=length))[:length]
