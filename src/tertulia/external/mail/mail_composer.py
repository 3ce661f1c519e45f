"""Composes a mail in text and HTML.

Each kind of mail has a subject and paragraphs (`layouts.py`), whose texts are in the catalogue of
its language. Text and HTML are both made from them. Values are inserted on one line each, so that
none can start a paragraph.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tertulia import locale
from tertulia.domain.emails import BETWEEN, INDENT, LINE_BREAK, Email
from tertulia.domain.inbound_mail import OURS
from tertulia.external.mail.layouts import LAYOUTS, Button, Optional, Paragraphs, Part
from tertulia.locale import Texts

FOLDER = Path(__file__).parent
ENDS_WITH_ADDRESS = re.compile(r"(.+): (https?://\S+)")


class Paragraph(NamedTuple):
    text: str
    address: str = ""  # of the link, if the paragraph is a button


def compose(mail: Email, *, sender: str, name: str, number: str, now: float) -> EmailMessage:
    """`sender` is our address, `name` the display name, `number` makes the Message-ID unique."""
    subject, paragraphs = _rendered(mail)
    message = EmailMessage()
    user, _, host = sender.rpartition("@")
    message["From"] = Address(_one_line(mail.from_name or name), user, host)
    message["To"] = mail.to
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromtimestamp(now, _zone(mail.timezone)))
    message["Message-ID"] = f"<{number}@{host}>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message[OURS] = "letter"  # so that we ignore it if it is sent back to us
    if mail.reply_to:
        message["Reply-To"] = mail.reply_to
    for header, value in mail.headers.items():
        message[header] = _one_line(value)
    text = "\n\n".join(map(_as_text, paragraphs)) + "\n"
    message.set_content(text.replace(LINE_BREAK, "\n").replace(INDENT, " "))
    page = _engine().get_template("layout.html")
    message.add_alternative(
        page.render(
            language=mail.language,
            direction=locale.direction(mail.language),
            subject=subject,
            organization=name,
            paragraphs=paragraphs,
            html=mail.html,
            foot=_foot(paragraphs) if mail.html else [],
        ),
        subtype="html",
    )
    return message


def _rendered(mail: Email) -> tuple[str, list[Paragraph]]:
    t = locale.texts(mail.language)
    values = {name: _one_line(value) for name, value in mail.values.items()}
    subject = values.get("place") or t(f"mail.{mail.kind}.subject", **values)
    if values.get("named"):
        subject += f" [{values['organization']}]"
    parts = LAYOUTS[mail.kind]
    return subject, [each for part in parts for each in _paragraphs(part, t, mail, values)]


def _paragraphs(part: Part, t: Texts, mail: Email, values: dict[str, str]) -> Iterator[Paragraph]:
    match part:
        case str(key):
            yield Paragraph(t(key, **values))
        case Button(key, address):
            yield Paragraph(t(key, **values), address.format_map(values))
        case Optional(value, key):
            if values.get(value):
                yield Paragraph(t(key, **values))
        case Paragraphs(value, otherwise):
            given = filter(None, map(_one_line, mail.values[value].split(BETWEEN)))
            yield from map(Paragraph, given)
            if otherwise and not mail.values[value]:
                yield Paragraph(t(otherwise, **values))


def _foot(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """What follows the messages of a mail: read on, answer, unsubscribe."""
    first = next((n for n, each in enumerate(paragraphs) if each.address), len(paragraphs))
    return [_linked(each) for each in paragraphs[first:]]


def _linked(paragraph: Paragraph) -> Paragraph:
    """A paragraph that ends with an address as the text of a link."""
    found = ENDS_WITH_ADDRESS.fullmatch(paragraph.text)
    return paragraph if found is None else Paragraph(found[1], found[2])


def _as_text(paragraph: Paragraph) -> str:
    return f"{paragraph.text}:\n{paragraph.address}" if paragraph.address else paragraph.text


def _zone(name: str) -> tzinfo:
    """The time zone of this name, or UTC if it is unknown."""
    try:
        return ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError):
        return UTC


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


@cache
def _engine() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
