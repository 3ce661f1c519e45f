"""The language of the tables beside this module: what may be in an answer, one line per key.

    GET /users/{user_id}                    an answer, an event or a shape with a name of its own
        user: {}                            an object, whose keys stand below it
            role: 100 | 200 | "guest"       one of these values
            avatar_url?: string | null      the key may be missing
            *?: any                         there may be other keys
            groups: [Group]                 a list of a shape with a name
            fields: {*: any}                an object with any keys
            |                               or else the object is this
            user_id: integer

The nth `{}` of a line is the nth of the objects below it. `event` is any event of the table.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

ENVELOPE = "every answer"
EVENT = "event"  # whichever of the table's events has this type and op
_TOKEN = re.compile(r'\{\}|\{\*:|[\[\]}|]|"(?:[^"\\]|\\.)*"|-?\d+|\w+')
_LINE = re.compile(r"(?P<name>.+?)(?P<optional>\?)?: (?P<shape>.+)")
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Literal:
    value: str | int


@dataclass(frozen=True, slots=True)
class Each:
    """A list, or an object with any keys, of one shape."""

    shape: "Shape"
    kind: type[list[Any] | dict[str, Any]]


@dataclass(slots=True)
class Object:
    keys: dict[str, "Key"] = field(default_factory=dict)


@dataclass(slots=True)
class Key:
    shape: "Shape"
    is_required: bool


Form = str | Literal | Each | Object  # a str is a type of JSON, "any", or the name of a shape
Shape = list[Form]  # any of these
Table = dict[str, Shape]


# --- reading ---


def read(file: Path) -> Table:
    table: Table = {}
    text = file.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for header, below in _indented(lines):
        assert header not in table, f"{header} is described twice in {file.name}"
        table[header] = [*_objects(below)]
    return table


def _objects(lines: list[str]) -> Iterator[Object]:
    found = Object()
    for line, below in _indented(lines):
        if line == "|":
            yield found
            found = Object()
            continue
        match = _LINE.fullmatch(line)
        assert match, f"this is no line of a table: {line}"
        shape = _shape(_TOKEN.findall(match["shape"]), _objects(below))
        found.keys[match["name"]] = Key(shape, not match["optional"])
    yield found


def _indented(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line of the outermost level, with the lines below it."""
    starts = [n for n, line in enumerate(lines) if not line.startswith(_INDENT)]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start], [line.removeprefix(_INDENT) for line in lines[start + 1 : end]]


def _shape(tokens: list[str], objects: Iterator[Object]) -> Shape:
    forms: Shape = []
    while tokens and tokens[0] not in "]}":
        token = tokens.pop(0)
        if token == "{}":
            forms.append(next(objects))
        elif token in ("[", "{*:"):
            forms.append(Each(_shape(tokens, objects), list if token == "[" else dict))
            tokens.pop(0)
        elif token != "|":
            forms.append(token if token[0].isalpha() else Literal(json.loads(token)))
    return forms


# --- writing ---


def written(table: Table) -> str:
    return "\n".join(f"{name}\n{_below(shape)}" for name, shape in table.items())


def _below(shape: Iterable[Form]) -> str:
    groups = ["".join(_line(*each) for each in found.keys.items()) for found in objects_in(shape)]
    return f"{_INDENT}|\n".join(groups)


def _line(name: str, key: Key) -> str:
    below = _below(key.shape).replace("\n", "\n" + _INDENT).removesuffix(_INDENT)
    mark = "" if key.is_required else "?"
    return f"{_INDENT}{name}{mark}: {inline(key.shape)}\n" + (below and _INDENT + below)


def inline(shape: Shape) -> str:
    return " | ".join(_form(form) for form in shape)


def _form(form: Form) -> str:
    match form:
        case str():
            return form
        case Literal(value):
            return json.dumps(value)
        case Each(shape, kind):
            return f"[{inline(shape)}]" if kind is list else f"{{*: {inline(shape)}}}"
        case Object():
            return "{}"


def objects_in(shape: Iterable[Form]) -> Iterator[Object]:
    """The objects that are written below a line."""
    for form in shape:
        if isinstance(form, Object):
            yield form
        elif isinstance(form, Each):
            yield from objects_in(form.shape)


