"""Converts Telegram's texts to Markdown. A text is a list of parts with at most one format each."""

import re
from typing import Any

from tertulia.transfer.importing.sources.attachments import quoted
from tertulia.transfer.importing.sources.plain_text import escaped
from tertulia.transfer.model import MARK, person

SIGNS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)

Row = dict[str, Any]


def message_text(row: Row) -> str:
    return converted(row.get("text_entities") or row.get("text"))


def converted(value: Any) -> str:
    """A text: a string, or a list of strings and formatted parts."""
    parts = value if isinstance(value, list) else [value]
    return "".join(map(_part, parts)).strip()


def plain(value: Any) -> str:
    """The words of a text."""
    parts = value if isinstance(value, list) else [value]
    return "".join(
        str(each.get("text") if isinstance(each, dict) else each or "") for each in parts
    )


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return escaped(str(part or "").replace(MARK, ""))
    kind, text = part.get("type"), str(part.get("text") or "").replace(MARK, "")
    if kind in SIGNS:
        return _wrapped(text, SIGNS[kind])
    if kind == "code" and "`" not in text:
        return f"`{text}`"
    if kind == "pre":
        return f"\n```{part.get('language') or ''}\n{text.strip(chr(10))}\n```\n"
    if kind == "text_link" and part.get("href"):
        return f"[{escaped(text)}]({part['href']})"
    if kind in ("link", "email"):
        return text
    if kind == "mention_name" and part.get("user_id"):
        return person(f"user{part['user_id']}", text)
    if kind == "spoiler":
        return f"\n```spoiler\n{escaped(text)}\n```\n"
    if kind == "blockquote":
        return f"\n{quoted(escaped(text))}\n\n"
    return escaped(text)


def _wrapped(text: str, sign: str) -> str:
    """A text between signs. Markdown accepts no space inside of them, and no line breaks here."""
    edges = _EDGES.fullmatch(text)
    if edges is None or not edges[2] or "\n" in edges[2]:
        return escaped(text)
    return f"{edges[1]}{sign}{escaped(edges[2])}{sign}{edges[3]}"
