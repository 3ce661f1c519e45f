"""Dates in the languages of the texts, as CLDR writes them.

The months and orders of seven languages are a few lines; Babel has them too, with the data of all
other languages.
"""

from datetime import date, datetime
from typing import Literal, NamedTuple

Form = Literal["date", "short_date", "long_date"]


class _Dates(NamedTuple):
    months: str
    days: str
    date: str
    short_date: str
    long_date: str
    with_time: str = "{date}, {time} ({zone})"


_DATES = {
    "ar": _Dates(
        "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
        "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
        "{day} {month} {year}",
        "{day} {month} {year}",
        "{weekday}، {day} {month} {year}",
        "{date}، {time} (\u2066{zone}\u2069)",
    ),
    "de": _Dates(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "{day}. {month} {year}",
        "{day}. {short_month} {year}",
        "{weekday}, {day}. {month} {year}",
    ),
    "en": _Dates(
        "January February March April May June July August September October November December",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "{day} {month} {year}",
        "{day} {short_month} {year}",
        "{weekday}, {day} {month} {year}",
    ),
    "es": _Dates(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "lunes martes miércoles jueves viernes sábado domingo",
        "{day} de {month} de {year}",
        "{day} {short_month} {year}",
        "{weekday}, {day} de {month} de {year}",
    ),
    "fr": _Dates(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "{day} {month} {year}",
        "{day} {month} {year}",
        "{weekday} {day} {month} {year}",
    ),
    "ja": _Dates(
        "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
        "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
        "{year}年{month}{day}日",
        "{year}年{short_month}{day}日",
        "{year}年{month}{day}日 {weekday}",
        "{date} {time}（{zone}）",
    ),
    "pt": _Dates(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "{day} de {month} de {year}",
        "{day} {short_month} {year}",
        "{weekday}, {day} de {month} de {year}",
    ),
}


def written(language: str, day: date, form: Form = "date") -> str:
    """A day in a language: 3 April 2031, 3. April 2031 or 2031年4月3日."""
    dates = _DATES[language]
    month = dates.months.split()[day.month - 1]
    text: str = getattr(dates, form)
    return text.format(
        day=day.day,
        month=month,
        short_month=month[:3],
        year=day.year,
        weekday=dates.days.split()[day.weekday()],
    )


def written_with_time(language: str, moment: datetime, zone: str) -> str:
    """A day and a time with the name of its zone: 3 April 2031, 09:30 (Europe/Berlin)."""
    return _DATES[language].with_time.format(
        date=written(language, moment), time=f"{moment:%H:%M}", zone=zone
    )
