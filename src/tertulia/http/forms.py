"""Parses url-encoded forms strictly and within limits; `multipart.py` parses multipart forms.

Texts must be UTF-8, and the last value of a repeated name counts. The parser is our own, because
nearly every request is a form and the standard library takes twice as long. It is linear: at most
50 ms per MB.
"""

import re
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import NamedTuple, ParamSpec, TypeVar

import msgspec

from tertulia.errors.parameters import MalformedForm, NotUtf8, TooMany
from tertulia.fair_queue import FairQueue, Person

MAX_FIELDS = 1000
MAX_NAME_CHARACTERS = 200
MAX_LONE_PERCENT_SIGNS = 1000  # in one value

QUICK_BYTES = 1 << 14  # smaller bodies are decoded at once

# One slot per person: the long forms of one person do not delay those of others. More threads
# decode no faster, because decoding holds the GIL.
FORMS = FairQueue("forms", slots=4, max_waiting=100, slots_per_person=1)

P = ParamSpec("P")
T = TypeVar("T")

_LONE_PERCENT_SIGN = re.compile(rb"%(?![0-9a-fA-F]{2})")


class UploadedFile(msgspec.Struct, frozen=True):
    name: str  # of the form field
    filename: str  # as the client names it; never use it as a path
    content_type: str
    data: bytes


class FileHead(NamedTuple):
    """The name and type of a file before its bytes; see `UploadedFile`."""

    name: str
    filename: str
    content_type: str


class Incoming:
    """`*, files: Incoming` requests uploaded files while they arrive.

    Each is a FileHead, followed by its bytes in chunks.
    """

    __slots__ = ("_items",)

    def __init__(self, items: AsyncIterator[FileHead | bytes]) -> None:
        self._items = items

    def __aiter__(self) -> AsyncIterator[FileHead | bytes]:
        return self._items


class RawBody(bytes):
    """`*, body: RawBody` requests the unparsed body; a form is parsed as well."""

    __slots__ = ()


class Files(tuple[UploadedFile, ...]):
    """`*, files: Files` requests all uploaded files, under any field name."""

    __slots__ = ()


def read_urlencoded(encoded: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    if not encoded:
        return fields
    if encoded.count(b"&") >= MAX_FIELDS:
        raise TooMany("parameters", MAX_FIELDS)
    for pair in as_text(encoded).replace("+", " ").split("&"):
        if pair:
            name, _, value = pair.partition("=")
            fields[checked_name(unquote(name))] = unquote(value)
    return fields


def checked_name(name: str) -> str:
    if len(name) > MAX_NAME_CHARACTERS:
        raise MalformedForm(reason="a parameter name is too long")
    return name


def media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def unquote(text: str) -> str:
    """Undo percent-encoding. Raises an error if the result is not UTF-8.

    A percent sign that starts no escape is literal. A codec decodes `%41` as `\\x41`, because a
    Python call per escape takes 0.3 s per MB.
    """
    if "%" not in text:
        return text
    encoded = text.encode()
    try:
        decoded = _unescape(encoded)
    except UnicodeDecodeError:
        encoded, count = _LONE_PERCENT_SIGN.subn(b"%25", encoded, MAX_LONE_PERCENT_SIGNS + 1)
        if count > MAX_LONE_PERCENT_SIGNS:
            raise MalformedForm(reason="too many percent signs begin no escape") from None
        decoded = _unescape(encoded)
    return as_text(decoded)


def _unescape(encoded: bytes) -> bytes:
    """Raises UnicodeDecodeError at a percent sign that starts no escape."""
    as_string_literal = encoded.replace(b"\\", b"\\\\").replace(b"%", b"\\x")
    return as_string_literal.decode("unicode_escape").encode("latin-1")


def as_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotUtf8 from None


async def decoded(
    person: Person, size: int, decode: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Decode `size` bytes that this user sent; many of them on a thread. Raises RateLimited."""
    if size <= QUICK_BYTES:
        return decode(*args, **kwargs)
    return await FORMS.run(person, partial(decode, *args, **kwargs))
