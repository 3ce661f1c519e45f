"""Validation rules for parameters, with their error texts.

`Annotated[str, Stripped, NotBlank, MaxLength(60)]`: rules run in order, each on the result of the
one before. A rule ignores values of other types, so it may be used on a union (`int | None`). To
add a rule, add a class here; parsing and the OpenAPI description use it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from tertulia.wire import IdMarker

MAX_SHOWN_NAME_LENGTH = 100


class Problem(Exception):
    """What is wrong with a value. The path inside the parameter is added by the callers."""

    def __init__(self, after: str, before: str = "") -> None:
        super().__init__(before, after)
        self.before = before
        self.after = after
        self.steps: list[str] = []

    def at(self, step: int | str) -> "Problem":
        shown = f"[{step}]" if isinstance(step, int) else f'["{step[:MAX_SHOWN_NAME_LENGTH]}"]'
        self.steps.append(shown)
        return self

    def text(self, name: str) -> str:
        return f"{self.before}{name}{''.join(reversed(self.steps))}{self.after}"


def value_error(reason: str) -> Problem:
    return Problem(f": Value error, {reason}", before="Invalid ")


class Rule:
    """`check` returns the value, maybe changed, or raises Problem."""

    kinds: ClassVar[frozenset[type]] = frozenset({str})

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        return {}


class Stripped(Rule):
    """Removes surrounding white space."""

    def check(self, value: str) -> str:
        return value.strip()


class NotBlank(Rule):
    def check(self, value: str) -> str:
        if not value.strip():
            raise Problem(" cannot be blank")
        return value

    def schema(self) -> dict[str, Any]:
        return {"minLength": 1}


class NoNul(Rule):
    def check(self, value: str) -> str:
        if "\0" in value:
            raise Problem(" must not contain null bytes")
        return value


class Limited(Rule):
    """A rule with a number."""

    def __init__(self, limit: int) -> None:
        self.limit = limit


class MaxLength(Limited):
    """At most this many code points."""

    def check(self, value: str) -> str:
        if len(value) > self.limit:
            raise Problem(f" is too long (limit: {self.limit} characters)")
        return value

    def schema(self) -> dict[str, Any]:
        return {"maxLength": self.limit}


class WebAddress(Rule):
    """An http or https URL."""

    def check(self, value: str) -> str:
        if not _is_web_address(value):
            raise value_error("Not a URL")
        return value

    def schema(self) -> dict[str, Any]:
        return {"format": "uri"}


def _is_web_address(text: str) -> bool:
    if any(char.isspace() or not char.isprintable() for char in text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class OneOf(Rule):
    """A value from a set that is computed at the start; use `Literal` for a fixed set."""

    kinds = frozenset({str, int})

    def __init__(self, values: Collection[str] | Collection[int]) -> None:
        self.values: list[Any] = list(values) if isinstance(values, Sequence) else sorted(values)
        self.known = frozenset(values)

    def check(self, value: Any) -> Any:
        if value not in self.known:
            raise value_error("Not in the list of possible values")
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": self.values}


class AtLeast(Limited):
    kinds = frozenset({int, float})

    def check(self, value: Any) -> Any:
        if value < self.limit:
            raise Problem(" is too small")
        return value

    def schema(self) -> dict[str, Any]:
        return {"minimum": self.limit}


class AtMost(Limited):
    kinds = frozenset({int, float})

    def check(self, value: Any) -> Any:
        if value > self.limit:
            raise Problem(" is too large")
        return value

    def schema(self) -> dict[str, Any]:
        return {"maximum": self.limit}


class MaxItems(Limited):
    kinds = frozenset({list})

    def check(self, value: list[Any]) -> list[Any]:
        if len(value) > self.limit:
            raise Problem(f" is too long (limit: {self.limit} items)")
        return value

    def schema(self) -> dict[str, Any]:
        return {"maxItems": self.limit}


# --- How a parameter is read --------------------------------------------------------------------


class Name:
    """The name in the API, where Python needs another: `kind: Annotated[str, Name("type")]`."""

    def __init__(self, name: str) -> None:
        self.name = name


class Alias:
    """An older name that also works; sending both is an error."""

    def __init__(self, name: str) -> None:
        self.name = name


class OnlyWith:
    """Read only with certain values of another parameter; otherwise ignored.

    `OnlyWith("type", "direct", None)`: None means that the other parameter is not sent.
    """

    def __init__(self, name: str, *values: str | None) -> None:
        self.name = name
        self.values = values

    def applies(self, given: Mapping[str, str]) -> bool:
        return given.get(self.name) in self.values


class Described:
    """The schema of a text that the endpoint itself parses."""

    def __init__(self, **schema: Any) -> None:
        self.schema = schema


class Example:
    """Shown in the example call of the endpoint, also if the parameter is optional. A required
    parameter without it has the example of its `Doc`."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Json:
    """A text that is sent as a JSON string."""


class BareOrJson:
    """A text that is sent bare or as a JSON string; clients differ."""


class NullRefused:
    """A value whose default opens something: `null` in a form may be one that a client failed to
    fill in, so it does not count as absent."""


# An id out of range is treated like an unknown id: it becomes NO_ID and finds nothing, so that the
# endpoint gives its own error.
Id = Annotated[int, IdMarker]
NO_ID = -1
LARGEST_ID = 2**63 - 1
MAX_ID_DIGITS = 19


def as_id(number: int) -> int:
    return number if 0 <= number <= LARGEST_ID else NO_ID


def parse_id(text: str) -> int | None:
    """The id that a text of ASCII digits names. None if it is anything else, or out of range."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_ID_DIGITS
    return int(text) if is_number and int(text) <= LARGEST_ID else None
