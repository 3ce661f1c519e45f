"""Every successful answer, and every event in one, is checked against the contract.

The contract is two tables under `tests/contract`: `shapes.txt`, the reference's answers, and
`ours.txt`, our differences and the reasons. At the end of a run the tests report how much of it
they saw.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from tests.contract.shapes import (
    EVENT,
    Fitting,
    Object,
    Shape,
    Table,
    event_name,
    objects_in,
    problems,
    read,
)

from tertulia.api.routes import ROUTES

CONTRACT = Path(__file__).parents[1] / "contract"
SHAPES = CONTRACT / "shapes.txt"
OURS = CONTRACT / "ours.txt"
OURS_PATH = "tests/contract/ours.txt"
ENVELOPE = "every answer"
_NUMBER = re.compile(r"(?<![A-Za-z])\d+")
_BLANK = re.compile(r"\{\w*?(id|filename|fragment)?(?::path)?\}")


def check(method: str, path: str, answer: dict[str, Any]) -> None:
    """Raises AssertionError if an answer differs from the contract."""
    wrong = the_contract().problems(method, path.partition("?")[0], answer)
    found = f"{method} {path} differs from the contract:\n" + "\n".join(wrong)
    assert not wrong, f"{found}\nWhat is new and meant to be so is described in {OURS_PATH}."


@cache
def the_contract() -> "Contract":
    return Contract(read(SHAPES), read(OURS))


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
    """The shapes of answers and events, and which of them were seen. It extends the reference."""

    def __init__(self, reference: Table, ours: Table | None = None) -> None:
        self.table = reference
        self.met: set[str] = set()
        self._found: dict[str, str | None] = {}
        for name, shape in (ours or {}).items():
            _extend(self.table.setdefault(name, [Object()]), shape)
        self._endpoints = {name: _pattern(name) for name in self.table if " /" in name}
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
