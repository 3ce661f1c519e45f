"""Custom profile fields and their values.

A value of any type is stored and sent as text; a list of users is JSON in that text.
"""

import re
from collections.abc import Callable
from datetime import date
from enum import IntEnum
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tertulia.domain import limits, names
from tertulia.domain.people.external_accounts import CUSTOM, EXTERNAL_ACCOUNTS, USERNAME
from tertulia.errors import BadRequest


class FieldType(IntEnum):
    SHORT_TEXT = 1
    LONG_TEXT = 2
    DROPDOWN = 3
    DATE = 4
    URL = 5
    USER = 6
    EXTERNAL_ACCOUNT = 7
    PRONOUNS = 8


# The names that clients show.
TYPE_NAMES = {
    FieldType.SHORT_TEXT: "Text (short)",
    FieldType.LONG_TEXT: "Text (long)",
    FieldType.DROPDOWN: "Dropdown",
    FieldType.DATE: "Date",
    FieldType.URL: "Link",
    FieldType.USER: "Users",
    FieldType.EXTERNAL_ACCOUNT: "External account",
    FieldType.PRONOUNS: "Pronouns",
}

RENDERED = frozenset({FieldType.SHORT_TEXT, FieldType.LONG_TEXT})  # their values are Markdown


class ProfileField(msgspec.Struct, frozen=True):
    id: int
    type: FieldType
    name: str
    hint: str = ""
    data: str = ""  # JSON, for types that need some
    position: int = 0
    in_summary: bool = False
    required: bool = False  # clients ask for it; it may still be empty
    editable_by_user: bool = True
    for_matching: bool = False


class FieldValue(msgspec.Struct, frozen=True):
    text: str
    rendered: str | None = None  # HTML, for types that have it


# --- fields ---


def checked_type(number: int) -> FieldType:
    try:
        return FieldType(number)
    except ValueError:
        raise BadRequest("Invalid field type.") from None


def check_texts(label: str, hint: str) -> None:
    if not label:
        raise BadRequest("Label cannot be blank.", problem="label-empty")
    names.check(label, "label")
    names.check(hint, "hint")


def checked_data(kind: FieldType, data: dict[str, Any]) -> str:
    """The extra data of a field, as it is stored."""
    if kind == FieldType.DROPDOWN:
        return _encoded(_checked_choices(data))
    if kind == FieldType.EXTERNAL_ACCOUNT:
        return _encoded(_checked_account(data))
    return ""


def choices(field: ProfileField) -> frozenset[str]:
    return frozenset(msgspec.json.decode(field.data))


def account_site(field: ProfileField) -> str:
    """The key of the site of an external account; empty for other types."""
    if field.type != FieldType.EXTERNAL_ACCOUNT:
        return ""
    site: str = msgspec.json.decode(field.data)["subtype"]
    return site


def _checked_choices(data: dict[str, Any]) -> dict[str, Any]:
    if not data:
        raise BadRequest("Field must have at least one choice.", problem="field-without-choices")
    if len(data) > limits.MAX_PROFILE_CHOICES:
        raise BadRequest(
            "Field must have at most {limit} choices.",
            problem="field-with-too-many-choices",
            limit=limits.MAX_PROFILE_CHOICES,
        )
    found = {}
    for key, choice in data.items():
        if not 0 < len(key) <= limits.MAX_PROFILE_TEXT_LENGTH or "\0" in key:
            raise BadRequest("field_data has a choice with an invalid key")
        if not isinstance(choice, dict):
            raise BadRequest(f'field_data["{key}"] is not a dict')
        found[key] = {part: _text_of(choice, part, key) for part in ("text", "order")}
    if len({choice["text"] for choice in found.values()}) < len(found):
        raise BadRequest(
            "Field must not have two choices of the same text.", problem="field-with-equal-choices"
        )
    return found


def _text_of(choice: dict[str, Any], part: str, key: str) -> str:
    text = choice.get(part)
    name = f'field_data["{key}"]["{part}"]'
    if not isinstance(text, str):
        raise BadRequest(f"{name} is not a string")
    names.check(text, name)
    return _bounded(name, text, limits.MAX_PROFILE_TEXT_LENGTH, may_be_blank=False)


