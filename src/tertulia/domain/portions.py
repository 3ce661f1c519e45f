"""Portions: large work as a list of writes, so that other writes run in between."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def split(items: Sequence[T], size: int) -> list[list[T]]:
    return [list(items[start : start + size]) for start in range(0, len(items), size)]
