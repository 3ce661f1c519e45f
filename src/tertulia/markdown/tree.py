"""The blocks of a message as a tree, and its serialization to HTML.

A node's `text` is source until the inline rules convert it to `html`. Clients compare the line
breaks between blocks, so `write` is exact about them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tertulia.markdown import escape


class Link(NamedTuple):
    """A link in the text: its address and what it shows."""

    href: str
    shown: str
    is_reference: bool = False  # to a channel, topic or message, by name
    is_shown: bool = False  # an upload that is shown inline


class Node:
    """A block. A message may have thousands, so it has no list that it does not need."""

    __slots__ = (
        "attributes",
        "children",
        "html",
        "is_replaced",
        "previews",
        "tag",
        "tail",
        "tail_html",
        "text",
    )

    def __init__(self, tag: str, text: str = "") -> None:
        self.tag = tag
        self.text = text
        self.html = ""  # the HTML of `text`
        self.tail = ""  # text that follows this node inside its parent
        self.tail_html = ""
        self.attributes: dict[str, str] | None = None
        self.children: list[Node] = []
        self.previews: Sequence[str] = ()
        self.is_replaced = False  # its previews replace it

    def add(self, tag: str, text: str = "") -> "Node":
        child = Node(tag, text)
        self.children.append(child)
        return child

    @property
    def last(self) -> "Node | None":
        return self.children[-1] if self.children else None


def walk(root: Node) -> Iterator[tuple[Node, bool]]:
    """Every node below, in order, with whether it is in a quote."""
    waiting = [(child, child.tag == "blockquote") for child in reversed(root.children)]
    while waiting:
        node, in_quote = waiting.pop()
        yield node, in_quote
        for child in reversed(node.children):
            waiting.append((child, in_quote or child.tag == "blockquote"))


def write(root: Node) -> str:
    pieces: list[str] = []
    for child in root.children:
        _write(child, pieces)
    return "".join(pieces).strip()


def _write(node: Node, out: list[str]) -> None:
    writer = _WRITERS.get(node.tag)
    if writer:
        writer(node, out)
    elif not node.is_replaced:
        _write_element(node, out)
    out.extend(node.previews)
    if node.tail_html:
        out.append(node.tail_html)
    elif not node.previews:
        out.append("\n")


def _write_element(node: Node, out: list[str]) -> None:
    tag = node.tag
    out.append(escape.tag(tag, **node.attributes) if node.attributes else f"<{tag}>")
    if node.children:
        out.append(node.html or "\n")
        for child in node.children:
            _write(child, out)
    else:
        out.append(node.html)
    out.append(f"</{tag}>\n" if node.previews else f"</{tag}>")


def _write_item(node: Node, out: list[str]) -> None:
    """A list item contains its previews, before its nested lists."""
    out.append("<li>")
    if not node.is_replaced:
        out.append(node.html)
    if node.previews:
        out.extend(node.previews)
        node.previews = ()
    elif node.children and not node.html:
        out.append("\n")
    for child in node.children:
        _write(child, out)
    out.append("</li>")


def _write_finished(node: Node, out: list[str]) -> None:
    out.append(node.html)


def _write_spoiler(node: Node, out: list[str]) -> None:
    header, content = node.children
    out.append('<div class="spoiler-block"><div class="spoiler-header">\n')
    for child in header.children:
        _write(child, out)
    out.append('</div><div class="spoiler-content" aria-hidden="true">\n')
    for child in content.children:
        _write(child, out)
    out.append("</div></div>")


_WRITERS: dict[str, Callable[[Node, list[str]], None]] = {
    "li": _write_item,
    "hr": lambda node, out: out.append("<hr>"),
    "finished": _write_finished,
    "indented": _write_finished,
    "spoiler": _write_spoiler,
}
