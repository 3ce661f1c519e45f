"""The server's own API description as a table of `tests/contract/shapes.py`.

It is read as a contract: a key that it does not have is a mistake, although readers of the
description would ignore it.
"""

from typing import Any

from tests.contract.shapes import ENVELOPE, EVENT, Each, Form, Key, Literal, Object, Shape, Table

PREFIX = "/api/v1"

Schema = dict[str, Any]


def table_of(document: Schema) -> Table:
    schemas: dict[str, Schema] = document["components"]["schemas"]
    table = {name: _shape(schema) for name, schema in schemas.items() if name != "Event"}
    table[ENVELOPE] = table.pop("Envelope")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            response = next(iter(operation["responses"].values()))
            _, reply = response["content"]["application/json"]["schema"]["allOf"]
            name = reply["$ref"].rpartition("/")[2]
            table[f"{method.upper()} {path.removeprefix(PREFIX)}"] = _answer(schemas[name])
    table |= {_event_name(schemas[name]): table[name] for name in _events(schemas, "Event")}
    return table


def _answer(schema: Schema) -> Shape:
    if "additionalProperties" in schema:
        return [Object({"*": Key(["any"], False)})]
    return _shape(schema)


def _events(schemas: dict[str, Schema], name: str) -> list[str]:
    """The names of the kinds of events; some are groups of kinds."""
    kinds = [each["$ref"].rpartition("/")[2] for each in schemas[name].get("oneOf", [])]
    return [found for kind in kinds for found in _events(schemas, kind)] or [name]


def _event_name(schema: Schema) -> str:
    marks = (schema["properties"].get(name, {}).get("const") for name in ("type", "op"))
    return " ".join([EVENT, *filter(None, marks)])


def _shape(schema: Schema) -> Shape:
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return [form for each in schema[several] for form in _shape(each)]
    if "enum" in schema:
        return [Literal(each) for each in schema["enum"]]
    if "const" in schema:
        return [Literal(schema["const"])]
    return [_form(schema)]


def _form(schema: Schema) -> Form:
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition("/")[2]
        return EVENT if name == "Event" else name
    kind = schema.get("type")
    if kind == "array":
        return Each(_shape(schema.get("items", {})), list)
    if kind == "object" and "properties" in schema:
        needed = schema.get("required", [])
        fields = schema["properties"].items()
        return Object({name: Key(_shape(each), name in needed) for name, each in fields})
    if kind == "object":
        others = schema.get("additionalProperties", {})
        return Each(_shape(others if isinstance(others, dict) else {}), dict)
    return str(kind or "any")
