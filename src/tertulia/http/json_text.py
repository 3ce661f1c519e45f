"""Decodes JSON within limits.

Non-standard JSON gets the same error as other invalid JSON: NaN, numbers that are too large, lone
surrogates. The last of repeated keys counts. msgspec decodes; depth and size are limited here.
"""

from typing import Any

import msgspec

from tertulia.errors.parameters import MalformedForm, TooMany
from tertulia.http.forms import MAX_FIELDS, as_text, checked_name
from tertulia.http.parameter_rules import Problem

MAX_DEPTH = 32
MAX_CHARACTERS = 2_000_000  # of one parameter, so that decoding does not block other requests
MAX_VALUES = 100_000  # per text; longer texts may have one per `CHARACTERS_PER_VALUE`
CHARACTERS_PER_VALUE = 16

_decode = msgspec.json.Decoder().decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode

_BRACKETS_ONLY = bytes.maketrans(b"{}", b"[]")
_NEITHER_BRACKETS_NOR_QUOTES = bytes(set(range(256)) - set(b'[]{}"'))


class JsonText(str):
    """A string of a JSON body. It is no JSON itself, unlike the text of a form."""

    __slots__ = ()


class JsonValue(str):
    """Another value of a JSON body, encoded."""

    __slots__ = ()


def decode_json(text: str) -> Any:
    """Raises Problem."""
    if len(text) > MAX_CHARACTERS:
        raise Problem(f" is too long (limit: {MAX_CHARACTERS} characters)")
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_DEPTH:
        limit = max(MAX_VALUES, len(text) // CHARACTERS_PER_VALUE)
        if brackets + text.count(",") > limit:
            raise Problem(f" has too many values (limit: {limit})")
        if _is_too_deep(text):
            raise Problem(" is not valid JSON")
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise Problem(" is not valid JSON") from None


def read_json(body: bytes) -> dict[str, str]:
    """The members of an object as form fields, each a JsonText or JsonValue.

    Lists and objects are validated here, and decoded only if a parameter needs them.
    """
    if not body.strip():
        return {}
    if not as_text(body).lstrip().startswith("{"):
        raise MalformedForm(reason="a JSON body is an object that holds the parameters")
    try:
        members = _decode_members(body)
        if len(members) > MAX_FIELDS:
            raise TooMany("parameters", MAX_FIELDS)
        return {checked_name(name): _as_field(bytes(each)) for name, each in members.items()}
    except (msgspec.DecodeError, RecursionError):
        raise MalformedForm(reason="the body is not valid JSON") from None


def _as_field(value: bytes) -> str:
    if value.startswith(b'"'):
        return JsonText(_decode_text(value))
    return JsonValue(value.decode())


def is_null(field: str | None) -> bool:
    """Whether a field is the null of a JSON body."""
    return type(field) is JsonValue and field == "null"


def _is_too_deep(text: str) -> bool:
    """Removes strings, then the innermost brackets, one level at a time."""
    data = text.encode(errors="replace").replace(b"\\\\", b"").replace(b'\\"', b"")
    data = data.translate(_BRACKETS_ONLY, _NEITHER_BRACKETS_NOR_QUOTES)
    data = b"".join(data.split(b'"')[::2])
    for _ in range(MAX_DEPTH):
        if not data:
            return False
        data = data.replace(b"[]", b"")
    return bool(data)
