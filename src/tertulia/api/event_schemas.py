"""Events in the API description: a schema for each kind, and one of all of them.

The structs of the wire events are the contract (`tertulia/wire.py`); the schemas are derived.
"""

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import msgspec

from tertulia import events
from tertulia.http.openapi import REFERENCE
from tertulia.wire import WireEvent, type_of

ALL = "Event"

Schema = dict[str, Any]

_MARKS = {"type": "The type of the event.", "op": "What happened: the operation."}


def schemas() -> dict[str, Schema]:
    """The schemas by name: `ReactionAddEvent`, `ReactionEvent` with its kinds, `Event`, and the
    objects in them."""
    found: dict[str, Schema] = {}
    objects: dict[str, Schema] = {}
    by_type: dict[str, dict[str, str]] = {}
    for wire in sorted(set(_wires()), key=lambda each: (type_of(each), *_ops(each))):
        type_ = type_of(wire)
        _, parts = msgspec.json.schema_components([wire], ref_template=REFERENCE)
        fields = parts.pop(wire.__name__)
        objects |= parts
        for op in _ops(wire) or ("",):
            name = _name(type_, op)
            assert name not in found, f"two wire events are {type_} {op}"
            found[name] = _of_kind(wire, fields, op)
            by_type.setdefault(type_, {})[op] = name
    names = {}
    for type_, by_op in by_type.items():
        names[type_] = _name(type_)
        if len(by_op) > 1:
            found[_name(type_)] = _one_of("op", by_op)
        else:
            names[type_] = next(iter(by_op.values()))
    return {ALL: _one_of("type", names), **found, **objects}


def _wires() -> Iterator[type[WireEvent]]:
    for kind in events.types.event.kinds().values():
        yield from kind.wires
    yield from events.ephemeral.WIRES


def _ops(wire: type[WireEvent]) -> tuple[str, ...]:
    return get_args(get_type_hints(wire).get("op"))


def _name(*words: str) -> str:
    return "".join(part.capitalize() for word in words for part in word.split("_")) + ALL


def _of_kind(wire: type[WireEvent], fields: Schema, op: str) -> Schema:
    """One kind, with the id that every event has."""
    marks: dict[str, Any] = {"id": {"description": "The id of the event.", "type": "integer"}}
    named = {"type": type_of(wire)} | ({"op": op} if op else {})
    for name, word in named.items():
        marks[name] = {"description": _MARKS[name], "type": "string", "const": word}
    required = [*marks, *fields["required"], *wire.added_on_fetch]
    return {
        "type": "object",
        "properties": fields["properties"] | marks,
        "required": list(dict.fromkeys(required)),
    }


def _one_of(name: str, kinds: dict[str, str]) -> Schema:
    references = {word: REFERENCE.format(name=kind) for word, kind in kinds.items()}
    return {
        "oneOf": [{"$ref": each} for each in references.values()],
        "discriminator": {"propertyName": name, "mapping": references},
    }
