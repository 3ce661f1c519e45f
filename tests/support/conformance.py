"""Every successful answer is held against the reference's own description of its API.

The description is not part of this repository: where it lies beside it the check is made, and
elsewhere nothing happens. What differs on purpose is listed in `differences`.
"""

import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.support.differences import DIFFERENCES

TOOL = Path(__file__).resolve().parents[3] / "shared/tools/conformance.py"
DESCRIPTION = TOOL.parents[1] / "reference/openapi-reference.json"


def check(method: str, path: str, answer: dict[str, Any]) -> None:
    """Raises AssertionError where an answer differs and `differences` does not say why."""
    found = _validator(method, path.partition("?")[0])
    if found is None:
        return
    template, validator, ours = found
    shown = {key: _ends(value) for key, value in answer.items() if key not in ours}
    problems = [
        problem
        for error in validator.iter_errors(shown)
        if not _is_on_purpose(problem := f"{method} {template} {_told(error)}")
    ]
    assert not problems, "differs from the reference:\n" + "\n".join(problems)


def _ends(value: Any) -> Any:
    """Of a very long list both ends are enough: the middle is more of the same."""
    return value[:20] + value[-20:] if isinstance(value, list) and len(value) > 50 else value


@cache
def _tool() -> ModuleType | None:
    if not (TOOL.exists() and DESCRIPTION.exists()):
        return None
    spec = importlib.util.spec_from_file_location("conformance_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _validator(method: str, path: str) -> tuple[str, Any, set[str]] | None:
    tool = _tool()
    routes = tool.ROUTES if tool is not None else []
    matching = [row for row in routes if row[0] == method and row[2].match(path)]
    if tool is None or not matching:
        return None
    template = min((row[1] for row in matching), key=lambda each: each.count("{"))
    return template, _compiled(method, template), tool.OURS


@cache
def _compiled(method: str, template: str) -> Any:
    tool = _tool()
    assert tool is not None
    (schema,) = (row[3] for row in tool.ROUTES if row[:2] == (method, template))
    return tool.jsonschema.Draft7Validator(schema)


def _told(error: Any) -> str:
    if error.validator == "anyOf":
        return "; ".join(_told(each) for each in _nearest(error))
    path = "/".join("*" if isinstance(step, int) else str(step) for step in error.absolute_path)
    return f"{path}: {error.message[-300:]}"


def _nearest(error: Any) -> list[Any]:
    """Of several forms none of which fits: what is wrong with the one that fits best."""
    branches: dict[int, list[Any]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)

    def distance(problems: list[Any]) -> tuple[int, int]:
        of_another_kind = sum(each.validator == "enum" for each in problems)
        return of_another_kind, len(problems)

    return min(branches.values(), key=distance)


def _is_on_purpose(problem: str) -> bool:
    return any(pattern.search(problem) for pattern in _known())


@cache
def _known() -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in DIFFERENCES]
