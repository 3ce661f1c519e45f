"""What the value of a setting can be: each kind of value, with its rule in one place.

The tables of settings (`organization.settings`, `personal.settings`) name a kind for each row.
Whoever lets a value in, be it the API, a command or an action, asks the kind; none has rules of its
own.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tertulia import domain
from tertulia.domain.organization.languages import LANGUAGES
from tertulia.errors import BadRequest, ClientError

UNLIMITED = "unlimited"
LARGEST_NUMBER = 2**31 - 1


class ValueKind(msgspec.Struct, frozen=True):
    """A kind of value: what it must be, how it is typed, and which ones are good."""

    @property
    def must_be(self) -> str:
        """Ends the sentence "It must be …"."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """What somebody typed, as it would be sent; raises ValueError."""
        return text

    def checked(self, value: Any) -> Any:
        """What was sent, as it is kept; raises ValueError."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """What is kept, as somebody would type it."""
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
    """One of a few numbers or words."""

    values: tuple[int, ...] | tuple[str, ...]

    @property
    def type(self) -> type:
        return type(self.values[0])

    @property
    def must_be(self) -> str:
        *others, last = map(str, self.values)
        return f"{', '.join(others)} or {last}"

    def read(self, text: str) -> Any:
        return self.type(text)

    def checked(self, value: Any) -> Any:
        return _among(_typed(value, self.type), self.values)


class Language(ChosenFrom, frozen=True):
    values: tuple[int, ...] | tuple[str, ...] = tuple(LANGUAGES)

    must_be = "the code of a language, such as en or pt-br"


class Whole(ValueKind, frozen=True):
    least: int
    most: int

    @property
    def must_be(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def read(self, text: str) -> int:
        return int(text)

    def checked(self, value: Any) -> int:
        if not self.least <= _typed(value, int) <= self.most:
            raise ValueError(value)
        return int(value)


class Limit(ValueKind, frozen=True):
    """A number of something, or no limit at all."""

    unit: str
    unlimited: int | None  # how no limit is kept

    @property
    def must_be(self) -> str:
        return f"a number of {self.unit} above 0, or {UNLIMITED}"

    def read(self, text: str) -> int | str:
        return text if text == UNLIMITED else int(text)

    def checked(self, value: Any) -> int | None:
        if value == UNLIMITED:
            return self.unlimited
        if not 0 < _typed(value, int) <= LARGEST_NUMBER:
            raise ValueError(value)
        return int(value)

    def written(self, value: int | None) -> str:
        return UNLIMITED if value == self.unlimited else str(value)


class FreeText(ValueKind, frozen=True):
    longest: int
    is_title: bool = False  # on one line, and there must be something

    @property
    def must_be(self) -> str:
        least = "1 to" if self.is_title else "at most"
        return f"a text of {least} {self.longest} characters"

    def checked(self, value: Any) -> str:
        text: str = _typed(value, str)
        if self.is_title:
            text = text.strip()
        is_bad = not text or domain.names.first_bad_character(text) is not None
        if len(text) > self.longest or (self.is_title and is_bad):
            raise ValueError(value)
        return text


class WebPlace(ValueKind, frozen=True):
    """The address of a server, or a word for the usual one, which is kept as None."""

    longest: int
    usual: str = "default"

    @property
    def must_be(self) -> str:
        return f"an http:// or https:// address, or {self.usual}"

    def checked(self, value: Any) -> str | None:
        text: str = _typed(value, str)
        if text == self.usual:
            return None
        if len(text) > self.longest or any(c.isspace() or not c.isprintable() for c in text):
            raise ValueError(value)
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError(value)
        return text

    def written(self, value: str | None) -> str:
        return self.usual if value is None else value


class ChannelId(ValueKind, frozen=True):
    """A channel, which the action has to find yet, or none."""

    NONE = -1
    must_be = "the id of a channel in use, or -1 for none"

    def read(self, text: str) -> int:
        return int(text)

    def checked(self, value: Any) -> int:
        return int(_typed(value, int))


class Adjustable(msgspec.Struct, frozen=True):
    """One row of a table of settings."""

    name: str
    kind: ValueKind
    default: Any
    meaning: str  # one sentence

    # A refusal in words of its own, said by the action. Without one, the API refuses while it
    # reads its parameters, in the words that it has for the kind.
    refusal: Callable[[str, Any], ClientError] | None = None

    def checked(self, value: Any) -> Any:
        """The value as it is kept; raises for one that the setting cannot have."""
        try:
            return self.kind.checked(value)
        except ValueError:
            refuse = self.refusal or self._refuse
            raise refuse(self.name, value) from None

    def _refuse(self, name: str, value: Any) -> ClientError:
        return BadRequest(f"{name} must be {self.kind.must_be}")


def in_words(template: str) -> Callable[[str, Any], ClientError]:
    """A refusal that shows the value, as far as it can be read at a glance."""
    return lambda name, value: BadRequest(template.format(value=str(value)[:100]))


def _typed(value: Any, wanted: type) -> Any:
    if type(value) is not wanted:  # True is no number here
        raise ValueError(value)
    return value


def _among(value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(value)
    return value
