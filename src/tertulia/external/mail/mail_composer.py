"""Composes a mail in text and HTML from a template.

Each kind of mail has one template per language, `templates/KIND.LANGUAGE.txt`: a subject,
paragraphs, and a paragraph `[words](address)` that becomes a button in HTML. So text and HTML have
one source. Values are inserted on one line each, so that none can start a paragraph.
"""

import re
from datetime import UTC, datetime, tzinfo
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tertulia import domain
from tertulia.domain.emails import INDENT, LINE_BREAK, Email
from tertulia.domain.inbound_mail import OURS

TEMPLATES = Path(__file__).parent / "templates"
ENDS_WITH_ADDRESS = re.compile(r"(.+): (https?://\S+)")
BUTTON = re.compile(r"\[([^\]]+)\]\((\S+)\)")


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
    page = _engine(is_html=True).get_template("layout.html")
    message.add_alternative(
        page.render(
            language=mail.language,
            direction=domain.organization.languages.direction(mail.language),
            subject=subject,
            organization=name,
            paragraphs=paragraphs,
            html=mail.html,
            foot=_foot(paragraphs) if mail.html else [],
        ),
        subtype="html",
    )
    return message


def kinds() -> set[str]:
    return {path.name.split(".")[0] for path in TEMPLATES.glob("*.txt")}


def _rendered(mail: Email) -> tuple[str, list[Paragraph]]:
    template = _engine(is_html=False).get_template(f"{mail.kind}.{mail.language}.txt")
    head, _, body = template.render(**mail.values).partition("\n\n")
    parts = [part.strip() for part in body.split("\n\n")]
    return _one_line(head), [_paragraph(part) for part in parts if part]


def _paragraph(part: str) -> Paragraph:
    button = BUTTON.fullmatch(part)
    return Paragraph(part) if button is None else Paragraph(button[1], button[2])


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
def _engine(*, is_html: bool) -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=is_html,  # noqa: S701 - the other part is plain text
        finalize=None if is_html else _one_line,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
