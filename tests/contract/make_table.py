"""Makes `shapes.txt`: `python -m tests.contract.make_table openapi.json recorded/`.

Both are of the reference and needed for this alone: its own description of its API (an OpenAPI
document), and a folder of exchanges with it (JSON lists of method, path, status, response, events).
The description hardly ever says that a key is always there, so that is taken from the exchanges:
a key is required when everything that was recorded has it, and it was recorded three times or more.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.contract.shapes import (
    ENVELOPE,
    EVENT,
    Each,
    Form,
    Key,
    Literal,
    Object,
    Shape,
    Table,
    event_name,
    problems,
    written,
)
from tests.support.conformance import SHAPES, Contract

ENVELOPE_KEYS = ("result", "msg", "ignored_parameters_unsupported")
ENOUGH = 3
CUT = "__trimmed"  # stands in the exchanges for more of the same
HEADER = "# Made by make_table.py from the reference; differences.txt says where ours differs.\n"


def main(description: Path, recorded: Path) -> None:
    table = Description(json.loads(description.read_text(encoding="utf-8"))).table()
    name_what_repeats(table)
    seen = Seen(table)
    for file in sorted(recorded.glob("*.json")):
        for exchange in _exchanges(file):
            seen.add(exchange)
    seen.require_what_is_always_there()
    SHAPES.write_text(HEADER + written(table), encoding="utf-8")


def _exchanges(file: Path) -> list[dict[str, Any]]:
    found = json.loads(file.read_text(encoding="utf-8"))
    return (
        [_without_cut(each) for each in found if each["status"] == 200]
        if type(found) is list
        else []
    )


def _without_cut(value: Any) -> Any:
    """Without the marks for what was left out."""
    if isinstance(value, list):
        return [
            _without_cut(each) for each in value if not isinstance(each, dict) or [*each] != [CUT]
        ]
    if isinstance(value, dict):
        return {name: _without_cut(each) for name, each in value.items() if name != CUT}
    return value


class Description:
    """An OpenAPI document, of which only the successful answers matter."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def table(self) -> Table:
        table: Table = {ENVELOPE: self._shape({"$ref": "#/components/schemas/JsonSuccessBase"})}
        events: Table = {}
        for path, method, schema in self._answers():
            shape = self._shape(schema)
            for found in shape:
                assert isinstance(found, Object), path
                found.keys = {n: k for n, k in found.keys.items() if n not in ENVELOPE_KEYS}
                if (method, path) == ("GET", "/events"):
                    events = _by_kind(found.keys.pop("events").shape)
                    found.keys["events"] = Key([Each([EVENT], list)], True)
            table[f"{method} {path}"] = shape
        return table | events

    def _answers(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                response = self._resolved(operation.get("responses", {}).get("200", {}))
                schema = response.get("content", {}).get("application/json", {}).get("schema")
                if schema:
                    yield path, method.upper(), schema

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            found = self._document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = found
        return node

    def _merged(self, node: dict[str, Any]) -> dict[str, Any]:
        """A node with what it refers to, and with all parts of it that hold together."""
        node = dict(self._resolved(node))
        for part in map(self._merged, node.pop("allOf", [])):
            keys = dict(node.get("properties", {}))
            for name, each in part.get("properties", {}).items():
                both = [form for form in (keys.get(name), each) if form]
                keys[name] = {"allOf": both}
            required = node.get("required", []) + part.get("required", [])
            node = part | node
            if keys:
                node |= {"properties": keys, "required": required}
        return node

    def _shape(self, node: dict[str, Any]) -> Shape:
        node = self._merged(node)
        forms: Shape = [Literal(value) for value in node.get("enum", [])]
        forms = forms or [
            form
            for branch in node.get("oneOf", []) + node.get("anyOf", [])
            for form in self._shape(branch)
        ]
        forms = forms or self._plain(node)
        if node.get("nullable"):
            forms.append("null")
        return [form for n, form in enumerate(forms) if form not in forms[:n]]

    def _plain(self, node: dict[str, Any]) -> Shape:
        keys, others = node.get("properties"), node.get("additionalProperties")
        if isinstance(others, dict):
            return [Each(self._shape(others), dict)]
        if keys is not None:
            required = node.get("required", [])
            return [Object({n: Key(self._shape(k), n in required) for n, k in keys.items()})]
        if node.get("type") == "array":
            return [Each(self._shape(node.get("items", {})), list)]
        if node.get("type") == "object":
            return [Each(["any"], dict)]
        return [node.get("type", "any")]


def _by_kind(forms: Shape) -> Table:
    """The events, as `event TYPE` or, when there is one `op` for each, as `event TYPE OP`."""
    (events,) = [form for form in forms if isinstance(form, Each)]
    found: Table = {}
    for event in events.shape:
        assert isinstance(event, Object)
        marks = [event.keys[name] for name in ("type", "op", "id") if name in event.keys]
        for mark in marks:
            mark.is_required = True
        kinds = (mark.shape for mark in marks)
        words = [str(s[0].value) for s in kinds if len(s) == 1 and isinstance(s[0], Literal)]
        found.setdefault(" ".join([EVENT, *words]), []).append(event)
    return found


def name_what_repeats(table: Table) -> None:
    """An object of some size that is there twice is written once, with a name."""
    texts = Counter[str]()
    for shape in table.values():
        _count(shape, texts)
    names: dict[str, str] = {}
    for shape in list(table.values()):
        for form in shape:
            assert isinstance(form, Object)
            for name, key in form.keys.items():
                key.shape = _with_names(key.shape, name, texts, names, table)


def _count(shape: Shape, texts: Counter[str]) -> None:
    for form in shape:
        if isinstance(form, Each):
            _count(form.shape, texts)
        elif isinstance(form, Object):
            texts[repr(form)] += 1
            if texts[repr(form)] == 1:  # what is inside the second time is named with it
                for key in form.keys.values():
                    _count(key.shape, texts)


def _with_names(
    shape: Shape, called: str, texts: Counter[str], names: dict[str, str], table: Table
) -> Shape:
    found: Shape = []
    for form in shape:
        named: Form = form
        if isinstance(form, Each):
            named = Each(_with_names(form.shape, called, texts, names, table), form.kind)
        elif isinstance(form, Object):
            text = repr(form)
            if text not in names:
                for name, key in form.keys.items():
                    key.shape = _with_names(key.shape, name, texts, names, table)
                if texts[text] > 1 and len(form.keys) > 1:
                    names[text] = _new_name(called, table)
                    table[names[text]] = [form]
            named = names.get(text, form)
        found.append(named)
    return found


def _new_name(called: str, table: Table) -> str:
    name = "".join(word.capitalize() for word in called.split("_"))
    return next(each for each in (name, *(f"{name}{n}" for n in range(2, 99))) if each not in table)


class Seen:
    """How often each object was recorded, and each key of it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._contract = Contract(deepcopy(table))
        self._objects: dict[int, Object] = {}
        self._times = Counter[int]()
        self._keys = Counter[tuple[int, str]]()

    def add(self, exchange: dict[str, Any]) -> None:
        path = exchange["path"].removeprefix("/api/v1")
        name = self._contract.endpoint(exchange["method"], path)
        if name and isinstance(exchange["response"], dict):
            response = {n: v for n, v in exchange["response"].items() if n not in ENVELOPE_KEYS}
            for problem in problems(self._table, self._table[name], response):
                print(name, problem, file=sys.stderr)
            self._count(self._table[name], response)
        for events in exchange["events"].values():
            for event in events:
                for problem in problems(self._table, [EVENT], event):
                    print(event.get("type"), event.get("op"), problem, file=sys.stderr)
            self._count([Each([EVENT], list)], events)

    def require_what_is_always_there(self) -> None:
        for number, found in self._objects.items():
            for name, key in found.keys.items():
                times = self._times[number]
                if times >= ENOUGH and self._keys[number, name] == times:
                    key.is_required = True

    def _count(self, shape: Shape, value: Any) -> None:
        for form in shape:
            if problems(self._table, [form], value):
                continue
            match form:
                case str():
                    name = event_name(self._table, value) if form == EVENT else form
                    self._count(self._table.get(name, []), value)
                case Each(inner, _):
                    for each in value if isinstance(value, list) else value.values():
                        self._count(inner, each)
                case Object(keys):
                    self._objects[id(form)] = form
                    self._times[id(form)] += 1
                    for name, each in value.items():
                        self._keys[id(form), name] += 1
                        self._count(keys[name].shape, each)
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
