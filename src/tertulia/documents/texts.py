"""The texts of a document in one language."""

from datetime import UTC, datetime

from tertulia import domain
from tertulia.documents.translations import ar, de, en, es, fr, ja, pt

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
        self._texts = LANGUAGES[self.language]

    def __getattr__(self, name: str) -> str:
        try:
            return self._texts[name]
        except KeyError:
            raise AttributeError(name) from None

    def count(self, number: int, limit: int | None = None) -> str:
        """A number of messages; with `limit`, that number means as many or more."""
        if number == 1:
            return self.one_message
        several = self.many_messages if number == limit else self.several_messages
        return several.format(count=f"{number:,}")

    def votes_of(self, voters: list[int]) -> str:
        return self.one_vote if len(voters) == 1 else self.votes.format(count=len(voters))

    def date(self, at: float) -> str:
        return self._written("date", at)

    def short_date(self, at: float) -> str:
        return self._written("short_date", at)

    def long_date(self, at: float) -> str:
        return self._written("long_date", at)

    def _written(self, form: str, at: float) -> str:
        moment = datetime.fromtimestamp(at, UTC)
        month = self.months.split(" ")[moment.month - 1]
        return self._texts[form].format(
            day=moment.day,
            month=month,
            short_month=month[:3],
            year=moment.year,
            weekday=self.days.split(" ")[moment.weekday()],
        )
