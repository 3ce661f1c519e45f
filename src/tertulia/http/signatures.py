"""Decorators that derive an endpoint's signature from a table or from another function.

`@accepts(SETTINGS)` replaces an endpoint's `**values` by the parameters of a table, each optional;
the contract is compiled from the result as usual. `@parameters_from(function)` takes them from the
keyword arguments of a function, with their defaults.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Annotated, Any, TypeVar

from tertulia.http.parameter_rules import Example

F = TypeVar("F", bound=Callable[..., Any])


def accepts(parameters: Mapping[str, Any], **examples: Any) -> Callable[[F], F]:
    """Parameters that were not sent are not in `**values`; the example call has `examples`."""
    shown = {name: Annotated[parameters[name], Example(value)] for name, value in examples.items()}
    return _spelling_out(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation | None)
            for name, annotation in {**parameters, **shown}.items()
        ]
    )


def parameters_from(function: Callable[..., Any]) -> Callable[[F], F]:
    """Parameters that were not sent are left out, so the function's defaults apply."""
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
