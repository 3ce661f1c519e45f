"""Permissions as parameters: a value when something is created, `{new, old}` when it is edited."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from tertulia.domain.groups.group import GroupValue, Permission, PermissionChange
from tertulia.http.json_validation import JSON_KINDS, shape_of
from tertulia.http.parameter_rules import NullRefused, Problem, Rule
from tertulia.wire import Doc


class NewValue(msgspec.Struct):
    """A new value, and the value that the caller expects to replace."""

    new: GroupValue
    old: GroupValue | None = None


class _NewValueOnly(Rule):
    """Compat: since feature level 260 a bare value is refused, with a message of its own."""

    kinds = JSON_KINDS

    def __init__(self) -> None:
        self._shape = shape_of(NewValue)

    def check(self, value: Any) -> Any:
        if type(value) is not dict:
            raise Problem(" does not have the expected format")
        return self._shape.check(value)

    def schema(self) -> dict[str, Any]:
        return self._shape.schema


# The endpoint gets a `NewValue`.
Change = Annotated[Any, _NewValueOnly()]


def parameters(permissions: Mapping[str, Permission], form: Any) -> dict[str, Any]:
    """For `accepts`: permissions as the parameters of an endpoint."""
    return {
        name: Annotated[form, Doc(each.meaning), NullRefused] for name, each in permissions.items()
    }


def as_change(given: NewValue) -> PermissionChange:
    return PermissionChange(given.new, given.old)


def as_changes(given: Mapping[str, NewValue]) -> dict[str, PermissionChange]:
    return {name: as_change(value) for name, value in given.items()}
