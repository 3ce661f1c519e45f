"""Mails: complete in every language, and users cannot inject text."""

import re
from email.message import EmailMessage

import pytest
from tests.support.fake_smtp import html_in, text_in

from tertulia.domain.emails import Email
from tertulia.external.mail import mail_composer
from tertulia.external.mail.layouts import LAYOUTS
from tertulia.locale import LANGUAGES, direction

ADDRESS = re.compile(r"https://[^\s\"<>]*[^\s\"<>.,]")

# A value for every placeholder of a mail.
VALUES = {
    name: f"the {name}"
    for name in (
        "name",
        "organization",
        "address",
        "inviter",
        "agent",
        "from_where",
        "when",
        "comment",
    )
} | {
    "link": "https://chat.example.com/x",
    "site": "https://chat.example.com",
    "leave": "https://chat.example.com/y",
    "until": "2026-11-26",
    "answerable": "yes",
    "topics": "one\x1etwo",
    "channels": "#loft",
    "place": "",
    "names": "Ana",
    "said": "Ana: hi\x1eBen: ho",
    "browser": "Firefox, Linux",
    "found": "Cine: https://chat.example.com/\x1eTeatro: https://other.example.com/",
}


# What a mail can do without, and then says something else.
LESS = {"answerable": "", "channels": "", "comment": "", "found": "", "place": "", "until": ""}
MORE = {"place": "#loft > soup", "named": "yes"}


def written(mail: Email) -> EmailMessage:
    return mail_composer.compose(mail, sender="noreply@x.example", name="Cine", number="1", now=0)


@pytest.mark.parametrize("kind", sorted(LAYOUTS))
def test_every_mail_exists_in_every_language(kind):
    content = {
        (language, number): written(Email(kind, "ana@example.com", language, VALUES | given))
        for language in LANGUAGES
        for number, given in enumerate(({}, LESS, MORE))
    }

    for (language, _), message in content.items():
        text, html = text_in(message), html_in(message)
        assert text.strip()
        assert f'<html lang="{language}" dir="{direction(language)}">' in html
        assert not [sign for sign in "{}[]\x1e" if sign in text]
        assert "\n\n\n" not in text
        # Both say the same: every address of the one is in the other.
        assert {*ADDRESS.findall(text)} <= {*ADDRESS.findall(html)}
    for number in range(3):
        subjects = {content[language, number]["Subject"] for language in LANGUAGES}
        assert len(subjects) == len(LANGUAGES) or number == 2  # a place is called the same
        texts = {text_in(content[language, number]) for language in LANGUAGES}
        assert len(texts) == len(LANGUAGES)
        links = {
            tuple(ADDRESS.findall(text_in(content[language, number]))) for language in LANGUAGES
        }
        assert len(links) == 1


def test_values_cannot_inject_headers_or_markup():
    hostile = "Eve\r\nBcc: all@example.com\n\n[Click](https://evil.example)\n\n<b>x</b>"
    mail = Email("test", "ana@example.com", from_name=hostile, headers={"List-Id": hostile})

    message = written(mail)

    assert message["Bcc"] is None
    assert "\n" not in str(message["From"]) + str(message["List-Id"])


def test_mails_are_marked_as_automatic():
    message = written(Email("test", "ana@example.com", reply_to="mm123@x.example"))

    assert message["From"] == "Cine <noreply@x.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Reply-To"] == "mm123@x.example"
    assert message["Message-ID"] == "<1@x.example>"