def _checked_account(data: dict[str, Any]) -> dict[str, Any]:
    subtype = data.get("subtype")
    if isinstance(subtype, str) and subtype in EXTERNAL_ACCOUNTS:
        return {"subtype": subtype}
    if subtype != CUSTOM:
        raise BadRequest("Invalid external account type")
    pattern = data.get("url_pattern")
    if not isinstance(pattern, str) or not pattern:
        raise BadRequest(
            "A custom external account needs a URL pattern", problem="url-pattern-missing"
        )
    _bounded("url_pattern", pattern, limits.MAX_PROFILE_URL_LENGTH)
    if pattern.count(USERNAME) != 1 or not _is_url(pattern.replace(USERNAME, "x")):
        raise BadRequest(
            "A URL pattern must be a URL with {field} in it",
            problem="url-pattern-invalid",
            field=USERNAME,
        )
    return {"subtype": CUSTOM, "url_pattern": pattern}


def _encoded(data: dict[str, Any]) -> str:
    return msgspec.json.encode(data).decode()


# --- values ---


def checked_value(field: ProfileField, value: Any) -> str:
    """The value as it is stored. The caller checks that the users in it exist."""
    return _CHECKS[field.type](field, value)


def named_users(field: ProfileField, text: str) -> list[int]:
    """The users in a stored value."""
    if field.type != FieldType.USER:
        return []
    found: list[int] = msgspec.json.decode(text)
    return found


def _short_text(field: ProfileField, value: Any) -> str:
    text = _bounded(field.name, _string(field, value), limits.MAX_PROFILE_TEXT_LENGTH)
    names.check(text, field.name)
    return text


def _long_text(field: ProfileField, value: Any) -> str:
    return _bounded(field.name, _string(field, value), limits.MAX_PROFILE_LONG_TEXT_LENGTH)


def _choice(field: ProfileField, value: Any) -> str:
    text = _string(field, value)
    if text not in choices(field):
        raise BadRequest(
            f"'{text[:100]}' is not a valid choice for '{field.name}'.", problem="invalid-choice"
        )
    return text


def _date(field: ProfileField, value: Any) -> str:
    text = _string(field, value)
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
            raise ValueError
        date.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"{field.name} is not a date", problem="date-invalid") from None
    return text


def _url(field: ProfileField, value: Any) -> str:
    text = _bounded(field.name, _string(field, value), limits.MAX_PROFILE_URL_LENGTH)
    if not _is_url(text):
        raise BadRequest(f"{field.name} is not a URL", problem="url-invalid")
    return text


def _users(field: ProfileField, value: Any) -> str:
    if not isinstance(value, list):
        raise BadRequest(f"{field.name} is not a list")
    if len(value) > limits.MAX_PROFILE_USERS:
        raise BadRequest(f"{field.name} is too long (limit: {limits.MAX_PROFILE_USERS} items)")
    for site, user_id in enumerate(value):
        if type(user_id) is not int:
            raise BadRequest(f"{field.name}[{site}] is not an integer")
    return msgspec.json.encode(list(dict.fromkeys(value))).decode()


def _string(field: ProfileField, value: Any) -> str:
    if not isinstance(value, str):
        raise BadRequest(f"{field.name} is not a string")
    return value


def _bounded(name: str, text: str, limit: int, *, may_be_blank: bool = True) -> str:
    if not may_be_blank and not text.strip():
        raise BadRequest(f"{name} cannot be blank", problem="value-blank")
    if len(text) > limit:
        raise BadRequest(
            "{what} is too long (limit: {limit} characters)",
            problem="text-too-long",
            what=name,
            limit=limit,
        )
    if "\0" in text:
        raise BadRequest(f"{name} must not contain null bytes", problem="null-byte")
    return text


def _is_url(text: str) -> bool:
    if any(char.isspace() or not char.isprintable() for char in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


_CHECKS: dict[FieldType, Callable[[ProfileField, Any], str]] = {
    FieldType.SHORT_TEXT: _short_text,
    FieldType.LONG_TEXT: _long_text,
    FieldType.DROPDOWN: _choice,
    FieldType.DATE: _date,
    FieldType.URL: _url,
    FieldType.USER: _users,
    FieldType.EXTERNAL_ACCOUNT: _short_text,
    FieldType.PRONOUNS: _short_text,
}
