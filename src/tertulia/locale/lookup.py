"""Texts, numbers and dates in one language."""

import re
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Literal

from tertulia.locale.po_file import Text, TextCatalogue

FOLDER = Path(__file__).parent
ENGLISH = "en"
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.po")))
RIGHT_TO_LEFT = ("ar",)


def closest(code: str) -> str:
    """The catalogue for a language such as `pt-br`; English if there is none."""
    base = code.replace("_", "-").partition("-")[0].lower()
    return base if base in LANGUAGES else ENGLISH


def accepted(accept_language: str | None) -> str:
    """The first language of an Accept-Language header that has a catalogue."""
    for wanted in (accept_language or "").lower().split(","):
        name = wanted.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return ENGLISH


def direction(language: str) -> str:
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"


PLACEHOLDER = re.compile(r"\{(\w+)\}")

DateForm = Literal["date", "short", "long"]

_SEPARATORS = {"de": ".", "es": ".", "fr": "\N{NARROW NO-BREAK SPACE}", "pt": "."}


@cache
def catalogue(language: str) -> TextCatalogue:
    """The catalogue of a language, with English texts in the place of missing ones."""
    return _read(language, None if language == ENGLISH else catalogue(ENGLISH))


def current_catalogue(language: str) -> TextCatalogue:
    """The catalogue as its file is now, for developers."""
    return _read(language, None if language == ENGLISH else _read(ENGLISH, None))


def _read(language: str, english: TextCatalogue | None) -> TextCatalogue:
    return TextCatalogue(FOLDER / f"{language}.po", english)


@cache
def texts(language: str) -> "Texts":
    return Texts(language, catalogue(language))


class Texts:
    """The texts, numbers and dates of one language."""

    def __init__(self, language: str, catalogue: TextCatalogue) -> None:
        self.language = language
        self.direction = direction(language)
        self._texts = catalogue.texts
        self.plural_rule = catalogue.plural_rule  # an expression with `n`, also in JavaScript
        self._form_of = catalogue.form_of

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of a key with its `{name}` fields filled in.

        A text with plural forms follows `count`. Whole numbers get separators of thousands.
        """
        text = self._texts[key]
        if not isinstance(text, str):
            count = values["count"]
            assert isinstance(count, int)
            text = text[self._form_of(count)]
        if not values:
            return text
        return PLACEHOLDER.sub(lambda found: self._shown(values[found[1]]), text)

    def has(self, key: str) -> bool:
        return key in self._texts

    def forms(self, key: str) -> Text:
        """All plural forms of a text, for a script."""
        return self._texts[key]

    def number(self, number: int) -> str:
        """A number with separators of thousands: 1,234 or 1.234. Spanish begins with 5 digits."""
        if self.language == "es" and number < 10_000:
            return str(number)
        return f"{number:,}".replace(",", _SEPARATORS.get(self.language, ","))

    def date(self, day: date, form: DateForm = "date") -> str:
        """A day: 3 April 2031, 3. April 2031 or 2031年4月3日."""
        months = self("date.short-months" if form == "short" else "date.months").split()
        return self(
            f"date.{form}",
            day=str(day.day),
            month=months[day.month - 1],
            year=str(day.year),
            weekday=self("date.weekdays").split()[day.weekday()],
        )

    def moment(self, at: datetime, zone: str) -> str:
        """A day and a time with the name of its zone: 3 April 2031, 09:30 (Europe/Berlin)."""
        return self("date.moment", date=self.date(at), time=f"{at:%H:%M}", zone=zone)

    def _shown(self, value: object) -> str:
        return self.number(value) if isinstance(value, int) else str(value)
