"""Lists: which lines are items, which belong to an item, and how items nest.

Two or three spaces make a level. A list that continues after a blank line is loose: the items next
to the blank line have paragraphs. A node of kind `li` keeps tight text in `text`.
"""

import re

from tertulia.markdown.context import BlockParser, Context
from tertulia.markdown.tree import Node

INDENT = "  "

_FIRST_ITEM = re.compile(r" ?(?:(?P<ul>[*+-])|(?P<ol>\d+)\.) +", re.DOTALL)
_NESTED_ITEM = re.compile(r" {2,3}(?:\d+\.|[*+-]) +")
_LISTS = frozenset(("ul", "ol"))


def kind_of(line: str) -> str:
    match = _FIRST_ITEM.match(line)
    return match.lastgroup or "" if match else ""


def continues_item(parent: Node, line: str, context: Context) -> bool:
    """Whether an indented line belongs to the list item before it."""
    if not line.startswith(INDENT) or context.state == "detabbed":
        return False
    return parent.tag == "li" or (parent.last is not None and parent.last.tag in _LISTS)


def parse_continuation(blocks: BlockParser, parent: Node, block: str, context: Context) -> None:
    level, owner = _owner(parent, block, context)
    indent = INDENT * level
    block = "\n".join(line.removeprefix(indent) for line in block.split("\n"))
    inner = context.within("detabbed")
    if parent.tag == "li":
        nested = parent.last
        target = nested if nested is not None and nested.tag in _LISTS else parent
        blocks.parse_blocks(target, [block], inner)
    elif owner.tag == "li":
        blocks.parse_blocks(owner, [block], inner)
    elif owner.last is not None and owner.last.tag == "li":
        _loosen(owner.last)
        blocks.parse_text(owner.last, block, inner)
    else:
        blocks.parse_blocks(owner.add("li"), [block], inner)


def parse_list(
    blocks: BlockParser, parent: Node, kind: str, lines: list[str], context: Context
) -> None:
    start, items = _split_items(kind, lines)
    sibling = parent.last
    if sibling is not None and sibling.tag == kind:
        the_list = sibling
        previous = the_list.children[-1]
        _loosen(previous)
        if previous.last is not None and previous.last.tail:
            tail, previous.last.tail = previous.last.tail, ""
            previous.add("p", tail.lstrip())
        blocks.parse_blocks(the_list.add("li"), [items.pop(0)], context.within("looselist"))
    elif parent.tag in _LISTS:
        the_list = parent
    else:
        the_list = parent.add(kind)
        if kind == "ol" and start != "1":
            the_list.attributes = {"start": start}
    inner = context.within("list")
    for item in items:
        is_nested = item.startswith(INDENT) and bool(the_list.children)
        owner = the_list.children[-1] if is_nested else the_list.add("li")
        blocks.parse_blocks(owner, [item], inner)


def _split_items(kind: str, lines: list[str]) -> tuple[str, list[str]]:
    """The first number of a numbered list, and its items: their texts, or whole nested lists."""
    start = ""
    items: list[list[str]] = []
    for line in lines:
        match = _FIRST_ITEM.match(line)
        if match and match[kind]:
            start = start or match[kind]
            items.append([line[match.end() :]])
        elif _NESTED_ITEM.match(line) and not items[-1][0].startswith(INDENT):
            items.append([line])
        else:
            items[-1].append(line)
    return start, ["\n".join(item) for item in items]


def _owner(parent: Node, block: str, context: Context) -> tuple[int, Node]:
    """How many levels of indentation to remove, and the node that the block then belongs to."""
    wanted = (len(block) - len(block.lstrip(" "))) // len(INDENT)
    level = 1 if context.state == "list" else 0
    while wanted > level:
        child = parent.last
        if child is None or child.tag not in ("ul", "ol", "li"):
            break
        if child.tag in _LISTS:
            level += 1
        parent = child
    return level, parent


def _loosen(item: Node) -> None:
    if item.text:
        item.children.insert(0, Node("p", item.text))
        item.text = ""
