"""Events in the API description: a schema for each kind, and one of all of them.

`events.txt` has the fields of each kind, below its `type` and, if there is one, its `op`.
"""

from itertools import groupby
from typing import Any

from tertulia.api.type_language import Schema, objects_in
from tertulia.http.openapi import REFERENCE

ALL = "Event"


def schemas() -> dict[str, Schema]:
    """The schemas by name: `ReactionAddEvent`, `ReactionEvent` with its kinds, `Event`."""
    found: dict[str, Schema] = {}
    by_type: dict[str, str] = {}
    kinds = ((name.split(), fields) for name, fields in objects_in("events.txt"))
    for type_, some in groupby(kinds, key=lambda each: each[0][0]):
        by_op: dict[str, str] = {}
        for words, fields in some:
            named = dict(zip(("type", "op"), words, strict=False))
            found[_name(*words)] = _marked(fields, named)
            by_op[words[-1]] = _name(*words)
        if len(by_op) > 1:
            found[_name(type_)] = _one_of("op", by_op)
        by_type[type_] = _name(type_) if len(by_op) > 1 else next(iter(by_op.values()))
    return {ALL: _one_of("type", by_type), **found}


def _name(*words: str) -> str:
    return "".join(part.capitalize() for word in words for part in word.split("_")) + ALL


def _marked(fields: Schema, named: dict[str, str]) -> Schema:
    """With the keys that every event has."""
    marks: dict[str, Any] = {"id": {"type": "integer"}}
    marks |= {name: {"type": "string", "const": word} for name, word in named.items()}
    return {
        "type": "object",
        "properties": marks | fields["properties"],
        "required": [*marks, *fields["required"]],
    }


def _one_of(name: str, kinds: dict[str, str]) -> Schema:
    references = {word: REFERENCE.format(name=kind) for word, kind in kinds.items()}
    return {
        "oneOf": [{"$ref": each} for each in references.values()],
        "discriminator": {"propertyName": name, "mapping": references},
    }
