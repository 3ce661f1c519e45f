"""What a signature can say about a value beyond its type, and the words when it does not hold.

`Annotated[str, Stripped, NotBlank, MaxLength(60)]`: rules run in the order written, each on the
value the one before it left. A rule looks only at the kinds it is about, so it may stand on a
union (`int | None`) and leaves the other branches alone. A new rule is a new class here; parsing
and the OpenAPI description both pick it up.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

MAX_SHOWN_NAME_LENGTH = 100


class Problem(Exception):
    """What is wrong with a value. Where it stands in the parameter is added on the way up."""

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
    """A demand on a value: `check` returns it, perhaps tidied, or raises a Problem."""

    kinds: ClassVar[frozenset[type]] = frozenset({str})

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        return {}


class Stripped(Rule):
    """Surrounding white space does not count."""

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
    """A demand with a number in it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit


class MaxLength(Limited):
    """At most so many code points."""

    def check(self, value: str) -> str:
        if len(value) > self.limit:
            raise Problem(f" is too long (limit: {self.limit} characters)")
        return value

    def schema(self) -> dict[str, Any]:
        return {"maxLength": self.limit}


class WebAddress(Rule):
    """An address that a web server can be reached at."""

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
    """A value from a set that is known at start-up; `Literal` is for sets known to the reader."""

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


# --- How a parameter is found and read, rather than what it may be ------------------------------


class Name:
    """The name on the wire, where Python wants another: `kind: Annotated[str, Name("type")]`."""

    def __init__(self, name: str) -> None:
        self.name = name


class Alias:
    """An older name that works as well; sending both is an error."""

    def __init__(self, name: str) -> None:
        self.name = name


class OnlyWith:
    """Read only beside some values of another parameter; otherwise whatever is sent is ignored.

    `OnlyWith("type", "direct", None)`: None stands for not sending the other one at all.
    """

    def __init__(self, name: str, *values: str | None) -> None:
        self.name = name
        self.values = values

    def holds(self, given: Mapping[str, str]) -> bool:
        return given.get(self.name) in self.values


class Json:
    """A text that arrives as JSON, in quotes."""


class BareOrJson:
    """A text that arrives as a bare word or as JSON in quotes, as clients happen to send it."""


class Unmatchable:
    """Marks an integer as an id: see `Id`."""


# A number that no row can have is like any other unknown id: it becomes NO_ID and finds nothing,
# so that the endpoint answers in the words it has for that.
Id = Annotated[int, Unmatchable]
NO_ID = -1
LARGEST_ID = 2**63 - 1


def as_id(number: int) -> int:
    return number if 0 <= number <= LARGEST_ID else NO_ID
