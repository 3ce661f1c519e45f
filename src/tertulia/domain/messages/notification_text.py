"""The text of a notification about a message, made from our rendered HTML.

A mail shows the message as HTML, a device as plain text. Both leave out the content of spoilers.
"""

import html
import re

from tertulia.domain.messages.plain_text import TAG, formulas_as_tex, is_inline

_EMOJI = re.compile(r'<span[^<>]*class="emoji emoji-([0-9a-f]+(?:-[0-9a-f]+)*)"[^<>]*>[^<]*</span>')
_PICTURED = re.compile(r'<img (?=[^<>]*class="emoji")[^<>]*alt="([^"]*)"[^<>]*>')
_LINK = re.compile(r'<a (?:[^<>]* )?href="(https?://[^"]*)"[^<>]*>(.*?)</a>')
_LISTS = re.compile(r'<li>|</?[uo]l(?: start="(?P<start>\d{1,9})")?>')
_CELLS = re.compile(r"</t[hd]>\s*<t[hd][^<>]*>")
_PARTS = re.compile(f"({TAG.pattern})")
_SPOILER = '<div class="spoiler-content"'
_HIDDEN = "\0"  # replaces a spoiler; no message contains it
_MARK = "(…)"


def in_mail(markup: str, site: str) -> str:
    """The message as HTML with URLs and sizes that work in a mail."""
    shown = _EMOJI.sub(_sign, _without_spoilers(formulas_as_tex(markup)))
    shown = shown.replace(_HIDDEN, f"<p>{_MARK}</p>")
    shown = shown.replace('href="/', f'href="{site}/').replace('src="/', f'src="{site}/')
    return shown.replace('class="emoji"', 'class="emoji" height="20"')


def mail_text(markup: str) -> str:
    """The message as plain text with the addresses of its links, bullets, numbers and cells."""
    shown = _LINK.sub(_link_in_words, _without_spoilers(markup))
    return plain_text(_CELLS.sub(" | ", _with_list_marks(shown)))


def _with_list_marks(markup: str) -> str:
    """Write a bullet or the number before each item of a list, indented in lists within lists."""
    lists: list[int | None] = []  # the next number of each open list; None for bullets

    def mark(found: re.Match[str]) -> str:
        tag = found[0]
        if tag == "<li>" and lists:
            number = lists[-1]
            lists[-1] = None if number is None else number + 1
            indent = "  " * (len(lists) - 1)
            return f"{tag}{indent}{'•' if number is None else f'{number}.'} "
        if tag.startswith("</") and lists:
            lists.pop()
        elif not tag.startswith("</"):
            lists.append(int(found["start"] or 1) if tag.startswith("<ol") else None)
        return tag

    return _LISTS.sub(mark, markup)


def _link_in_words(found: re.Match[str]) -> str:
    address, words = found[1], found[2]
    is_bare = TAG.sub("", words) == address
    return words if is_bare or "<img" in words else f"{words} ({address})"


def plain_text(markup: str) -> str:
    """The message as plain text, line by line. Quotations begin with `> `."""
    if markup.startswith("<p>") and markup.find("<", 3) == len(markup) - 4 and "\n" not in markup:
        text = html.unescape(markup[3:-4]).strip()  # nearly all messages are one plain paragraph
        if "\n" not in text:
            return text if text.strip("> ") else ""
    shown = _without_spoilers(formulas_as_tex(markup))
    text = _PICTURED.sub(r"\1", _EMOJI.sub(_sign, shown))
    lines, depth = [""], 0
    for number, part in enumerate(_PARTS.split(text)):
        if number % 2 == 0:
            first, *others = html.unescape(part).split("\n")
            lines[-1] += first
            lines += ["> " * depth + line for line in others]
        elif not is_inline(part):
            depth += part.startswith("<blockquote") - part.startswith("</blockquote")
            lines.append("> " * depth)
    text = "\n".join(line.rstrip() for line in lines if line.strip("> "))
    return text.replace(f"\n{_HIDDEN}", f" {_MARK}").replace(_HIDDEN, _MARK).strip()


def hides_something(markup: str) -> bool:
    return _SPOILER in markup


def _without_spoilers(markup: str) -> str:
    if not hides_something(markup):
        return markup
    kept, depth = [], 0
    for number, part in enumerate(_PARTS.split(markup)):
        is_tag = number % 2 == 1
        if depth == 0 and not (is_tag and part.startswith(_SPOILER)):
            kept.append(part)
            continue
        if is_tag:
            depth += part.startswith("<div") - part.startswith("</div")
            if depth == 0:
                kept.append(_HIDDEN)
    return "".join(kept)


def _sign(found: re.Match[str]) -> str:
    return "".join(chr(int(code, 16)) for code in found[1].split("-"))
