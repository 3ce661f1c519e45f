"""Signatures made from a table, where writing them out would say the same thing twice.

`@takes(SETTINGS)` spells out an endpoint's `**values`: from then on its signature names every
parameter of the table, each optional, and the contract is compiled from it like any other.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
Endpoint = Callable[..., Awaitable[T]]


def takes(parameters: Mapping[str, Any]) -> Callable[[Endpoint[T]], Endpoint[T]]:
    """What was not sent is not among the `**values`."""

    def spell_out(endpoint: Endpoint[T]) -> Endpoint[T]:
        written = inspect.signature(endpoint)
        kept = [
            each
            for each in written.parameters.values()
            if each.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        added = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
            for name, annotation in parameters.items()
        ]
        endpoint.__signature__ = written.replace(parameters=kept + added)  # type: ignore[attr-defined]
        endpoint.__annotations__ = {
            name: annotation
            for name, annotation in endpoint.__annotations__.items()
            if name in written.replace(parameters=kept).parameters or name == "return"
        } | {name: annotation | None for name, annotation in parameters.items()}
        return endpoint

    return spell_out
