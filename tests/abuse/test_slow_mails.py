"""Small mails that take a mail library minutes: refused before parsing, or parsed only as far as
needed."""

import email.headerregistry
import threading
from typing import Any

import pytest
from tests.server.test_inbound_mail import delivers, new_mail
from tests.support.people import Chat

from tertulia.domain.inbound_mail import MailRefused
from tertulia.external.mail import mail_parser

HEAD = b"From: else@example.org\r\nSubject: Soup\r\nMIME-Version: 1.0\r\n"


def many_parts(count: int) -> bytes:
    start = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    return start + b"--b\r\n\r\nsalt\r\n" * (count - 1) + b"--b--\r\n"


def parts_within_each_other(depth: int) -> bytes:
    begin = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    return HEAD + b"".join(begin % (each, each) for each in range(depth)) + b"\r\nsalt\r\n"


def many_lines(count: int, end: bytes = b"\r\n") -> bytes:
    return HEAD + b"\r\n" + (b"." + end) * (count - 4)


@pytest.mark.parametrize(
    "make, most, what",
    [
        (many_parts, mail_parser.MAX_PARTS, "parts"),
        (parts_within_each_other, mail_parser.MAX_DEPTH, "parts within each other"),
        (many_lines, mail_parser.MAX_LINES, "lines"),
        (lambda count: many_lines(count, b"\r"), mail_parser.MAX_LINES, "lines"),
    ],
)
def test_lines_parts_and_depth_of_a_mail_are_limited(make, most, what):
    assert mail_parser.parse(make(most)).subject == "Soup"
    with pytest.raises(MailRefused, match=f"The mail has too many {what}."):
        mail_parser.parse(make(most + 10))


@pytest.mark.parametrize(
    "head",
    [
        b"From: " + b"else@example.org," * 10_000,
        b"Content-Type: text/plain" + b"; salt=pepper" * 10_000,
        b"Content-Type: text/plain" + b";\r\n salt=pepper" * 10_000,
        b"Content-Disposition: attachment; filename=" + b"a" * 100_000,
        b"Message-ID: <" + b"a" * 100_000 + b">",
    ],
)
def test_only_the_beginning_of_a_header_is_parsed(monkeypatch, head):
    looked_at: list[int] = []
    looks = email.headerregistry.HeaderRegistry.__call__

    def count(registry: Any, name: str, value: str) -> Any:
        looked_at.append(len(value))
        return looks(registry, name, value)

    monkeypatch.setattr(email.headerregistry.HeaderRegistry, "__call__", count)

    mail_parser.parse(head + b"\r\nSubject: Soup\r\n\r\nsalt\r\n")

    assert 0 < max(looked_at) <= mail_parser.MAX_HEADER_LENGTH


@pytest.fixture
def address(mail_chat: Chat) -> str:
    ana = mail_chat.person("ana", channels=["kitchen"])
    number = mail_chat.channel("kitchen").id
    mail_text = ana.get(f"/streams/{number}/email_address").succeeds()
    found: str = mail_text["email"]
    return found


def test_a_refused_mail_does_not_delay_others(mail_chat, address, monkeypatch):
    at_once: list[str] = []
    reads = mail_parser.parse

    def read(raw: bytes) -> Any:
        at_once.append(threading.current_thread().name)
        return reads(raw)

    monkeypatch.setattr(mail_parser, "parse", read)
    bomb = many_parts(10_000)

    (refused,) = delivers(mail_chat, bomb, to=address)
    (taken,) = delivers(mail_chat, new_mail(address, subject="Soup"))

    assert refused == (550, "5.6.0 The mail has too many parts.")
    assert taken[0] == 250
    assert {name.rpartition("_")[0] for name in at_once} == {"mails"}
