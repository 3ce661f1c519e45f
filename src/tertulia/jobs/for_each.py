"""Runs work for each of many items, so that a failure of one does not stop the others."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from tertulia.errors.http import ServiceUnavailable

T = TypeVar("T")
R = TypeVar("R")


async def each(things: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Run the work for one item after the other.

    Raises the first exception after all items had their turn, but ServiceUnavailable at once:
    without the database the work would fail for every item.
    """
    results: list[R] = []
    first_trouble: Exception | None = None
    for thing in list(things):
        try:
            results.append(await work(thing))
        except ServiceUnavailable:
            raise
        except Exception as trouble:
            first_trouble = first_trouble or trouble
    if first_trouble is not None:
        raise first_trouble
    return results
