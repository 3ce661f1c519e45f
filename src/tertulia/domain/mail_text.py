"""The text of a mail without quotations and signatures."""

import re

_QUOTED = re.compile(r"^\s{0,3}>")
_SIGNATURE = re.compile(r"^-- ?$")
_SENT_FROM = re.compile(
    r"^(?:Sent from my |Sent from Outlook|Get Outlook for |Sent with |Sent via |Enviado desde mi"
    r" |Enviado desde |Von meinem .{1,40} gesendet|Envoyé de mon )",
    re.IGNORECASE,
)
_RULE = re.compile(r"^\s*_{20,}\s*$")
_ORIGINAL = re.compile(
    r"^\s*-{3,}\s*(?:Original Message|Mensaje original|Ursprüngliche Nachricht|Message d'origine"
    r"|Forwarded message|Mensaje reenviado)\s*-{3,}\s*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"^\s*\*?(?:From|De|Von|Van|Da|Från)\*?\s*:", re.IGNORECASE)
_OTHER_HEADER = re.compile(
    r"^\s*\*?(?:Sent|Date|To|Subject|Enviado(?: el)?|Fecha|Para|Asunto|Gesendet|Datum|An|Betreff"
    r"|Envoyé|À|Objet)\*?\s*:",
    re.IGNORECASE,
)
# How mail programs introduce a quotation: the sender, and usually the date.
_INTRODUCTION = re.compile(r"(?:\d|@|<|wrote|escribió|schrieb|a écrit).*:$")
_BEGINS = re.compile(r"^(?:On|El|Am|Le|Il|Op|Em|Den|På|\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./])\b")
_MAX_INTRODUCTION_LINES = 3
_MAX_LINE_LENGTH = 400  # of a line that may be an introduction
MAX_CHARACTERS = 250_000  # that are read
MAX_LINES = 10_000  # a message has no more characters than that


def unflowed(text: str) -> str:
    """Join the lines of `format=flowed` paragraphs (RFC 3676)."""
    pieces: list[str] = []
    is_open = False
    for line in text[:MAX_CHARACTERS].splitlines():
        line = line[1:] if line.startswith(" ") else line  # space-stuffed
        if pieces and not (is_open and not line.startswith(">")):
            pieces.append("\n")
        pieces.append(line)
        is_open = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return "".join(pieces)


def written(text: str, *, quotes: bool = False, footer: bool = False) -> str:
    """The text without a signature and without the quotation at its end.

    Quotations in between stay, since the text refers to them. `quotes` and `footer` keep
    everything.
    """
    text = text[:MAX_CHARACTERS]
    lines = [line.rstrip() for line in text.replace("\xa0", " ").splitlines()[:MAX_LINES]]
    if not quotes:
        lines = _without_copy(lines)
        lines = _without_last_quotation(lines)
    if not footer:
        lines = _without_signature(lines)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _without_copy(lines: list[str]) -> list[str]:
    """The lines before a copied mail with its headers."""
    for number, line in enumerate(lines):
        if "---" in line and _ORIGINAL.match(line):
            return lines[:number]
        if ":" not in line or not _FROM.match(line):
            continue
        after = [each for each in lines[number + 1 : number + 5] if each]
        if any(map(_OTHER_HEADER.match, after[:3])):
            above = number - 1
            while above >= 0 and (not lines[above] or _RULE.match(lines[above])):
                above -= 1
            return lines[: above + 1]
    return lines


def _without_last_quotation(lines: list[str]) -> list[str]:
    signature = _signature_at(lines)
    end = len(lines) if signature is None else signature
    start = end
    while start > 0 and (not lines[start - 1] or _QUOTED.match(lines[start - 1])):
        start -= 1
    if not any(map(_QUOTED.match, lines[start:end])):
        return lines
    return _without_introduction(lines[:start]) + lines[end:]


def _without_introduction(lines: list[str]) -> list[str]:
    lines = _without_blank_end(lines)
    if not lines or len(lines[-1]) > _MAX_LINE_LENGTH or not _INTRODUCTION.search(lines[-1]):
        return lines
    last = range(len(lines) - 1, max(-1, len(lines) - 1 - _MAX_INTRODUCTION_LINES), -1)
    start = next((number for number in last if _BEGINS.match(lines[number])), len(lines) - 1)
    return _without_blank_end(lines[:start])


def _without_signature(lines: list[str]) -> list[str]:
    signature = _signature_at(lines)
    lines = _without_blank_end(lines if signature is None else lines[:signature])
    while lines and _SENT_FROM.match(lines[-1]):
        lines = _without_blank_end(lines[:-1])
    return lines


def _signature_at(lines: list[str]) -> int | None:
    """The index of the last signature."""
    found = [number for number, line in enumerate(lines) if _SIGNATURE.match(line)]
    return found[-1] if found else None


def _without_blank_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]
