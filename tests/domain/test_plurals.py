"""Plural forms: the rules of CLDR, and that every text with a number has all forms."""

import re

import pytest

from tertulia.documents.texts import LANGUAGES as DOCUMENTS
from tertulia.domain.organization.plurals import FORMS, counted, form, written
from tertulia.web.page_texts import LANGUAGES as PAGES

# In English: a number before a plural, as in "{} minutes".
NUMBER_BEFORE_PLURAL = re.compile(r"\{\w*\}\+? (?!as |is |wants )[a-z]+s\b")


@pytest.mark.parametrize(
    ("language", "numbers"),
    [
        ("en", {"one": [1], "other": [0, 2, 11, 21, 100]}),
        ("de", {"one": [1], "other": [0, 2, 101]}),
        ("es", {"one": [1], "other": [0, 2, 21]}),
        ("fr", {"one": [0, 1], "other": [2, 21, 101]}),
        ("pt", {"one": [0, 1], "other": [2, 21, 101]}),
        ("ja", {"other": [0, 1, 2, 100]}),
        (
            "ar",
            {
                "zero": [0],
                "one": [1],
                "two": [2],
                "few": [3, 10, 103, 1010],
                "many": [11, 99, 111, 1099],
                "other": [100, 101, 102, 200, 1000],
            },
        ),
    ],
)
def test_the_form_follows_the_rules_of_the_language(language, numbers):
    assert tuple(numbers) == FORMS[language]
    for expected, each in numbers.items():
        assert {form(language, number) for number in each} == {expected}


@pytest.mark.parametrize("everything", [DOCUMENTS, PAGES], ids=["documents", "pages"])
def test_a_text_with_a_number_has_every_form_of_its_language(everything):
    for language, texts in everything.items():
        names = {key.partition("#")[0] for key in texts if "#" in key}
        assert {key for key in texts if "#" in key} == {
            f"{name}#{each}" for name in names for each in FORMS[language]
        }, language
        plain = {key: text for key, text in texts.items() if "#" not in key}
        assert not [key for key, text in plain.items() if "{count}" in text], language


@pytest.mark.parametrize("everything", [DOCUMENTS, PAGES], ids=["documents", "pages"])
def test_no_text_without_forms_has_a_number_before_a_plural(everything):
    found = [
        key
        for key, text in everything["en"].items()
        if "#" not in key and NUMBER_BEFORE_PLURAL.search(text)
    ]

    assert not found


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
    texts = DOCUMENTS[language]

    assert [counted(texts, language, "message_count", n) for n in (1, 2, 1234)] == words


def test_a_spanish_number_has_separators_from_five_digits_on():
    assert (written("es", 1234), written("es", 12345)) == ("1234", "12.345")
