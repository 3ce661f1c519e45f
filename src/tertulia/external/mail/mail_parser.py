"""Parses an incoming mail into text and attachments.

The mail is untrusted input; a mail that cannot be parsed is refused with a reason. A crafted mail
can keep the library busy for minutes with many lines, many or deeply nested parts, or long headers,
so all of these are limited.
"""

import email
import email.policy
import hashlib
import re
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy
from email.utils import getaddresses, parseaddr
from typing import Any

from tertulia import domain
from tertulia.domain.inbound_mail import OURS, MailFile, MailRefused, ReceivedMail

SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature")
DEFAULT_FILE_NAME = "attachment"
MAX_HEADER_LENGTH = 1000  # characters of a header; the rest is ignored
MAX_LINES = 500_000  # the largest accepted mail has 340,000 in Base64
MAX_PARTS = 100
MAX_DEPTH = 20  # nesting of parts
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")


def parse(raw: bytes) -> ReceivedMail:
    """Raises MailRefused."""
    if max(raw.count(b"\n"), raw.count(b"\r")) > MAX_LINES:
        raise _too_intricate("lines")
    try:
        message = email.message_from_bytes(raw, policy=_Bounded(message_factory=_Parts()))
        assert isinstance(message, EmailMessage)
        return _parse(message, raw)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, IndexError):
        # The library raises many types for a malformed header or part.
        raise MailRefused("5.6.0", "The mail cannot be read.") from None


def _parse(message: EmailMessage, raw: bytes) -> ReceivedMail:
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    automatic = _header(message, "Auto-Submitted").lower().partition(";")[0].strip()
    precedence = _header(message, "Precedence").lower()
    return ReceivedMail(
        number=_header(message, "Message-ID") or hashlib.sha256(raw).hexdigest(),
        sender=_header(message, "From"),
        subject=_header(message, "Subject"),
        text=_text(plain),
        html=_content(html) if html is not None else "",
        files=tuple(_files(message, (plain, html))),
        is_answer_of_machine=automatic.startswith("auto-replied")
        or bool(_header(message, "X-Autoreply") or _header(message, "X-Autorespond"))
        or precedence == "auto_reply"
        or message.get_content_type() == "multipart/report",
        is_written_by_machine=automatic not in ("", "no") or precedence in ("bulk", "junk", "list"),
        is_ours=OURS in message,
        hops=len(message.get_all("Received", [])),
    )


class _Bounded(EmailPolicy):
    """Parses headers, and ignores what follows after the maximum length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER_LENGTH]


class _Part(EmailMessage):
    depth = 0

    def attach(self, payload: Any) -> None:
        payload.depth = self.depth + 1
        if payload.depth > MAX_DEPTH:
            raise _too_intricate("parts within each other")
        super().attach(payload)


class _Parts:
    """Creates the parts of one mail for the library, and counts them."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, policy: Any) -> _Part:
        self._made += 1
        if self._made > MAX_PARTS:
            raise _too_intricate("parts")
        return _Part(policy)


def _too_intricate(what: str) -> MailRefused:
    return MailRefused("5.6.0", f"The mail has too many {what}.")


def recipients(raw: bytes) -> list[str]:
    """All recipient addresses in the headers; the one that the last mail server added
    comes first."""
    message = email.message_from_bytes(raw.partition(b"\r\n\r\n")[0], policy=email.policy.compat32)
    names = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
    found = [str(value) for name in names for value in message.get_all(name, [])]
    return [address for _, address in getaddresses(found) if address]


def sender_text(sender: str) -> str:
    """The sender's name and address on one line, without characters that have a meaning in
    Markdown."""
    name, address = parseaddr(sender)
    shown = f"{name} <{address}>" if name and address else name or address or sender
    return "".join(each for each in shown if each.isprintable() and each not in "`*~[]<>") or "?"


def _header(message: EmailMessage, name: str) -> str:
    try:
        found = message.get(name, "")
    except (ValueError, LookupError, TypeError, AttributeError, IndexError):
        return ""  # a malformed header counts as missing
    text = str(found).encode(errors="replace").decode()
    return " ".join(text.replace("\0", "").split())[:MAX_HEADER_LENGTH]


def _text(part: MIMEPart | None) -> str:
    if part is None:
        return ""
    text = _content(part)
    is_flowed = part.get_param("format", header="content-type") == "flowed"
    return domain.mail_text.unflowed(text) if is_flowed else text


def _content(part: MIMEPart) -> str:
    try:
        found = part.get_content()
    except (LookupError, ValueError):
        found = _bytes(part).decode(errors="replace")
    text = found if isinstance(found, str) else _bytes(part).decode(errors="replace")
    readable = text.encode(errors="replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub("", readable)


def _files(message: EmailMessage, bodies: tuple[MIMEPart | None, ...]) -> list[MailFile]:
    found: list[MailFile] = []
    for part in _leaves(message):
        kind = part.get_content_type()
        if kind in SIGNATURES or any(part is body for body in bodies):
            continue
        if kind in ("text/plain", "text/html") and not part.get_filename():
            continue  # an alternative form of the text, or a part of it
        data = _bytes(part)
        if data:
            name = part.get_filename() or DEFAULT_FILE_NAME
            number = str(part.get("Content-ID", "")).strip().strip("<>")
            found.append(MailFile(name.replace("\0", ""), kind, data, number))
    return found


def _leaves(part: MIMEPart) -> Iterator[MIMEPart]:
    """All parts without sub-parts. An attached mail counts as one part."""
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        for each in part.iter_parts():
            yield from _leaves(each)
    else:
        yield part


def _bytes(part: MIMEPart) -> bytes:
    if part.is_multipart():
        inner = part.get_payload()
        return bytes(inner[0].as_bytes()) if isinstance(inner, list) and inner else b""  # type: ignore[union-attr]
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""
