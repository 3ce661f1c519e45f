"""Stems and stop words by language.

A word of the vocabulary is folded: it has no accents. Stemmers expect them in some endings, so
these endings get their accents back first. Languages without a stemmer, such as Japanese, have the
stems of English: their own words are pairs of letters, and their Latin words are mostly English.
"""

import re
import tomllib
from pathlib import Path

import Stemmer

from tertulia.domain.search.words import fold, is_unspaced
from tertulia.memo import memoized

DEFAULT = "english"

_BY_CODE = {
    "ar": "arabic",
    "de": "german",
    "en": DEFAULT,
    "es": "spanish",
    "fr": "french",
    "pt": "portuguese",
}
_STEMMERS = {name: Stemmer.Stemmer(name, 0) for name in _BY_CODE.values()}  # cached by `stem`

# Endings as a stemmer expects them, and plurals that no rule of the stemmer covers.
_ENDINGS = {
    "french": [(re.compile("ee(s?)$"), r"ée\1")],
    "portuguese": [
        (re.compile("[oa]es$"), "ao"),
        (re.compile("veis$"), "vel"),
        (re.compile("cao$"), "ção"),
        (re.compile("ao$"), "ão"),
    ],
    "spanish": [(re.compile("logia(s?)$"), r"logía\1")],
}

# Frequent words without meaning for a search, folded.
_FILE = Path(__file__).with_name("stop_words.toml")
STOP_WORDS = {
    language: frozenset(words.split())
    for language, words in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def of_code(code: str) -> str:
    """The language of stems for the language of an organization: `de` gives `german`."""
    return _BY_CODE.get(code.replace("_", "-").split("-")[0].lower(), DEFAULT)


@memoized("stems", 16384)
def stem(word: str, language: str = DEFAULT) -> str:
    """The common stem of the forms of a folded word; pairs of letters are their own stems."""
    if not word.isascii() and is_unspaced(word):
        return word
    for ending, accented in _ENDINGS.get(language, ()):
        word = ending.sub(accented, word)
    found: str = _STEMMERS[language].stemWord(word)
    return (found if found.isascii() else fold(found)) or word


def common_start(stem: str, language: str) -> str:
    """How all forms of a word begin.

    The English stemmer changes at most the last two letters. Others may change letters within a
    word (`ae` in German), and the Arabic and the French one remove prefixes (`l'`).
    """
    if language == DEFAULT:
        return stem[:-2]
    return "" if language in ("arabic", "french") else stem[:1]
