"""The text as lines: white space put in order, and a blank line wherever a list begins.

The block rules find a list only at the start of a block, but people begin one right after a line
of text. `insert_blank_before_lists` puts the missing blank line there.
"""

import re

TAB_WIDTH = 4

_BLANK_LINE = re.compile(r"(?<=\n) +(?=\n)")
_ITEM = re.compile(r"^ *(?:(?P<bullet>[*+-])|(?P<number>\d+\.)) ", re.MULTILINE)


def normalize(source: str) -> list[str]:
    """Lines without carriage returns and tabs; lines of spaces are empty. Two end the text."""
    text = source.replace("\x02", "").replace("\x03", "")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(TAB_WIDTH)
    return _BLANK_LINE.sub("", f"{text}\n\n").split("\n")


def insert_blank_before_lists(text: str) -> str:
    """A blank line before each list item that follows a line which is no item of its kind."""
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
    """Whether a line begins an item of a bulleted or numbered list, or none."""
    match = _ITEM.match(line)
    return match.lastgroup or "" if match else ""
