"""Dates in words, in every language of the texts."""

from datetime import date, datetime

import pytest

from tertulia.domain.organization import dates
from tertulia.domain.organization.languages import TRANSLATED

WRITTEN = {
    "ar": "3 أبريل 2031",
    "de": "3. April 2031",
    "en": "3 April 2031",
    "es": "3 de abril de 2031",
    "fr": "3 avril 2031",
    "ja": "2031年4月3日",
    "pt": "3 de abril de 2031",
}


@pytest.mark.parametrize("language", sorted(TRANSLATED))
def test_a_date_is_written_as_in_its_language(language):
    assert dates.written(language, date(2031, 4, 3)) == WRITTEN[language]


@pytest.mark.parametrize("language", sorted(TRANSLATED))
def test_all_months_and_days_have_a_name(language):
    months = {dates.written(language, date(2031, month, 1)) for month in range(1, 13)}
    days = {dates.written(language, date(2031, 4, day), "long_date") for day in range(1, 8)}

    assert (len(months), len(days)) == (12, 7)


def test_a_time_has_its_zone():
    moment = datetime(2031, 4, 3, 9, 5)

    assert dates.written_with_time("de", moment, "Europe/Berlin") == (
        "3. April 2031, 09:05 (Europe/Berlin)"
    )
    # From right to left, the zone keeps its order within the parentheses.
    assert "(\u2066Africa/Cairo\u2069)" in dates.written_with_time("ar", moment, "Africa/Cairo")
