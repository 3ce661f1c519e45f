"""Helpers for tests of narrows."""

from typing import Any


def term(operator: Any, operand: Any, *, negated: Any = False) -> dict[str, Any]:
    return {"operator": operator, "operand": operand, "negated": negated}
