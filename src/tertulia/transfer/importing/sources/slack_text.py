"""Converts Slack's messages to Markdown: mrkdwn, blocks and attachments.

A user's message has its whole text in `text`, and again as a rich text block. An app's message
often has blocks or attachments only; then `text` is a summary for notifications.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

from tertulia.transfer.importing.sources import attachments
from tertulia.transfer.importing.sources.attachments import end_quotations, quoted
from tertulia.transfer.model import MARK, channel, person

RICH_TEXT = "rich_text"
BROADCASTS = ("channel", "here", "everyone")

_CODE = re.compile(r"```(.*?)```|(`[^`\n]+`)", re.DOTALL)
_REFERENCE = re.compile(r"<([^<>\n]+)>")
_HELD = "\ue0fe"  # placeholder for a reference while the text is converted
_PLACE = re.compile(f"{_HELD}([0-9]+){_HELD}")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_ITALIC = re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])")
_STRIKE = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")
_WORDS = re.compile(r"\w+")

Row = dict[str, Any]


def message_text(row: Row) -> str:
    """Everything that a message shows, except files."""
    text = from_mrkdwn(_string(row.get("text")))
    blocks = _rows(row.get("blocks"))
    if blocks and not (text and all(each.get("type") == RICH_TEXT for each in blocks)):
        in_blocks = "\n".join(filter(None, map(_block, blocks)))
        if in_blocks:
            text = in_blocks if _is_repeated(text, in_blocks) else f"{text}\n\n{in_blocks}"
    about = attachments.texts(_rows(row.get("attachments")), _mrkdwn, _blocks_of)
    return "\n\n".join(filter(None, [text, *about]))


def from_mrkdwn(text: str) -> str:
    """Convert mrkdwn to Markdown."""
    text = text.replace(MARK, "").replace(_HELD, "")
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts.append(_formatted(text[end : match.start()]))
        if match[2] is not None:
            parts.append(_plain(match[2]))
        else:
            parts.append(_fenced(_plain(match[1])))
        end = match.end()
    parts.append(_formatted(text[end:]))
    return end_quotations("".join(parts)).strip()


# --- mrkdwn ---


def _formatted(text: str) -> str:
    """Convert a text that contains no code."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(_reference(match[1]))
        return f"{_HELD}{len(held) - 1}{_HELD}"

    text = html.unescape(_REFERENCE.sub(hold, text))
    text = _ITALIC.sub(r"*\1*", _BOLD.sub(r"**\1**", text))
    text = _STRIKE.sub(r"~~\1~~", text)
    return _PLACE.sub(lambda match: held[int(match[1])], text)


def _reference(inside: str) -> str:
    """Convert the text between angle brackets: a user, a channel, everyone or a link."""
    target, _, label = inside.partition("|")
    target, label = html.unescape(target), html.unescape(label)
    if target.startswith("@"):
        return person(target[1:], label.removeprefix("@"))
    if target.startswith("#"):
        return channel(target[1:], label)
    if target.startswith("!"):
        word = target[1:].partition("^")[0]
        return "@**all**" if word in BROADCASTS else label or f"@{word}"
    return _link(target, label)


def _link(target: str, label: str) -> str:
    plain = target.removeprefix("mailto:")
    if label == plain:
        return plain
    return f"[{label}]({target})" if label and label != target else target


def _plain(code: str) -> str:
    """The text of code, without the angle brackets that Slack puts around URLs."""
    return html.unescape(_REFERENCE.sub(lambda match: match[1].rpartition("|")[2], code))


def _fenced(code: str) -> str:
    body = code.strip("\n")
    return f"\n```\n{body}\n```\n"


# --- blocks ---


def _blocks_of(row: Row) -> list[str]:
    """The blocks of an attachment; of a shared message only if its text is missing."""
    shared = [] if row.get("text") else _rows(row.get("message_blocks"))
    inner = [each for part in shared for each in _rows((part.get("message") or {}).get("blocks"))]
    return [_block(each) for each in [*_rows(row.get("blocks")), *inner]]


