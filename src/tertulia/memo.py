"""Memoized pure functions: their results depend on the arguments alone.

Nothing invalidates them, so the setting `caches` does not turn them off. They are listed here, with
a bound, and counted in `/metrics` like other caches. Any layer may use this module. Values that are
computed once and never change, such as a compiled template, use `functools.cache`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Any] = {}  # by name


def memoized(name: str, bound: int) -> Callable[[F], F]:
    """Cache the results of the last `bound` different calls."""

    def decorate(function: F) -> F:
        FUNCTIONS[name] = made = lru_cache(maxsize=bound)(function)
        return made  # type: ignore[return-value]

    return decorate
