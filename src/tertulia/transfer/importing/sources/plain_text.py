"""Texts of other chats as Markdown: quotations of replies, and signs that have a meaning here."""

import re

from tertulia.transfer.importing.sources.attachments import quoted
from tertulia.transfer.model import MARK

MAX_QUOTED = 200
ZERO_WIDTH = "\u200b"

_OURS = re.compile(r"[@#](?=_?\*\*)|\$(?=\$)|@(?=_?\*[^*])|^/(?=(?:me|poll|todo)\b)")
_FENCE = re.compile(r"```\w*")
_SPOILER = re.compile(r"```spoiler.*?```", re.DOTALL)
_MARKUP = re.compile(r"([\\`*_~\[\]|])")
_LINE_START = re.compile(r"^( {4,}|\t)?(#+ |[-+*>]|[0-9]+[.)] )?", re.MULTILINE)


def neutral(text: str) -> str:
    """A text without our mentions, formulas and commands, which people of other chats cannot have
    meant."""
    return _OURS.sub(lambda match: match[0] + ZERO_WIDTH, text)


def escaped(text: str) -> str:
    """A text in which no sign is markup."""
    text = _MARKUP.sub(r"\\\1", neutral(text))
    return _LINE_START.sub(_escaped_start, text)


def reply(author: str, text: str) -> str:
    """The quotation that stands before a reply; `author` is a reference to a user or a name."""
    text = " ".join(_FENCE.sub(" ", _SPOILER.sub("(spoiler)", text)).split())
    short = text
    if len(text) > MAX_QUOTED:
        short = text[:MAX_QUOTED]
        if short.count(MARK) % 2:  # the cut is inside of a reference
            short = short[: short.rindex(MARK)]
        short = f"{short.rstrip()}…"
    return f"{author} said:\n{quoted(short or '(no text)')}\n"


LOST_REPLY = "*(a reply to a message that is not in the export)*\n"


def _escaped_start(match: re.Match[str]) -> str:
    indent, sign = match[1] or "", match[2] or ""
    if sign and sign[0].isdigit():
        sign = f"{sign[:-2]}\\{sign[-2:]}"
    elif sign and sign[0] != "*":  # that one is escaped already
        sign = f"\\{sign}"
    return (ZERO_WIDTH if indent else "") + indent + sign