def _block(row: Row) -> str:
    kind = row.get("type")
    if kind == RICH_TEXT:
        return "\n".join(map(_rich_part, _rows(row.get("elements")))).strip()
    if kind == "header":
        return attachments.bold(_mrkdwn(row.get("text")))
    if kind == "divider":
        return "---"
    if kind == "markdown":
        return _string(row.get("text"))
    if kind == "table":
        return "\n".join(_table_rows(row))
    found = [
        *(_mrkdwn(row.get(key)) for key in ("title", "label", "text", "description")),
        *map(_mrkdwn, _rows(row.get("fields"))),
        " ".join(filter(None, map(_element, [row.get("accessory"), *_rows(row.get("elements"))]))),
        *(_string(row.get(key)) for key in ("image_url", "title_url", "alt_text")),
    ]
    return "\n".join(dict.fromkeys(filter(None, found)))


def _element(row: Any) -> str:
    """A text, a picture, a button or another control."""
    if not isinstance(row, dict):
        return ""
    if row.get("type") == "image":
        return _string(row.get("alt_text"))
    if row.get("type") == "button":
        label, url = _mrkdwn(row.get("text")), _string(row.get("url"))
        return f"[{label}]({url})" if url else f"[{label}]"
    return _mrkdwn(row if "text" in row else row.get("placeholder"))


def _table_rows(row: Row) -> Iterator[str]:
    for number, cells in enumerate(row.get("rows") or ()):
        texts = [_block(each) if "elements" in each else _mrkdwn(each) for each in _rows(cells)]
        yield f"| {' | '.join(' '.join(each.split()) for each in texts)} |"
        if number == 0:
            yield f"|{'---|' * len(texts)}"


def _rich_part(row: Row) -> str:
    """A section, a list, a quote or a code block of rich text."""
    kind = row.get("type")
    if kind == "rich_text_list":
        indent = "  " * int(row.get("indent") or 0)
        is_numbered = row.get("style") == "ordered"
        items = [
            f"{indent}{f'{number}.' if is_numbered else '*'} {_rich_part(each)}"
            for number, each in enumerate(_rows(row.get("elements")), 1)
        ]
        return "\n".join(["", *items, ""])
    inside = "".join(map(_rich_element, _rows(row.get("elements"))))
    if kind == "rich_text_quote":
        return f"{quoted(inside)}\n"
    if kind == "rich_text_preformatted":
        return _fenced(inside)
    return inside


def _rich_element(row: Row) -> str:
    kind = row.get("type")
    if kind == "link":
        url = _string(row.get("url"))
        return _styled(_link(url, _string(row.get("text"))), row)
    if kind == "user":
        return person(_string(row.get("user_id")))
    if kind == "channel":
        return channel(_string(row.get("channel_id")))
    if kind == "broadcast":
        return "@**all**"
    if kind == "emoji":
        tone = f"::skin-tone-{row['skin_tone']}" if row.get("skin_tone") else ""
        return f":{row.get('name')}{tone}:"
    known = (row.get(key) for key in ("text", "fallback", "value", "usergroup_id"))
    return _styled(next((_string(each) for each in known if each), ""), row)


def _styled(text: str, row: Row) -> str:
    """A text with its style, which excludes surrounding space."""
    style = row.get("style") if isinstance(row.get("style"), dict) else {}
    body = text.strip()
    if not body or "\n" in body or not style:
        return text
    for name, sign in (("code", "`"), ("strike", "~~"), ("italic", "*"), ("bold", "**")):
        if style.get(name):
            body = f"{sign}{body}{sign}"
    start = len(text) - len(text.lstrip())
    return text[:start] + body + text[len(text.rstrip()) :]


# --- values ---


def _mrkdwn(value: Any) -> str:
    """The Markdown of a string or a text object: mrkdwn unless it is marked as plain."""
    if not isinstance(value, dict):
        return from_mrkdwn(_string(value))
    text = _string(value.get("text"))
    return html.unescape(text) if value.get("type") == "plain_text" else from_mrkdwn(text)


def _is_repeated(text: str, other: str) -> bool:
    """Whether every word of a text is also in the other one."""
    return set(_WORDS.findall(text)) <= set(_WORDS.findall(other))


def _string(value: Any) -> str:
    return "" if value is None else str(value)


def _rows(value: Any) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
