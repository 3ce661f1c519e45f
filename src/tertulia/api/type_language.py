"""A small language for types in the texts of the API description.

`string`, `integer | null`, `"add" | "remove"` for certain texts, `[integer]` for a list,
`{*: string}` for an object by key, `{id: integer, name?: string}` for one with certain fields,
`any`, or the name of another type, such as `ChannelObject`.
"""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from tertulia.http.openapi import REFERENCE

Schema = dict[str, Any]

_PLAIN = ("string", "integer", "number", "boolean", "null", "object")
_PART = re.compile(r'"[^"]*"|\w+|[\[\]{}:,|*?]')
_FIELD = re.compile(r"    (?P<name>\w+)(?P<optional>\??): (?P<type>.+)")


def schema(text: str) -> Schema:
    """A type as JSON Schema. Raises ValueError for a type that does not parse."""
    reader = _Reader(_PART.findall(text))
    found = reader.either()
    if reader.left:
        raise ValueError(f"{text!r} goes on after its end")
    return found


def objects_in(file: str) -> Iterator[tuple[str, Schema]]:
    """The objects of a file: a name, and below it a line for each field."""
    text = (resources.files("tertulia.api") / file).read_text(encoding="utf-8")
    for entry in text.strip().split("\n\n"):
        name, *lines = entry.splitlines()
        fields = {}
        for line in lines:
            match = _FIELD.fullmatch(line)
            if match is None:
                raise ValueError(f"{line!r} in {file} is not a field")
            fields[match["name"]] = schema(match["type"]), not match["optional"]
        yield name, object_schema(fields)


def object_schema(fields: dict[str, tuple[Schema, bool]]) -> Schema:
    """An object of these fields, each with whether it is always there."""
    return {
        "type": "object",
        "properties": {name: kind for name, (kind, _) in fields.items()},
        "required": [name for name, (_, is_required) in fields.items() if is_required],
    }


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens[::-1]

    def either(self) -> Schema:
        branches = [self._one()]
        while self._skips("|"):
            branches.append(self._one())
        if len(branches) == 1:
            return branches[0]
        if all("const" in each for each in branches):
            return {"type": "string", "enum": [each["const"] for each in branches]}
        return {"anyOf": branches}

    def _one(self) -> Schema:
        token = self.left.pop()
        if token == "[":  # noqa: S105
            items = self.either()
            self._takes("]")
            return {"type": "array", "items": items}
        if token == "{":  # noqa: S105
            return self._object()
        if token.startswith('"'):
            return {"const": token.strip('"')}
        if token == "any":  # noqa: S105
            return {}
        if token in _PLAIN:
            return {"type": token}
        return {"$ref": REFERENCE.format(name=token)}

    def _object(self) -> Schema:
        fields: dict[str, tuple[Schema, bool]] = {}
        while not fields or self._skips(","):
            name = self.left.pop()
            is_required = not self._skips("?")
            self._takes(":")
            fields[name] = self.either(), is_required
        self._takes("}")
        if "*" in fields:
            return {"type": "object", "additionalProperties": fields["*"][0]}
        return object_schema(fields)

    def _skips(self, sign: str) -> bool:
        if not self.left or self.left[-1] != sign:
            return False
        self.left.pop()
        return True

    def _takes(self, sign: str) -> None:
        if not self._skips(sign):
            raise ValueError(f"{sign} is missing")
