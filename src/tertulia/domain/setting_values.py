"""Types of setting values, each with its validation.

The tables of settings (`organization.settings`, `personal.settings`) name a type for each row. The
API, the command line and the actions validate values by it; none has rules of its own. The texts of
a setting are in the catalogue, by its name.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tertulia import locale
from tertulia.domain import names
from tertulia.domain.organization.languages import LANGUAGES
from tertulia.errors import BadRequest, ClientError

UNLIMITED = "unlimited"
MAX_NUMBER = 2**31 - 1
_HOURS = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d", re.ASCII)

english = locale.texts(locale.ENGLISH)


class ValueKind(msgspec.Struct, frozen=True):
    """A type of value: how it is described, parsed and validated."""

    @property
    def must_be(self) -> str:
        """Completes the sentence "It must be …"."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """Parse what was typed on the command line. Raises ValueError."""
        return text

    def checked(self, value: Any) -> Any:
        """Validate a value of a request, and return it as it is stored. Raises ValueError."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """Format a stored value as it would be typed."""
        return str(value)


class Switch(ValueKind, frozen=True):
    must_be = "true or false"

    def read(self, text: str) -> bool:
        return bool(_among(text, ("true", "false")) == "true")

    def checked(self, value: Any) -> bool:
        return bool(_typed(value, bool))

    def written(self, value: bool) -> str:
        return str(value).lower()


class ChosenFrom(ValueKind, frozen=True):
    """One of a few numbers or strings."""

    values: tuple[int, ...] | tuple[str, ...]
    note: str = ""  # what the values count
    texts: str = ""  # whose values have the same names in the catalogue, if not the setting's own

    @property
    def type(self) -> type:
        return type(self.values[0])

    @property
    def must_be(self) -> str:
        *others, last = map(str, self.values)
        return f"{', '.join(others)} or {last}{self.note}"

    def read(self, text: str) -> Any:
        return self.type(text)

    def checked(self, value: Any) -> Any:
        return _among(_typed(value, self.type), self.values)


class Language(ChosenFrom, frozen=True):
    values: tuple[int, ...] | tuple[str, ...] = tuple(LANGUAGES)

    must_be = "the code of a language, such as en or pt-br"


class Whole(ValueKind, frozen=True):
    minimum: int
    maximum: int

    @property
    def must_be(self) -> str:
        return f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, text: str) -> int:
        return int(text)

    def checked(self, value: Any) -> int:
        if not self.minimum <= _typed(value, int) <= self.maximum:
            raise ValueError(value)
        return int(value)


class Limit(ValueKind, frozen=True):
    """A number, or no limit."""

    unit: str
    unlimited: int | None  # how "no limit" is stored

    @property
    def must_be(self) -> str:
        return f"a number of {self.unit} above 0, or {UNLIMITED}"

    def read(self, text: str) -> int | str:
        return text if text == UNLIMITED else int(text)

    def checked(self, value: Any) -> int | None:
        if value == UNLIMITED:
            return self.unlimited
        if not 0 < _typed(value, int) <= MAX_NUMBER:
            raise ValueError(value)
        return int(value)

    def written(self, value: int | None) -> str:
        return UNLIMITED if value == self.unlimited else str(value)


class FreeText(ValueKind, frozen=True):
    max_length: int
    is_title: bool = False  # one line, and not empty

    @property
    def must_be(self) -> str:
        least = "1 to" if self.is_title else "at most"
        return f"a text of {least} {self.max_length} characters"

    def checked(self, value: Any) -> str:
        text: str = _typed(value, str)
        if self.is_title:
            text = text.strip()
        is_bad = not text or names.first_bad_character(text) is not None
        if len(text) > self.max_length or (self.is_title and is_bad):
            raise ValueError(value)
        return text


class ServerUrl(ValueKind, frozen=True):
    """The URL of a server, or a word for the default one, which is stored as None."""

    max_length: int
    usual: str = "default"

    @property
    def must_be(self) -> str:
        return f"an http:// or https:// address, or {self.usual}"

    def checked(self, value: Any) -> str | None:
        text: str = _typed(value, str)
        if text == self.usual:
            return None
        if len(text) > self.max_length or any(c.isspace() or not c.isprintable() for c in text):
            raise ValueError(value)
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError(value)
        return text

    def written(self, value: str | None) -> str:
        return self.usual if value is None else value


class DailyHours(ValueKind, frozen=True):
    """A part of each day, such as `22:00-07:00`, or the empty text for none."""

    must_be = "hours such as 22:00-07:00, or empty"

    def checked(self, value: Any) -> str:
        text: str = _typed(value, str)
        if text and (not _HOURS.fullmatch(text) or text[:5] == text[6:]):
            raise ValueError(value)
        return text


class ChannelId(ValueKind, frozen=True):
    """A channel, which the action must look up, or none."""

    NONE = -1
    must_be = "the id of a channel in use, or -1 for none"

    def read(self, text: str) -> int:
        return int(text)

    def checked(self, value: Any) -> int:
        return int(_typed(value, int))


class Heading(NamedTuple):
    """Where the page shows a setting: the key of the section, and the text `part.TITLE`."""

    section: str
    title: str


class Adjustable(msgspec.Struct, frozen=True):
    """One row of a table of settings. The order of the rows is that of the page."""

    name: str
    heading: Heading | None  # none, if the page does not show it
    kind: ValueKind
    default: Any

    # A specific error, raised by the action. Without it, the API rejects the parameter with the
    # general error of its type.
    refusal: Callable[[str, Any], ClientError] | None = None

    @property
    def meaning(self) -> str:
        """What it does, in English, for the API, the docs and the command line."""
        raise NotImplementedError

    def checked(self, value: Any) -> Any:
        """The value as it is stored. Raises the error of the setting."""
        try:
            return self.kind.checked(value)
        except ValueError:
            refuse = self.refusal or self._refuse
            raise refuse(self.name, value) from None

    def _refuse(self, name: str, value: Any) -> ClientError:
        return BadRequest(f"{name} must be {self.kind.must_be}", problem="bad-value")

    def _values(self, area: str) -> str:
        """What the values are called in the page, if they have names."""
        if not isinstance(self.kind, ChosenFrom):
            return ""
        keys = {each: f"{area}.{self.kind.texts or self.name}.{each}" for each in self.kind.values}
        named = [f"`{each}`: {english(key)}" for each, key in keys.items() if english.has(key)]
        return f" {', '.join(named)}." if named else ""


def refusal_with_value(template: str) -> Callable[[str, Any], ClientError]:
    """An error that shows the start of the value."""
    return lambda name, value: BadRequest(template.format(value=str(value)[:100]))


def _typed(value: Any, wanted: type) -> Any:
    if type(value) is not wanted:  # True is not a number here
        raise ValueError(value)
    return value


def _among(value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(value)
    return value
