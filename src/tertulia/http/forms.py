"""Forms, read strictly and within bounds; those of several parts are read in `multipart`.

Texts are UTF-8 or refused, and of a repeated name the last value counts.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from tertulia.errors import MalformedForm, NotUtf8, TooManyParameters

MAX_FIELDS = 1000
MAX_NAME_CHARACTERS = 200
MAX_PART_HEAD_BYTES = 8192

_OPTION = re.compile(r';\s*([\w!#$&.^`|~*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*)')
_ESCAPED_QUOTE = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class UploadedFile:
    name: str  # of the form field
    filename: str  # as the client calls it: never to be used as a path
    content_type: str
    data: bytes


class FileHead(NamedTuple):
    """What is said of a file before its bytes come; see `UploadedFile`."""

    name: str
    filename: str
    content_type: str


class PartHead(NamedTuple):
    name: str
    filename: str | None  # None for a part that is no file
    content_type: str


class Incoming:
    """`*, files: Incoming` asks for uploaded files while they arrive.

    Each is a head, followed by its bytes in as many pieces as they come in.
    """

    __slots__ = ("_items",)

    def __init__(self, items: AsyncIterator[FileHead | bytes]) -> None:
        self._items = items

    def __aiter__(self) -> AsyncIterator[FileHead | bytes]:
        return self._items


class Files(tuple[UploadedFile, ...]):
    """`*, files: Files` asks for every uploaded file, whatever the fields are called."""

    __slots__ = ()


def read_urlencoded(encoded: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    if not encoded:
        return fields
    if encoded.count(b"&") >= MAX_FIELDS:
        raise TooManyParameters(limit=MAX_FIELDS)
    for pair in as_text(encoded).split("&"):
        if pair:
            name, _, value = pair.partition("=")
            fields[_checked(_unescape(name))] = _unescape(value)
    return fields


def part_head(part: bytes) -> PartHead:
    """The head of a part, which begins after its boundary and ends with an empty line."""
    line_end = part.find(b"\r\n")
    head_end = part.find(b"\r\n\r\n", 0, MAX_PART_HEAD_BYTES)
    if line_end < 0 or part[:line_end].strip() or head_end < 0:
        raise MalformedForm(reason="a part has no proper head")
    head = {}
    for line in as_text(part[line_end + 2 : head_end]).split("\r\n"):
        name, _, value = line.partition(":")
        head[name.strip().lower()] = value.strip()
    return _described(head)


def boundary_of(content_type: str) -> bytes:
    boundary = _options(content_type, media_type(content_type)).get("boundary", "")
    if not 1 <= len(boundary) <= 200:
        raise MalformedForm(reason="no boundary is given")
    return boundary.encode()


def media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def unquote(text: str) -> str:
    """Undoes percent-encoding; what does not come out as UTF-8 is refused."""
    return as_text(unquote_to_bytes(text)) if "%" in text else text


def as_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotUtf8 from None


# --- Details --------------------------------------------------------------------------------------


def _unescape(text: str) -> str:
    return unquote(text.replace("+", " "))


def _checked(name: str) -> str:
    if len(name) > MAX_NAME_CHARACTERS:
        raise MalformedForm(reason="a parameter name is too long")
    return name


def _described(head: dict[str, str]) -> PartHead:
    options = _options(head.get("content-disposition", ""), "form-data")
    if "name" not in options:
        raise MalformedForm(reason="a part has no name")
    return PartHead(
        _checked(options["name"]),
        options.get("filename*", options.get("filename")),
        head.get("content-type", "application/octet-stream"),
    )


def _options(header: str, expected: str) -> dict[str, str]:
    """The options of a header such as `form-data; name="a"; filename="b.png"`."""
    if media_type(header) != expected:
        raise MalformedForm(reason="a part is not form data")
    return {found[1].lower(): _option(found[1], found[2]) for found in _OPTION.finditer(header)}


def _option(name: str, value: str) -> str:
    if value.startswith('"'):
        # Browsers write a quote in a name as %22, other clients as \".
        return _ESCAPED_QUOTE.sub(r"\1", value[1:-1]).replace("%22", '"')
    if name.endswith("*"):
        return unquote(value.rpartition("'")[2])
    return value
