"""Signatures made from what stands elsewhere, where writing them out would say it twice.

`@takes(SETTINGS)` spells out an endpoint's `**values` by a table: from then on its signature names
every parameter of the table, each optional, and the contract is compiled from it like any other.
`@parameters_from(function)` does so by what another function takes by name, defaults included.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def takes(parameters: Mapping[str, Any]) -> Callable[[F], F]:
    """What was not sent is not among the `**values`."""
    return _spelling_out(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation | None)
            for name, annotation in parameters.items()
        ]
    )


def parameters_from(function: Callable[..., Any]) -> Callable[[F], F]:
    """The same: what was not sent is left for the function to say."""
    found = inspect.signature(function).parameters.values()
    return _spelling_out([each for each in found if each.kind is Parameter.KEYWORD_ONLY])


def _spelling_out(added: Sequence[Parameter]) -> Callable[[F], F]:
    def spell_out(endpoint: F) -> F:
        written = inspect.signature(endpoint)
        own = {
            name: each
            for name, each in written.parameters.items()
            if each.kind is not Parameter.VAR_KEYWORD
        }
        endpoint.__signature__ = written.replace(parameters=[*own.values(), *added])  # type: ignore[attr-defined]
        endpoint.__annotations__ = {
            name: annotation
            for name, annotation in endpoint.__annotations__.items()
            if name in own or name == "return"
        } | {each.name: each.annotation for each in added}
        return endpoint

    return spell_out
