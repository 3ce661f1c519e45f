"""Long lists whose elements are encoded already and copied only into the response.

A response may have megabytes, and every copy takes noticeable time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


class Elements:
    """The elements of a JSON list, in pieces."""

    __slots__ = ("_pieces",)

    def __init__(self, *columns: Sequence[bytes]) -> None:
        """Each initial element consists of one piece of every column."""
        count = len(columns[0]) if columns else 0
        self._pieces = [b","] * (count * (len(columns) + 1))
        for number, column in enumerate(columns):
            self._pieces[number :: len(columns) + 1] = column

    def add(self, *pieces: bytes) -> None:
        """Add one element, in as many pieces as needed."""
        self._pieces += pieces
        self._pieces.append(b",")

    def pieces(self) -> list[bytes]:
        """The list as JSON."""
        if not self._pieces:
            return [b"[]"]
        return [b"[", *self._pieces[:-1], self._pieces[-1][:-1] + b"]"]


def encoded(state: Mapping[str, Any]) -> list[bytes]:
    """The state as JSON, in pieces. The long lists come last."""
    short = {name: value for name, value in state.items() if type(value) is not Elements}
    pieces = [_encode(short)]
    for name, value in state.items():
        if type(value) is Elements:
            pieces[-1] = pieces[-1][:-1]
            pieces += (b',"%b":' % name.encode(), *value.pieces(), b"}")
    return pieces
