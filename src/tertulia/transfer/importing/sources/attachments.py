"""Attachments of messages, in the format that Slack, Mattermost and Rocket.Chat share: posts of
apps and link previews."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def texts(
    rows: list[Row],
    convert: Callable[[Any], str],
    further: Callable[[Row], list[str]] = lambda row: [],
) -> list[str]:
    """The contents of attachments, each as a quote block. `convert` makes Markdown of a value."""
    return [quoted(text) for row in rows if (text := _text(row, convert, further))]


def quoted(text: str) -> str:
    """A text as a quote block, except for code blocks, which cannot be inside one."""
    if "```" in text:
        return text
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def end_quotations(text: str) -> str:
    """Insert a blank line after each quote block.

    In Markdown a line that follows a quote block belongs to it. These servers quote only lines with
    a `>`, so the answer below would be quoted, too. A `>>>` quotes everything that follows.
    """
    lines: list[str] = []
    is_fenced = is_quoted = to_the_end = False
    for line in text.split("\n"):
        if line.startswith("```"):
            is_fenced = not is_fenced
        if not is_fenced and line.startswith(">>>"):
            to_the_end, line = True, line.removeprefix(">>>").lstrip()
        was_quoted = is_quoted
        is_quoted = to_the_end or (not is_fenced and line.startswith(">"))
        if was_quoted and not is_quoted and line.strip():
            lines.append("")
        lines.append(f"> {line}" if to_the_end else line)
    return "\n".join(lines)


def bold(text: str) -> str:
    return f"**{text}**" if text and "*" not in text and "\n" not in text else text


def _text(row: Row, convert: Callable[[Any], str], further: Callable[[Row], list[str]]) -> str:
    title = convert(row.get("title"))
    if title and row.get("title_link"):
        title = f"[{title}]({row['title_link']})"
    fields = [
        ": ".join(filter(None, (bold(convert(each.get("title"))), convert(each.get("value")))))
        for each in row.get("fields") or ()
        if isinstance(each, dict)
    ]
    images = [str(row[key]) for key in ("image_url", "thumb_url") if row.get(key)]
    found = [
        convert(row.get("pretext")),
        bold(convert(row.get("author_name"))),
        bold(title),
        *(convert(row.get(key)) for key in ("text", "description")),
        *fields,
        *further(row),
        *images[:1],
        convert(row.get("footer")),
    ]
    lines = dict.fromkeys(filter(None, found))
    return "\n".join(lines) or convert(row.get("fallback"))
