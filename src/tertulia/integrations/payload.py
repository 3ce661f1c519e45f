"""Reads untrusted JSON by the fields that its sender documents.

A path such as `repository.full_name` leads to a value. A required value that is missing or of
another type raises one exception that names it, so the integrations need no checks.
"""

from collections.abc import Mapping
from typing import Any

from tertulia.integrations.webhook_message import NoSuchHeader, UnexpectedPayload

MAX_ITEMS = 100  # of a list; more would not be read in a message


class Payload:
    """A JSON value and its path."""

    __slots__ = ("_at", "_value")

    def __init__(self, value: Any, at: str = "") -> None:
        self._value = value
        self._at = at

    @property
    def value(self) -> Any:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def find(self, path: str) -> "Payload":
        """The value at a path; an empty payload if there is none."""
        value = self._value
        for name in path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return Payload(value, f"{self._at}.{path}" if self._at else path)

    def get(self, path: str) -> "Payload":
        """A required object."""
        found = self.find(path)
        if not isinstance(found.value, Mapping):
            raise UnexpectedPayload(found._at)
        return found

    def text(self, path: str) -> str:
        """A required text or number."""
        found = as_text(self.find(path).value)
        if not found:
            raise UnexpectedPayload(self.find(path)._at)
        return found

    def words(self, *paths: str) -> str:
        """The first text at one of these paths that is not empty, or an empty text."""
        return next(filter(None, (as_text(self.find(path).value) for path in paths)), "")

    def number(self, path: str) -> int:
        found = self.find(path)
        if not isinstance(found.value, int) or isinstance(found.value, bool):
            raise UnexpectedPayload(found._at)
        return found.value

    def is_true(self, path: str) -> bool:
        return self.find(path).value is True

    def each(self, path: str) -> list["Payload"]:
        """The objects of a list; none if it is not a list."""
        found = self.find(path)
        items = found.value if isinstance(found.value, list) else []
        return [
            Payload(item, f"{found._at}.{index}")
            for index, item in enumerate(items[:MAX_ITEMS])
            if isinstance(item, Mapping)
        ]

    def texts(self, path: str) -> list[str]:
        """The texts of a list, or a single text as a list."""
        value = self.find(path).value
        items = value[:MAX_ITEMS] if isinstance(value, list) else [value]
        return [text for item in items if (text := as_text(item))]

    def pairs(self, path: str) -> dict[str, str]:
        """The texts of an object, by key."""
        value = self.find(path).value
        items = list(value.items())[:MAX_ITEMS] if isinstance(value, Mapping) else []
        return {str(name): text for name, item in items if (text := as_text(item))}


class WebhookRequest:
    """One request to a webhook."""

    __slots__ = ("headers", "payload", "query")

    def __init__(
        self,
        payload: Any,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> None:
        self.payload = Payload(payload)
        self.headers = {name.lower(): value for name, value in (headers or {}).items()}
        self.query = query or {}

    def header(self, name: str) -> str:
        """A required header."""
        value = self.headers.get(name.lower(), "").strip()
        if not value:
            raise NoSuchHeader(name)
        return value


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else ""
