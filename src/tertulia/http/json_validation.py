"""Compiles type annotations into checks of JSON values.

A shape is compiled once from an annotation. If no branch of a union fits, the problem of the first
branch of the value's own JSON type is reported, otherwise that of the first branch. msgspec could
check types itself, but would report other problems than clients expect.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from tertulia.http.parameter_rules import (
    MAX_SHOWN_NAME_LENGTH,
    Problem,
    Rule,
    as_id,
    value_error,
)
from tertulia.wire import IdMarker

Check = Callable[[Any], Any]

MAX_CHARACTERS = 1_000_000  # of a text without its own limit
MAX_ITEMS = 100_000  # of a list or an object without its own limit
SMALLEST, LARGEST = -(2**63), 2**63 - 1

JSON_KINDS: frozenset[type] = frozenset({str, int, bool, float, list, dict, NoneType})
SCALARS = frozenset({str, int, bool})

_MISSING: Any = object()


class Shape(msgspec.Struct, frozen=True):
    kinds: frozenset[type]  # types that the JSON decoder may return for it
    check: Check  # returns the value for the endpoint, or raises Problem
    schema: dict[str, Any]  # for the API description


def shape_of(annotation: Any) -> Shape:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *markers = get_args(annotation)
        return _ruled(inner, markers)
    if origin is Union or origin is UnionType:
        return _union([shape_of(branch) for branch in get_args(annotation)])
    if origin is Literal:
        return _literal(get_args(annotation))
    if origin is list:
        return _list(shape_of(get_args(annotation)[0]))
    if origin is dict and get_args(annotation)[0] is str:
        return _dict(shape_of(get_args(annotation)[1]))
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return _struct(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    raise TypeError(f"no wire form for {annotation!r}")


# --- Plain types ----------------------------------------------------------------------------------


def _text(value: Any) -> Any:
    if type(value) is not str:
        raise Problem(" is not a string")
    if len(value) > MAX_CHARACTERS:
        raise Problem(f" is too long (limit: {MAX_CHARACTERS} characters)")
    return value


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise Problem(" is not an integer")
    if not SMALLEST <= value <= LARGEST:
        raise Problem(" is too large" if value > 0 else " is too small")
    return value


def _id(value: Any) -> int:
    if type(value) is not int:
        raise Problem(" is not an integer")
    return as_id(value)


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise Problem(" is not a boolean")
    return value


def _number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise Problem(" is not a number")
    if not SMALLEST <= value <= LARGEST:
        raise Problem(" is too large" if value > 0 else " is too small")
    return float(value)


def _null(value: Any) -> None:
    if value is not None:
        raise Problem(" is not null")


def _anything(value: Any) -> Any:
    return value


def _kinds(*kinds: type) -> frozenset[type]:
    return frozenset(kinds)


_PLAIN: dict[Any, Shape] = {
    str: Shape(_kinds(str), _text, {"type": "string"}),
    int: Shape(_kinds(int), _integer, {"type": "integer"}),
    bool: Shape(_kinds(bool), _boolean, {"type": "boolean"}),
    float: Shape(_kinds(float, int), _number, {"type": "number"}),
    NoneType: Shape(_kinds(NoneType), _null, {"type": "null"}),
    Any: Shape(JSON_KINDS, _anything, {}),
}
_ID = replace(_PLAIN[int], check=_id)


# --- Composite types ------------------------------------------------------------------------------


def _ruled(inner: Any, markers: Iterable[Any]) -> Shape:
    rules: list[Rule] = []
    shape = shape_of(inner)
    for marker in markers:
        if marker is IdMarker:
            shape = _ID
        elif isinstance(marker, Rule):
            rules.append(marker)
        elif isinstance(marker, type) and issubclass(marker, Rule):
            rules.append(marker())
    if not rules:
        return shape

    first = shape.check
    steps = [(rule.kinds, rule.check) for rule in rules]

    def check(value: Any) -> Any:
        value = first(value)
        for kinds, step in steps:
            if type(value) in kinds:
                value = step(value)
        return value

    schema = dict(shape.schema)
    for rule in rules:
        schema |= rule.schema()
    return Shape(shape.kinds, check, schema)


def _union(branches: Sequence[Shape]) -> Shape:
    by_kind: dict[type, list[Check]] = {}
    for branch in branches:
        for kind in branch.kinds:
            by_kind.setdefault(kind, []).append(branch.check)
    fallback = [branches[0].check]

    def check(value: Any) -> Any:
        first: Problem | None = None
        for fits in by_kind.get(type(value), fallback):
            try:
                return fits(value)
            except Problem as problem:
                first = first or problem
        assert first is not None
        raise first

    kinds = frozenset().union(*(branch.kinds for branch in branches))
    return Shape(kinds, check, {"anyOf": [branch.schema for branch in branches]})


def _literal(values: Sequence[Any]) -> Shape:
    # True equals 1 in Python, but not in JSON.
    known = {(type(value), value) for value in values}

    def check(value: Any) -> Any:
        if type(value) not in SCALARS or (type(value), value) not in known:
            raise Problem("", before="Invalid ")
        return value

    return Shape(_kinds(*map(type, values)), check, {"enum": list(values)})


def _list(item: Shape) -> Shape:
    check_item = item.check

    def check(value: Any) -> list[Any]:
        if type(value) is not list:
            raise Problem(" is not a list")
        if len(value) > MAX_ITEMS:
            raise Problem(f" is too long (limit: {MAX_ITEMS} items)")
        try:
            return [check_item(entry) for entry in value]
        except Problem:
            raise _first_problem(value, check_item) from None

    return Shape(_kinds(list), check, {"type": "array", "items": item.schema})


def _first_problem(entries: list[Any], check: Check) -> Problem:
    for position, entry in enumerate(entries):
        try:
            check(entry)
        except Problem as problem:
            return problem.at(position)
    raise AssertionError("a check said yes and no to the same value")


def _dict(item: Shape) -> Shape:
    check_item = item.check

    def check(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise Problem(" is not a dict")
        if len(value) > MAX_ITEMS:
            raise Problem(f" is too long (limit: {MAX_ITEMS} items)")
        found = {}
        for key, entry in value.items():
            try:
                found[key] = check_item(entry)
            except Problem as problem:
                raise problem.at(key) from None
        return found

    schema = {"type": "object", "additionalProperties": item.schema}
    return Shape(_kinds(dict), check, schema)


@cache
def _struct(cls: type[msgspec.Struct]) -> Shape:
    """An object. A `ValueError` of its `__post_init__` is reported as `Invalid X: Value
    error, …`."""
    hints = get_type_hints(cls, include_extras=True)
    members = []
    for field in msgspec.structs.fields(cls):
        shape = shape_of(without(hints[field.name], msgspec.UnsetType))
        members.append((field.name, field.encode_name, shape, field.required))
    checks = [(name, wire, shape.check, required) for name, wire, shape, required in members]
    expected = frozenset(wire for _, wire, _, _ in members)
    is_closed = bool(cls.__struct_config__.forbid_unknown_fields)

    def check(value: Any) -> msgspec.Struct:
        if type(value) is not dict:
            raise Problem(" is not a dict")
        found = {}
        for name, wire, check_member, required in checks:
            entry = value.get(wire, _MISSING)
            if entry is _MISSING:
                if required:
                    raise Problem(" field is missing: Field required").at(wire)
                continue
            try:
                found[name] = check_member(entry)
            except Problem as problem:
                raise problem.at(wire) from None
        if is_closed:
            for key in value:
                if key not in expected:
                    raise _unexpected(key)
        try:
            return cls(**found)
        except ValueError as error:
            raise value_error(str(error)) from None

    schema: dict[str, Any] = {
        "type": "object",
        "properties": {wire: shape.schema for _, wire, shape, _ in members},
    }
    required = [wire for _, wire, _, is_required in members if is_required]
    if required:
        schema["required"] = required
    if is_closed:
        schema["additionalProperties"] = False
    return Shape(_kinds(dict), check, schema)


def _unexpected(name: str) -> Problem:
    shown = name[:MAX_SHOWN_NAME_LENGTH]
    return Problem(" is unexpected", before=f'Argument "{shown}" at ').at(name)


def without(annotation: Any, *unwanted: type) -> Any:
    """A union without these branches."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    wanted = [branch for branch in get_args(annotation) if branch not in unwanted]
    return reduce(or_, wanted)
