"""The position of a block during parsing, and the parser interface for the block rules."""

from typing import NamedTuple, Protocol

from tertulia.markdown.tree import Node


class Context(NamedTuple):
    """The surrounding text and the nesting depth of a block."""

    state: str = ""  # "list", "looselist", "detabbed" or none of these
    depth: int = 0
    in_quote: bool = False

    def within(self, state: str) -> "Context":
        return Context(state, self.depth + 1, self.in_quote)

    def within_quote(self) -> "Context":
        return Context("", self.depth + 1, in_quote=True)


class BlockParser(Protocol):
    def parse_text(self, parent: Node, text: str, context: Context) -> None:
        """Parse blocks that are separated by blank lines."""

    def parse_blocks(self, parent: Node, blocks: list[str], context: Context) -> None:
        """Parse blocks one after the other."""
