"""JSON texts become plain values, within bounds.

What strict JSON does not know is refused in the same words as any other nonsense: NaN, numbers too
large to hold, lone surrogates. Of repeated keys the last one counts. msgspec decodes; how deep and
how long a text may be, it leaves to us.
"""

from typing import Any

import msgspec

from tertulia.errors.parameters import MalformedForm, TooManyParameters
from tertulia.http.forms import MAX_FIELDS, as_text, checked_name
from tertulia.http.rules import Problem

MAX_DEPTH = 32
MAX_CHARACTERS = 2_000_000  # of one parameter: decoding must not hold up everyone else

_decode = msgspec.json.Decoder().decode


def decode_json(text: str) -> Any:
    """Raises a Problem."""
    if len(text) > MAX_CHARACTERS:
        raise Problem(f" is too long (limit: {MAX_CHARACTERS} characters)")
    try:
        value = _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise Problem(" is not valid JSON") from None
    if _is_nested(value) and _is_too_deep(text, value):
        raise Problem(" is not valid JSON")
    return value


def read_json(body: bytes) -> dict[str, str]:
    """The members of an object, as a form would have held them: texts bare, all else as JSON."""
    if not body.strip():
        return {}
    try:
        value = decode_json(as_text(body))
    except Problem:
        raise MalformedForm(reason="the body is not valid JSON") from None
    if not isinstance(value, dict):
        raise MalformedForm(reason="a JSON body is an object that holds the parameters")
    if len(value) > MAX_FIELDS:
        raise TooManyParameters(limit=MAX_FIELDS)
    return {
        checked_name(name): each if isinstance(each, str) else msgspec.json.encode(each).decode()
        for name, each in value.items()
    }


def _is_nested(value: Any) -> bool:
    return type(value) is list or type(value) is dict


def _is_too_deep(text: str, value: Any) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            below += item.values() if type(item) is dict else item
        level = [item for item in below if _is_nested(item)]
        if not level:
            return False
    return True
