"""Doing something for each of many, where trouble with one must not hold up the others."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from tertulia.errors.http import ServiceUnavailable

T = TypeVar("T")
R = TypeVar("R")


async def each(things: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Do it for one after the other. What went wrong first is raised when all had their turn,
    but at once if the data cannot be reached: then it would go wrong for everybody."""
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
