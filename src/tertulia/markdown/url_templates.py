"""URL templates (RFC 6570) with string values.

    expand("https://bugs.example.com/{id}{?page}", {"id": "12", "page": "2"})

All operators and the prefix modifier are supported; exploding a string has no effect.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_VARIABLES = re.compile(
    r"([+#./;?&]?)([\w.%]+(?::[1-9][0-9]{0,3}|\*)?(?:,[\w.%]+(?::[1-9][0-9]{0,3}|\*)?)*)"
)
_RESERVED = ":/?#[]@!$&'()*+,;="
_UNRESERVED = "-._~"


class InvalidTemplate(ValueError):
    """Not a template of RFC 6570."""


class _Operator(NamedTuple):
    first: str
    separator: str
    is_named: bool
    if_empty: str
    allowed: str


_OPERATORS = {
    "": _Operator("", ",", False, "", _UNRESERVED),
    "+": _Operator("", ",", False, "", _UNRESERVED + _RESERVED),
    "#": _Operator("#", ",", False, "", _UNRESERVED + _RESERVED),
    ".": _Operator(".", ".", False, "", _UNRESERVED),
    "/": _Operator("/", "/", False, "", _UNRESERVED),
    ";": _Operator(";", ";", True, "", _UNRESERVED),
    "?": _Operator("?", "&", True, "=", _UNRESERVED),
    "&": _Operator("&", "&", True, "=", _UNRESERVED),
}


def check(template: str) -> frozenset[str]:
    """The names in a template. Raises InvalidTemplate."""
    names: set[str] = set()
    for expression in _EXPRESSION.findall(template):
        if not (match := _VARIABLES.fullmatch(expression)):
            raise InvalidTemplate(expression)
        names.update(re.split("[:*]", variable)[0] for variable in match[2].split(","))
    if set(_EXPRESSION.sub("", template)) & set("{}"):
        raise InvalidTemplate(template)
    return frozenset(names)


def beginning(template: str) -> str:
    """The literal prefix of all expansions; values cannot change it."""
    return template.partition("{")[0]


def expand(template: str, values: Mapping[str, str]) -> str:
    """The expanded URL. A name without a value is left out."""

    def replace(match: re.Match[str]) -> str:
        parts = _VARIABLES.fullmatch(match[1])
        return _expand_expression(parts[1], parts[2], values) if parts else match[0]

    return _EXPRESSION.sub(replace, template)


def _expand_expression(sign: str, variables: str, values: Mapping[str, str]) -> str:
    operator = _OPERATORS[sign]
    expanded = []
    for variable in variables.split(","):
        name, _, length = variable.rstrip("*").partition(":")
        value = values.get(name)
        if value is None:
            continue
        written = quote(value[: int(length)] if length else value, safe=operator.allowed)
        if operator.is_named:
            written = f"{name}={written}" if written else f"{name}{operator.if_empty}"
        expanded.append(written)
    return operator.first + operator.separator.join(expanded) if expanded else ""
