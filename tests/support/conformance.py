"""Every successful answer, and every event in one, is checked against the contract.

The reference's half of it is `tests/contract/shapes.txt`: its answers, with the types of their keys
and which are always there. `differences.txt` says where ours differ, and why. Our half is derived
from the server's API description: all endpoints and events, and all keys, with nothing else. At the
end of a run the tests report how much of it they saw.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.contract.shapes import (
    ENVELOPE,
    EVENT,
    Fitting,
    Key,
    Object,
    Shape,
    Table,
    event_name,
    objects_in,
    problems,
    read,
)
from tests.support.description import table_of

from tertulia.api.routes import ROUTES
from tertulia.app import description

CONTRACT = Path(__file__).parents[1] / "contract"
SHAPES = CONTRACT / "shapes.txt"
DIFFERENCES = CONTRACT / "differences.txt"
_NUMBER = re.compile(r"(?<![A-Za-z])\d+")
_BLANK = re.compile(r"\{\w*?(id|filename|fragment)?(?::path)?\}")


def check(method: str, path: str, answer: dict[str, Any]) -> None:
    """Raises AssertionError if an answer differs from the reference or from its description."""
    path = path.partition("?")[0]
    wrong = the_contract().problems(method, path, answer)
    found = f"{method} {path} differs from the reference:\n" + "\n".join(wrong)
    assert not wrong, f"{found}\nA difference on purpose is in tests/contract/{DIFFERENCES.name}."
    wrong = the_description().problems(method, path, answer)
    assert not wrong, f"{method} {path} differs from its description:\n" + "\n".join(wrong)


@cache
def the_contract() -> "Contract":
    return Contract(read(SHAPES), read(DIFFERENCES), beyond=_described())


@cache
def the_description() -> "Contract":
    return Contract(_described())


def _described() -> Table:
    return table_of(json.loads(description()))


def summary(met: set[str]) -> str:
    """How much of the contract the tests have seen; after a whole run, also what is missing."""
    contract = the_contract()
    served = {contract.endpoint(route.method, example(route.path)) or "" for route in ROUTES}
    responses, kinds = met & served, {name for name in met if name.startswith(EVENT)}
    counts = f"{len(responses)} of {len(served)} endpoints and {len(kinds)} kinds of events"
    summary = f"Contract: {counts} met"
    missed = sorted(served - met)
    few = 0 < len(missed) < len(responses) / 2
    return f"{summary}; never met: {', '.join(missed)}" if few else summary


class Contract:
    """The shapes of answers and events, and which of them were seen. It extends the reference.

    The endpoints and events of the table `beyond` are known, too, and any further key is accepted.
    """

    def __init__(
        self, reference: Table, differences: Table | None = None, beyond: Table | None = None
    ) -> None:
        self.table = reference
        self.met: set[str] = set()
        self._found: dict[str, str | None] = {}
        for name, shape in (differences or {}).items():
            _extend(self.table.setdefault(name, [Object()]), shape)
        if beyond is not None:
            self.table |= {name: [Object()] for name in _missing(beyond, self.table)}
            for shape in self.table.values():
                _open(shape)
        self._endpoints = _patterns(self.table)
        for name in self._endpoints:
            _extend(self.table[name], self.table[ENVELOPE])
        self._fitting = Fitting(self.table)

    def endpoint(self, method: str, path: str) -> str | None:
        """Its name in the table; all numbers are equal."""
        requested = _NUMBER.sub("1", re.sub("/+", "/", f"{method} {path}"))
        if requested not in self._found:
            self._found[requested] = self._look_for(requested)
        return self._found[requested]

    def _look_for(self, asked: str) -> str | None:
        """Of several, the one with the fewest placeholders."""
        names = (name for name, pattern in self._endpoints.items() if pattern.fullmatch(asked))
        return min(names, key=lambda name: name.count("{"), default=None)

    def problems(self, method: str, path: str, answer: dict[str, Any]) -> list[str]:
        name = self.endpoint(method, path)
        if name is None:
            return ["this endpoint is not documented"]
        shown = {key: _ends(value) for key, value in answer.items()}
        self.met |= {name, *(event_name(self.table, event) for event in answer.get("events", []))}
        fits = self._fitting.fits(name, shown)
        return [] if fits else problems(self.table, self.table[name], shown)


def _missing(wanted: Table, known: Table) -> Iterator[str]:
    """The events and endpoints that a table does not have."""
    patterns = _patterns(known).values()
    yield from (name for name in wanted if name.startswith(f"{EVENT} ") and name not in known)
    yield from (name for name, each in _patterns(wanted).items() if each not in patterns)


def _open(shape: Shape) -> None:
    for form in objects_in(shape):
        for key in form.keys.values():
            _open(key.shape)
        form.keys.setdefault("*", Key(["any"], False))


def _extend(shape: Shape, added: Shape) -> None:
    """Add the keys of one object to every form of another, recursively."""
    (more,) = objects_in(added)
    for form in objects_in(shape):
        for name, key in more.keys.items():
            known = form.keys.setdefault(name, key)
            known.is_required = key.is_required
            if [*objects_in(known.shape)] and [*objects_in(key.shape)]:
                _extend(known.shape, key.shape)
            else:
                known.shape = key.shape


def _patterns(table: Table) -> dict[str, re.Pattern[str]]:
    return {name: _pattern(name) for name in table if " /" in name}


def _pattern(endpoint: str) -> re.Pattern[str]:
    """A route as a pattern: `{user_id}` is a number, `{filename}` a path, any other placeholder
    a word."""
    blanks = {"id": r"\d+", "filename": ".+", "fragment": ".+", None: "[^/]+"}
    return re.compile(_BLANK.sub(lambda found: blanks[found[1]], endpoint))


def example(path: str) -> str:
    return _BLANK.sub(lambda found: "1" if found[1] == "id" else "some", path)


def _ends(value: Any) -> Any:
    """Both ends of a very long list are enough."""
    return value[:20] + value[-20:] if isinstance(value, list) and len(value) > 50 else value
