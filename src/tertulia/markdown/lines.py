"""Splits the text into lines, normalizes white space, and inserts a blank line before each list.

The block rules find a list only at the start of a block, but users start one right after a line of
text. `insert_blank_before_lists` inserts the missing blank line.
"""

import re

TAB_WIDTH = 4

_BLANK_LINE = re.compile(r"(?<=\n) +(?=\n)")
_ITEM = re.compile(r"^ *(?:(?P<bullet>[*+-])|(?P<number>\d+\.)) ", re.MULTILINE)


def normalize(source: str) -> list[str]:
    """Lines without carriage returns and tabs; lines of spaces become empty. Two empty lines end
    the text."""
    text = source.replace("\x02", "").replace("\x03", "")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(TAB_WIDTH)
    return _BLANK_LINE.sub("", f"{text}\n\n").split("\n")


def insert_blank_before_lists(text: str) -> str:
    """Insert a blank line before each list item that follows a line which is not an item of its
    kind."""
    if not _ITEM.search(text):
        return text
    opened: list[str] = []
    previous_kind = ""
    previous_is_blank = True
    for line in text.split("\n"):
        kind = _kind(line)
        if kind and kind != previous_kind and not previous_is_blank:
            opened.append("")
        opened.append(line)
        previous_kind = kind
        previous_is_blank = not line
    return "\n".join(opened)


def _kind(line: str) -> str:
    """Whether a line starts an item of a bulleted list, of a numbered list, or neither."""
    match = _ITEM.match(line)
    return match.lastgroup or "" if match else ""
