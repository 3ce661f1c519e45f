"""The template engine of pages and documents. All values are escaped."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from tertulia import locale
from tertulia.locale import DateForm
from tertulia.memo import memoized

TEMPLATES = Path(__file__).parent / "templates"
SCRIPT = Path(__file__).parent / "static" / "archive.js"
STATIC = Path(__file__).parents[1] / "web" / "static"  # the page's stylesheets and images


def environment(folders: Sequence[Path] = (TEMPLATES,)) -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,  # else every page asks for the times of its files
        trim_blocks=True,
        lstrip_blocks=True,
    )


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
