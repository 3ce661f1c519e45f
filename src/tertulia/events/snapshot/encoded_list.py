"""Long lists of the state: their elements are encoded already, and copied only into the answer.

An answer may have megabytes, of which every copy is felt.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


class Elements:
    """The elements of a list as JSON, in pieces."""

    __slots__ = ("_pieces",)

    def __init__(self, *columns: Sequence[bytes]) -> None:
        """It begins with some that are each put together from one piece of every column."""
        count = len(columns[0]) if columns else 0
        self._pieces = [b","] * (count * (len(columns) + 1))
        for number, column in enumerate(columns):
            self._pieces[number :: len(columns) + 1] = column

    def add(self, *pieces: bytes) -> None:
        """One element, in as many pieces as it takes."""
        self._pieces += pieces
        self._pieces.append(b",")

    def pieces(self) -> list[bytes]:
        """The whole list."""
        if not self._pieces:
            return [b"[]"]
        return [b"[", *self._pieces[:-1], self._pieces[-1][:-1] + b"]"]


def encoded(state: Mapping[str, Any]) -> list[bytes]:
    """A state as JSON, in pieces; the long lists stand at its end."""
    short = {name: value for name, value in state.items() if type(value) is not Elements}
    pieces = [_encode(short)]
    for name, value in state.items():
        if type(value) is Elements:
            pieces[-1] = pieces[-1][:-1]
            pieces += (b',"%b":' % name.encode(), *value.pieces(), b"}")
    return pieces
