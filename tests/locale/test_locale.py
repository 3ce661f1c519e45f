"""Texts, numbers and dates in every language."""

from datetime import date, datetime

import pytest

from tertulia import locale
from tertulia.locale.po_file import TextCatalogue


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", [[1], [0, 2, 11, 21, 100]]),
        ("de", [[1], [0, 2, 101]]),
        ("es", [[1], [0, 2, 21]]),
        ("fr", [[0, 1], [2, 21, 101]]),
        ("pt", [[0, 1], [2, 21, 101]]),
        ("ja", [[0, 1, 2, 100]]),
        # none, one, two, few, many, other
        ("ar", [[0], [1], [2], [3, 10, 103, 1010], [11, 99, 111, 1099], [100, 101, 102, 1000]]),
    ],
)
def test_the_plural_form_follows_the_rule_of_the_language(language, forms):
    catalogue = locale.catalogue(language)

    assert len(forms) == catalogue.form_count
    for form, numbers in enumerate(forms):
        assert {catalogue.form_of(number) for number in numbers} == {form}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["1 message", "2 messages", "1,234 messages"]),
        ("de", ["1 Nachricht", "2 Nachrichten", "1.234 Nachrichten"]),
        ("es", ["1 mensaje", "2 mensajes", "1234 mensajes"]),
        ("fr", ["1 message", "2 messages", "1\N{NARROW NO-BREAK SPACE}234 messages"]),
        ("pt", ["1 mensagem", "2 mensagens", "1.234 mensagens"]),
        ("ja", ["メッセージ1件", "メッセージ2件", "メッセージ1,234件"]),
        ("ar", ["رسالة واحدة", "رسالتان", "1,234 رسالة"]),
    ],
)
def test_messages_are_counted_in_every_language(language, words):
    t = locale.texts(language)

    assert [t("public.message-count", count=number) for number in (1, 2, 1234)] == words


def test_a_spanish_number_has_separators_from_five_digits_on():
    t = locale.texts("es")

    assert (t.number(1234), t.number(12345)) == ("1234", "12.345")


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("ar", "3 أبريل 2031"),
        ("de", "3. April 2031"),
        ("en", "3 April 2031"),
        ("es", "3 de abril de 2031"),
        ("fr", "3 avril 2031"),
        ("ja", "2031年4月3日"),
        ("pt", "3 de abril de 2031"),
    ],
)
def test_a_date_is_written_as_in_its_language(language, written):
    t = locale.texts(language)

    assert t.date(date(2031, 4, 3)) == written
    assert len({t.date(date(2031, month, 1)) for month in range(1, 13)}) == 12
    assert len({t.date(date(2031, 4, day), "long") for day in range(1, 8)}) == 7


def test_a_time_has_its_zone():
    moment = datetime(2031, 4, 3, 9, 5)

    assert locale.texts("de").moment(moment, "Europe/Berlin") == (
        "3. April 2031, 09:05 (Europe/Berlin)"
    )
    # From right to left, the zone keeps its order within the parentheses.
    assert "(\u2066Africa/Cairo\u2069)" in locale.texts("ar").moment(moment, "Africa/Cairo")


def test_a_value_cannot_insert_a_placeholder():
    assert locale.texts("en")("mail.hello-name", name="{organization}") == "Hello {organization},"


def test_a_text_without_one_of_its_values_is_an_error():
    with pytest.raises(KeyError):
        locale.texts("en")("mail.hello-name", organization="Cine")


HEADER = 'msgid ""\nmsgstr ""\n"Language: {}\\n"\n"Plural-Forms: nplurals={}; plural={};\\n"\n'
ENGLISH = """
msgctxt "soup.on"
msgid "Soup is on"
msgstr ""

msgctxt "soup.off"
msgid "No \\"soup\\"\\tleft\\n"
msgstr ""

msgctxt "soup.cold"
msgid "Cold"
msgstr ""

msgctxt "soup.plates"
msgid "{count} plate"
msgid_plural "{count} plates"
msgstr[0] ""
msgstr[1] ""
"""
JAPANESE = """
# A comment.
msgctxt "soup.on"
msgid "Soup is ready"
msgstr "古い"

msgctxt "soup.off"
msgid ""
"No \\"soup\\"\\t"
"left\\n"
msgstr "なし"

#, fuzzy
#| msgid "Ice cold"
msgctxt "soup.cold"
msgid "Cold"
msgstr "冷"

#~ msgctxt "soup.hot"
#~ msgid "Hot"
#~ msgstr "熱"
"""


def test_a_text_that_is_missing_or_out_of_date_is_in_english(tmp_path):
    (tmp_path / "en.po").write_text(HEADER.format("en", 2, "n!=1") + ENGLISH)
    (tmp_path / "ja.po").write_text(HEADER.format("ja", 1, "0") + JAPANESE)
    english = TextCatalogue(tmp_path / "en.po")

    japanese = TextCatalogue(tmp_path / "ja.po", english)

    assert japanese.texts == {
        "soup.on": "Soup is on",  # translated from other words
        "soup.off": "なし",
        "soup.cold": "Cold",  # marked as uncertain
        "soup.plates": ("{count} plates",),  # with as many forms as the language has
    }
    assert japanese.missing == ["soup.on", "soup.cold", "soup.plates"]
