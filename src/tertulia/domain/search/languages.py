"""Stems and stop words by language.

A word of the vocabulary is folded: it has no accents. Stemmers expect them in some endings, so
these endings get their accents back first. Languages without a stemmer, such as Japanese, have the
stems of English: their own words are pairs of letters, and their Latin words are mostly English.
"""

import re

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
_STOP_WORDS = {
    DEFAULT: """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves what which who whom
    this that these those am is are was were be been being have has had having do does did
    doing a an the and but if or because as until while of at by for with about against between
    into through during before after above below to from up down in out on off over under again
    further then once here there when where why how all any both each few more most other some
    such no nor not only own same so than too very s t can will just don should now
    """,
    "german": """
    der die das den dem des ein eine einen einem einer eines und oder aber wenn weil dass als wie
    ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihnen mein dein sein ihre unser
    ist sind war waren bin bist hat haben hatte hatten wird werden wurde wurden kann konnen muss
    nicht kein keine auch nur noch schon sehr so zu zum zur im in an am auf aus bei mit nach von
    vom vor fur uber unter durch um bis dann da hier dort was wer wo wann warum
    """,
    "french": """
    le la les l un une des du de d au aux et ou mais si que qu qui quoi dont ou ce cet cette ces c
    je j tu il elle on nous vous ils elles me m te t se s lui leur leurs mon ma mes ton ta tes son
    sa ses notre nos votre vos est sont etait etaient suis es sommes etes ai as a avons avez ont
    avait ne n pas plus tres en dans sur sous par pour avec sans chez comme quand y
    """,
    "portuguese": """
    o a os as um uma uns umas e ou mas se que quem qual quais de do da dos das em no na nos nas por
    pelo pela para com sem sobre ao aos como quando onde eu tu ele ela nos voce voces eles elas me
    te lhe meu minha seu sua nosso nossa este esta esse essa isto isso aquele aquela sao era
    eram foi foram ser estar esta estao tem tinha ter ha nao mais muito ja so tambem
    """,
    "spanish": """
    el la los las lo un una unos unas y o pero si que quien cual de del en por para con sin sobre a
    al como cuando donde yo tu el ella nosotros ellos ellas me te se le les nos mi mis tus su sus
    este esta estos estas ese esa eso aquel es son era eran fue fueron ser estar esta estan ha han
    habia hay no mas muy ya solo tambien
    """,
    "arabic": """
    في من على عن الى هذا هذه ذلك تلك التي الذي هو هي هم انا نحن ان لا ما لم لن قد كان و او ثم
    """,
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}


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