# --- holding a value against a shape ---

Test = Callable[[Any], bool]

_PLAIN: dict[str, Test] = {
    "any": lambda value: True,
    "null": lambda value: value is None,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}


class Fitting:
    """A fast check whether values fit: nearly all do, and only the others need a reason."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._named: dict[str, Test] = {}

    def fits(self, name: str, value: Any) -> bool:
        """Whether it has the shape of this name; `event` is any event of the table."""
        if name == EVENT:
            name = event_name(self._table, value)
        if name not in self._named:
            if name not in self._table:
                return False
            self._named[name] = self._any_of(self._table[name])
        return self._named[name](value)

    def _any_of(self, shape: Shape) -> Test:
        tests = [self._test(form) for form in shape]
        return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)

    def _test(self, form: Form) -> Test:
        match form:
            case Literal(expected):
                return lambda value: value == expected and type(value) is type(expected)
            case str():
                return _PLAIN.get(form) or partial(self.fits, form)
            case Each(shape, kind):
                return partial(_has_each, self._any_of(shape), kind)
            case Object(keys):
                tests = {name: self._any_of(key.shape) for name, key in keys.items()}
                needed = {name for name, key in keys.items() if key.is_required}
                return partial(_has_keys, tests, needed)


def _has_each(test: Test, kind: type[list[Any] | dict[str, Any]], value: Any) -> bool:
    inside = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and all(map(test, inside))


def _has_keys(tests: dict[str, Test], needed: set[str], value: Any) -> bool:
    if not isinstance(value, dict) or not needed <= value.keys():
        return False
    others = tests.get("*")
    for name, one in value.items():
        test = tests.get(name, others)
        if test is None or not test(one):
            return False
    return True


def problems(table: Table, shape: Shape, value: Any, path: str = "") -> list[str]:
    """What is wrong with a value, in sentences; of several forms, with the one that fits best."""
    found: list[list[str]] = []
    for form in shape:
        wrong = _wrong(table, form, value, path)
        if not wrong:
            return []
        found.append(wrong)
    within = [wrong for wrong in found if not wrong[0].startswith(f"{path}: must be ")]
    if within:
        return min(within, key=_distance)
    return [f"{path}: must be {inline(shape)}, and is {json.dumps(value)[:80]}"]


def _distance(wrong: list[str]) -> tuple[int, int]:
    """An object that calls itself something else is farther away than one with a wrong key."""
    return sum("must be" in each for each in wrong), len(wrong)


def _wrong(table: Table, form: Form, value: Any, path: str) -> list[str]:
    match form:
        case Literal(expected):
            fits = value == expected and type(value) is type(expected)
        case str() if form in _PLAIN:
            fits = _PLAIN[form](value)
        case str():
            name = event_name(table, value) if form == EVENT else form
            if name not in table:
                return [f"{path}: is an unknown event, {name}"]
            return problems(table, table[name], value, path)
        case Each(shape, kind) if isinstance(value, kind):
            inside = value if isinstance(value, list) else value.values()
            each = (problems(table, shape, one, f"{path}/*") for one in inside)
            return list(dict.fromkeys(problem for some in each for problem in some))
        case Object(keys) if isinstance(value, dict):
            return _wrong_keys(table, keys, value, path)
        case _:
            fits = False
    return [] if fits else [f"{path}: must be {_form(form)}"]


def event_name(table: Table, event: dict[str, Any]) -> str:
    """What the table calls it."""
    name = f"{EVENT} {event.get('type')}"
    exact = f"{name} {event.get('op')}"
    return exact if exact in table else name


def _wrong_keys(table: Table, keys: dict[str, Key], value: dict[str, Any], path: str) -> list[str]:
    needed = [name for name, key in keys.items() if key.is_required]
    wrong = [f"{path}: has no {name}" for name in needed if name not in value]
    for name, one in value.items():
        key = keys.get(name) or keys.get("*")
        if key:
            wrong += problems(table, key.shape, one, f"{path}/{name}")
        else:
            wrong.append(f"{path}: has {name}, which is not documented")
    return wrong
