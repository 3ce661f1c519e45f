"""The texts of a document in one language."""

from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from tertulia import domain
from tertulia.documents.translations import ar, de, en, es, fr, ja, pt
from tertulia.domain.organization.dates import Form
from tertulia.memo import memoized

DAY_SECONDS = 86_400
LANGUAGES = {
    "en": en.TEXTS,
    "ar": ar.TEXTS,
    "de": de.TEXTS,
    "es": es.TEXTS,
    "fr": fr.TEXTS,
    "ja": ja.TEXTS,
    "pt": pt.TEXTS,
}


class Texts:
    """The texts in one language, and dates written in it. Times are UTC."""

    def __init__(self, language: str) -> None:
        self.language = domain.organization.languages.translated(language)
        self.direction = domain.organization.languages.direction(self.language)
        self._texts = texts = LANGUAGES[self.language]
        # Attributes, because a page reads dozens of them; some names are those of methods.
        self.__dict__.update((name, texts[name]) for name in texts if not hasattr(Texts, name))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> str: ...

    @classmethod
    @cache
    def of(cls, language: str) -> "Texts":
        return cls(language)

    def count(self, number: int, limit: int | None = None) -> str:
        """A number of messages; with `limit`, that number means as many or more."""
        return self.counted("many_messages" if number == limit else "message_count", number)

    def counted(self, name: str, number: int) -> str:
        """A text with a number, in the plural form of the language."""
        return domain.organization.plurals.counted(self._texts, self.language, name, number)

    def forms(self, name: str) -> dict[str, str]:
        """All plural forms of a text, for a script."""
        known = domain.organization.plurals.FORMS[self.language]
        return {form: self._texts[f"{name}#{form}"] for form in known}

    def date(self, at: float) -> str:
        return self._written("date", at)

    def short_date(self, at: float) -> str:
        return self._written("short_date", at)

    def long_date(self, at: float) -> str:
        return self._written("long_date", at)

    def _written(self, form: Form, at: float) -> str:
        return _date(self.language, form, int(at // DAY_SECONDS))


@memoized("document_dates", 512)
def _date(language: str, form: Form, day: int) -> str:
    moment = date(1970, 1, 1) + timedelta(day)
    return domain.organization.dates.written(language, moment, form)
