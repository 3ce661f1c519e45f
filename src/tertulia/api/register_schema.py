"""The register state in the API description: a sentence and a type for each part.

Settings take both from the tables of settings. All other parts have two lines in `state.txt`; the
second one is a type in a small language: `string`, `integer | null`, `[integer]` for a list,
`{*: string}` for an object by key, `{id: integer}` for one with certain fields, or the name of a
type of other responses, such as `ChannelObject`.
"""

import re
from collections.abc import Callable
from importlib import resources
from typing import Any

from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.organization.settings import SETTINGS, LoginMethods, PeopleNamed
from tertulia.domain.setting_values import (
    ChannelId,
    ChosenFrom,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
)
from tertulia.http.openapi import REFERENCE

Schema = dict[str, Any]

PERMISSION = "integer | {direct_members: [integer], direct_subgroups: [integer]}"
_PLAIN = ("string", "integer", "number", "boolean", "null", "object")
_PART = re.compile(r"\w+|[\[\]{}:,|*]")


def parts() -> dict[str, Schema]:
    """The description of each part of the state."""
    settings = {
        f"realm_{name}": {"description": each.meaning} | _of_kind(each.kind)
        for name, each in SETTINGS.items()
    }
    permissions = {
        f"realm_{name}": {"description": each.meaning} | schema(PERMISSION)
        for name, each in REALM_PERMISSIONS.items()
    }
    text = (resources.files("tertulia.api") / "state.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    others = {}
    for line, kind in zip(lines[::2], lines[1::2], strict=True):
        name, _, words = line.partition(": ")
        others[name] = {"description": words} | schema(kind)
    return dict(sorted((settings | permissions | others).items()))


# The wire type of a setting, by the kind of its value.
_SCHEMAS: dict[type[ValueKind], Callable[[Any], Schema]] = {
    Switch: lambda kind: schema("boolean"),
    ChosenFrom: lambda kind: {"enum": list(kind.values)},
    Language: lambda kind: schema("string"),
    Whole: lambda kind: schema("integer"),
    Limit: lambda kind: schema("integer | null"),
    FreeText: lambda kind: schema("string"),
    ServerUrl: lambda kind: schema("string | null"),
    ChannelId: lambda kind: schema("integer"),
    LoginMethods: lambda kind: schema("{*: object}"),
    PeopleNamed: lambda kind: schema(PERMISSION),
}


def _of_kind(kind: ValueKind) -> Schema:
    return _SCHEMAS[type(kind)](kind)


# --- the small language ---


def schema(text: str) -> Schema:
    """A type as JSON Schema. Raises ValueError for a type that does not parse."""
    reader = _Reader(_PART.findall(text))
    found = reader.either()
    if reader.left:
        raise ValueError(f"{text!r} goes on after its end")
    return found


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens[::-1]

    def either(self) -> Schema:
        branches = [self._one()]
        while self._skips("|"):
            branches.append(self._one())
        return branches[0] if len(branches) == 1 else {"anyOf": branches}

    def _one(self) -> Schema:
        token = self.left.pop()
        if token == "[":  # noqa: S105
            items = self.either()
            self._takes("]")
            return {"type": "array", "items": items}
        if token == "{":  # noqa: S105
            return self._object()
        if token in _PLAIN:
            return {"type": token}
        return {"$ref": REFERENCE.format(name=token)}

    def _object(self) -> Schema:
        fields: dict[str, Schema] = {}
        while not fields or self._skips(","):
            name = self.left.pop()
            self._takes(":")
            fields[name] = self.either()
        self._takes("}")
        if "*" in fields:
            return {"type": "object", "additionalProperties": fields["*"]}
        return {"type": "object", "properties": fields, "required": list(fields)}

    def _skips(self, sign: str) -> bool:
        if not self.left or self.left[-1] != sign:
            return False
        self.left.pop()
        return True

    def _takes(self, sign: str) -> None:
        if not self._skips(sign):
            raise ValueError(f"{sign} is missing")
