"""The texts of a document in one language. Times are UTC."""

from datetime import date, timedelta
from functools import cache

from tertulia import locale
from tertulia.locale import DateForm
from tertulia.memo import memoized

DAY_SECONDS = 86_400


class DocumentTexts(locale.Texts):
    @classmethod
    @cache
    def of(cls, language: str) -> "DocumentTexts":
        known = locale.closest(language)
        return cls(known, locale.catalogue(known))

    def count(self, number: int, limit: int | None = None) -> str:
        """A number of messages; with `limit`, that number means as many or more."""
        key = "public.many-messages" if number == limit else "public.message-count"
        return self(key, count=number)

    def day(self, at: float, form: DateForm = "date") -> str:
        return _written(self, form, int(at // DAY_SECONDS))


@memoized("document_dates", 512)
def _written(texts: DocumentTexts, form: DateForm, day: int) -> str:
    return texts.date(date(1970, 1, 1) + timedelta(day), form)
