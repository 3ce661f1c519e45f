"""Plural forms of texts with a number, by the rules of CLDR.

The rules of seven languages are a few lines; Babel has them too, with the data of all other
languages. A text with a number has an entry for each form of its language, `hours#one` and
`hours#other`. French, Spanish and Portuguese have a form for millions, which only differs in "a
million of": it is left out.
"""

from collections.abc import Callable, Mapping


def _arabic(number: int) -> str:
    if number <= 2:
        return ("zero", "one", "two")[number]
    rest = number % 100
    return "few" if 3 <= rest <= 10 else "many" if rest >= 11 else "other"


def _one(number: int) -> str:
    return "one" if number == 1 else "other"


def _none_or_one(number: int) -> str:
    return "one" if number <= 1 else "other"


_RULES: dict[str, Callable[[int], str]] = {
    "ar": _arabic,
    "de": _one,
    "en": _one,
    "es": _one,
    "fr": _none_or_one,
    "ja": lambda number: "other",
    "pt": _none_or_one,  # of Brazil
}
FORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_RULES, ("one", "other")),
    "ar": ("zero", "one", "two", "few", "many", "other"),
    "ja": ("other",),
}
_SEPARATORS = {"de": ".", "es": ".", "fr": "\N{NARROW NO-BREAK SPACE}", "pt": "."}


def form(language: str, number: int) -> str:
    """The plural form of a number: `one`, `few`, `other`."""
    return _RULES[language](number)


def written(language: str, number: int) -> str:
    """A number with separators of thousands: 1,234 or 1.234. Spanish begins with five digits."""
    if language == "es" and number < 10_000:
        return str(number)
    return f"{number:,}".replace(",", _SEPARATORS.get(language, ","))


def counted(
    texts: Mapping[str, str], language: str, name: str, number: int, **values: object
) -> str:
    """A text with a number in its plural form."""
    text = texts[f"{name}#{form(language, number)}"]
    return text.format(count=written(language, number), **values)
