"""Blocks: paragraphs, headings, rules, quotes, indented code; lists and tables have their own
modules.

Blank lines separate blocks. The rules are tried in a fixed order and the first match wins: indented
under a list, code, heading, table, rule, list, quote, paragraph. A heading or rule inside a block
splits it. Each line is read a few times per level of nesting at most, and nesting is limited by
`MAX_DEPTH`.
"""

import re
from collections import deque

from tertulia.markdown import lists, tables
from tertulia.markdown.context import Context
from tertulia.markdown.lines import insert_blank_before_lists
from tertulia.markdown.stash import Container, Stash
from tertulia.markdown.tree import Node

MAX_DEPTH = 100

_HEADING = re.compile(r"(#{1,6})(?:\s(.*))?", re.DOTALL)
_RULE = re.compile(r" {0,3}([-_*]) {0,2}(?:\1 {0,2}){2,} *")
_MAY_SPLIT = re.compile(r"^(?:#| {0,3}[-_*])", re.MULTILINE)
_QUOTED = re.compile(r" {0,3}>")
_QUOTE_MARKER = re.compile(r" {0,3}> ?")
_CODE_INDENT = "    "


class Blocks:
    def __init__(self, stash: Stash) -> None:
        self.stash = stash

    def parse_text(self, parent: Node, text: str, context: Context) -> None:
        self.parse_blocks(parent, text.split("\n\n"), context)

    def parse_blocks(self, parent: Node, blocks: list[str], context: Context) -> None:
        waiting = deque(blocks)
        while waiting:
            block = waiting.popleft()
            if not block or block[0] == "\n":
                _note_blank_lines(parent, block)
                if rest := block[1:]:
                    waiting.appendleft(rest)
            else:
                self._parse_block(parent, block, context)

    def _parse_block(self, parent: Node, block: str, context: Context) -> None:
        lines = block.split("\n")
        end = len(lines)
        at = 0
        # The line of the next heading and rule; less than `at` if unknown.
        heading = rule = -1 if _MAY_SPLIT.search(block) else end
        while at < end:
            if lists.continues_item(parent, lines[at], context):
                lists.parse_continuation(self, parent, "\n".join(lines[at:]), context)
                return
            if lines[at].startswith(_CODE_INDENT):
                at = _parse_code(parent, lines, at)
                continue
            if heading < at:
                heading = _next_heading(lines, at)
            if heading == at:
                at = _parse_heading(parent, lines, at)
                continue
            if tables.begins_at(lines, at, heading):
                tables.parse(parent, lines[at:heading])
                at = heading
                continue
            if rule < at:
                rule = _next_rule(lines, at)
            stop = min(heading, rule)
            if stop > at:
                self._parse_text_lines(parent, lines[at:stop], context)
            if stop == rule and rule < heading:
                parent.add("hr")
                stop += 1
            at = stop

    def _parse_text_lines(self, parent: Node, lines: list[str], context: Context) -> None:
        """Lines without headings or rules: a table, a list, a quote or a paragraph."""
        if tables.begins_at(lines, 0, len(lines)):
            tables.parse(parent, lines)
        elif context.depth < MAX_DEPTH and (kind := lists.kind_of(lines[0])):
            lists.parse_list(self, parent, kind, lines, context)
        elif context.depth < MAX_DEPTH and (start := _quote_start(lines)) is not None:
            if start:
                self._parse_text_lines(parent, lines[:start], context)
            content = "\n".join(map(_without_marker, lines[start:]))
            self._add_quote(parent, content, context)
        else:
            self._parse_paragraph(parent, "\n".join(lines), context)

    def _parse_paragraph(self, parent: Node, text: str, context: Context) -> None:
        stripped = text.strip()
        if not stripped:
            return
        kept = self.stash.find(stripped)
        if kept and kept.container:
            self._add_container(parent, kept.container, context)
        elif kept and kept.is_block and text.lstrip() == stripped:
            parent.add("finished").html = kept.html
        elif context.state != "list":
            parent.add("p", text.lstrip())
        elif parent.last is not None:
            parent.last.tail += f"\n{text}"
        else:
            parent.text = f"{parent.text}\n{text}" if parent.text else text.lstrip()

    def _add_container(self, parent: Node, container: Container, context: Context) -> None:
        if container.tag == "blockquote":
            self._add_quote(parent, container.content, context)
            return
        spoiler = parent.add("spoiler")
        inner = context.within("")
        self.parse_text(spoiler.add("header"), container.header, inner)
        content = (
            container.content if context.in_quote else insert_blank_before_lists(container.content)
        )
        self.parse_text(spoiler.add("content"), content, inner)

    def _add_quote(self, parent: Node, content: str, context: Context) -> None:
        if content.strip():
            self.parse_text(parent.add("blockquote"), content, context.within_quote())
        else:
            parent.add("p", "> ")


def _note_blank_lines(parent: Node, block: str) -> None:
    """Blank lines inside indented code belong to it; elsewhere they only separate."""
    if parent.last and parent.last.tag == "indented":
        parent.last.text += "\n" if block else "\n\n"


def _parse_code(parent: Node, lines: list[str], at: int) -> int:
    start = at
    while at < len(lines) and lines[at].startswith(_CODE_INDENT):
        at += 1
    source = "\n".join(line[len(_CODE_INDENT) :] for line in lines[start:at]).rstrip()
    if parent.last and parent.last.tag == "indented":
        parent.last.text += f"\n{source}\n"
    else:
        parent.add("indented", f"{source}\n")
    return at


def _next_heading(lines: list[str], at: int) -> int:
    for index in range(at, len(lines)):
        line = lines[index]
        if line.startswith("#") and _heading_at(lines, index):
            return index
    return len(lines)


def _heading_at(lines: list[str], at: int) -> tuple[int, str, int] | None:
    """Level, text and number of lines. If a line has only `#`, its text is on the next line."""
    match = _HEADING.fullmatch(lines[at])
    if match is None:
        return None
    if match[2] is not None:
        return len(match[1]), match[2], 1
    if at + 1 < len(lines):
        return len(match[1]), lines[at + 1], 2
    return None


def _parse_heading(parent: Node, lines: list[str], at: int) -> int:
    found = _heading_at(lines, at)
    assert found is not None
    level, text, count = found
    parent.add(f"h{level}", text.rstrip("#").strip())
    return at + count


def _next_rule(lines: list[str], at: int) -> int:
    for index in range(at, len(lines)):
        if _is_rule(lines[index]):
            return index
    return len(lines)


def _is_rule(line: str) -> bool:
    sign = line.lstrip(" ")[:1]
    if sign not in ("-", "_", "*") or line.strip(f"{sign} "):
        return False
    return _RULE.fullmatch(line) is not None


def _quote_start(lines: list[str]) -> int | None:
    """The first quoted line, unless only bare `>` follow."""
    for start, line in enumerate(lines):
        if _QUOTED.match(line):
            has_text = any(following.strip() != ">" for following in lines[start:])
            return start if has_text else None
    return None


def _without_marker(line: str) -> str:
    if line.strip() == ">":
        return ""
    match = _QUOTE_MARKER.match(line)
    return line[match.end() :] if match else line
