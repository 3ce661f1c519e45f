"""Tables: a header row, a row of dashes with as many cells, then every line until the block ends.

A pipe inside backticks or after a backslash does not split a row. Short rows are filled with empty
cells, so a few characters could become a huge table; such a table stays text.
"""

import re

from tertulia.markdown.tree import Node

_TICKS_OR_PIPE = re.compile(r"\\\\|\\`+|`+|\\\||\|")
_CLOSING_PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|$")
_DELIMITER = frozenset("|:- ")
MAX_CELLS = 10_000


def begins_at(lines: list[str], at: int, end: int) -> bool:
    if end - at < 2 or not _DELIMITER.issuperset(lines[at + 1]):
        return False
    header = lines[at].strip(" ")
    if "|" not in header:
        return False
    has_border = _has_border(header)
    columns = len(_cells(header, has_border))
    if columns * (end - at) > MAX_CELLS:
        return False
    if columns == 1 and not (has_border and _all_have_border(lines, at + 1, end)):
        return False
    return len(_cells(lines[at + 1].strip(" "), has_border)) == columns


def parse(parent: Node, lines: list[str]) -> None:
    header = lines[0].strip(" ")
    has_border = _has_border(header)
    styles = [_style(cell.strip(" ")) for cell in _cells(lines[1].strip(" "), has_border)]

    table = parent.add("table")
    _add_row(table.add("thead"), "th", _cells(header, has_border), styles)
    body = table.add("tbody")
    for line in lines[2:]:
        _add_row(body, "td", _cells(line.strip(" "), has_border), styles)
    if len(lines) == 2:
        _add_row(body, "td", [], [""] * len(styles))


def _add_row(parent: Node, tag: str, cells: list[str], styles: list[str]) -> None:
    row = parent.add("tr")
    cells += [""] * (len(styles) - len(cells))
    for text, style in zip(cells, styles, strict=False):
        cell = row.add(tag, text.strip(" "))
        if style:
            cell.attributes = {"style": style}


def _style(dashes: str) -> str:
    if dashes.startswith(":"):
        return "text-align: center;" if dashes.endswith(":") else "text-align: left;"
    return "text-align: right;" if dashes.endswith(":") else ""


def _has_border(row: str) -> bool:
    return row.startswith("|") or _CLOSING_PIPE.search(row) is not None


def _all_have_border(lines: list[str], at: int, end: int) -> bool:
    return all(_has_border(lines[index].strip(" ")) for index in range(at, end))


def _cells(row: str, has_border: bool) -> list[str]:
    if has_border:
        row = _CLOSING_PIPE.sub("", row.removeprefix("|"))
    cells = []
    start = 0
    for pipe in _splitting_pipes(row):
        cells.append(row[start:pipe])
        start = pipe + 1
    cells.append(row[start:])
    return cells


def _splitting_pipes(row: str) -> list[int]:
    if "`" not in row and "\\" not in row:
        return [match.start() for match in re.finditer(r"\|", row)]
    ticks: list[tuple[int, int, int]] = []  # position, length, length as an opening run
    pipes = []
    for match in _TICKS_OR_PIPE.finditer(row):
        found = match[0]
        if found == "|":
            pipes.append(match.start())
        elif found.endswith("`"):
            escaped = found.startswith("\\")
            count = len(found) - escaped
            ticks.append((match.start(), count, count - escaped))
    return _outside(pipes, _code_spans(ticks))


def _code_spans(ticks: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Pairs of equally long runs of backticks, each opening run paired with the next that fits."""
    later: dict[int, list[int]] = {}
    for index in range(len(ticks) - 1, -1, -1):
        later.setdefault(ticks[index][1], []).append(index)
    spans = []
    index = 0
    while index < len(ticks):
        where, _, opening = ticks[index]
        closers = later.get(opening, [])
        while closers and closers[-1] <= index:
            closers.pop()
        if opening and closers:
            index = closers.pop()
            spans.append((where, ticks[index][0]))
        index += 1
    return spans


def _outside(pipes: list[int], spans: list[tuple[int, int]]) -> list[int]:
    free = []
    span = 0
    for pipe in pipes:
        while span < len(spans) and spans[span][1] < pipe:
            span += 1
        if span == len(spans) or pipe < spans[span][0]:
            free.append(pipe)
    return free
