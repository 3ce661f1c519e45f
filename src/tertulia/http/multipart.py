"""A streaming parser for multipart forms, so that a large file is never in memory as a whole.

It yields the files in order, each a head followed by its bytes. Other fields are small and are
collected in `fields`. The package `multipart` finds the parts; not in its strict mode, which
rejects a form whose last line break arrives in a chunk of its own.
"""

import re
from collections.abc import Iterator

from multipart import MultipartError, MultipartSegment, PushMultipartParser

from tertulia.errors.parameters import MalformedForm, NotUtf8, TooMany
from tertulia.http.forms import MAX_FIELDS, FileHead, UploadedFile, as_text, checked_name, unquote

MAX_FIELD_BYTES = 1 << 16  # of the fields besides a streamed file
MAX_HEAD_LINE_BYTES = 8192
MAX_HEADS_BYTES = 1 << 17  # of all part headers together: parsing them is slow

_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))\s*(?:;|$)', re.I)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_ENCODED_FILENAME = re.compile(r";\s*filename\*\s*=\s*[\w-]*'[\w-]*'([^\s;]*)", re.I)

Item = FileHead | bytes


def read_multipart(body: bytes, content_type: str) -> tuple[dict[str, str], list[UploadedFile]]:
    """The fields and files of a complete form, whose size is already limited."""
    if not body:  # Compat: zulip-js sends a form without fields as an empty body.
        return {}, []
    form = Multipart(content_type, max_field_bytes=len(body))
    files: list[tuple[FileHead, list[bytes]]] = []
    for item in form.feed(body):
        if isinstance(item, FileHead):
            files.append((item, []))
        else:
            files[-1][1].append(item)
    form.check_end()
    return form.fields, [UploadedFile(*head, b"".join(data)) for head, data in files]


class Multipart:
    def __init__(self, content_type: str, max_field_bytes: int = MAX_FIELD_BYTES) -> None:
        """Raises MalformedForm if the boundary is missing."""
        self.fields: dict[str, str] = {}
        self._max_field_bytes = max_field_bytes
        self._parser = _Parser(_boundary_of(content_type), max_header_size=MAX_HEAD_LINE_BYTES)
        self._parts = 0
        self._field = ""  # name of the current field, unless it is a file
        self._value = bytearray()
        self._file: FileHead | None = None
        self._head_sent = False  # whether the head of this file was yielded

    def feed(self, data: bytes) -> Iterator[Item]:
        if not data:  # the parser takes an empty chunk for the end
            return
        try:
            for found in self._parser.parse(data):
                if found is None:
                    self._end_part()
                elif isinstance(found, bytes):
                    yield from self._emit(found)
                else:
                    yield from self._begin_part(found)
        except MultipartError as error:
            if isinstance(error.__context__, UnicodeDecodeError):
                raise NotUtf8 from None
            raise MalformedForm(reason="a part has no proper head") from None

    def check_end(self) -> None:
        """Raises MalformedForm if the form is incomplete."""
        try:
            self._parser.close()
        except MultipartError:
            raise MalformedForm(reason="it ends too early") from None

    def _begin_part(self, part: MultipartSegment) -> Iterator[Item]:
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise TooMany("parameters", MAX_FIELDS)
        self._field = checked_name(part.name)
        filename = _filename(part)
        if filename is None:
            return
        content_type = part.header("Content-Type", "application/octet-stream").strip()
        self._file = FileHead(self._field, filename, content_type)
        if filename:
            self._head_sent = True
            yield self._file

    def _emit(self, data: bytes) -> Iterator[Item]:
        if self._file is None:
            self._value += data
            if len(self._value) > self._max_field_bytes:
                raise MalformedForm(reason="a field is too long")
            return
        if not self._head_sent:  # an empty file field has neither a name nor bytes
            self._head_sent = True
            yield self._file
        yield data

    def _end_part(self) -> None:
        if self._file is None:
            self.fields[self._field] = as_text(bytes(self._value))
        self._file, self._head_sent = None, False
        self._value.clear()


class _Parser(PushMultipartParser):  # type: ignore[misc]  # the package has no types
    _heads_bytes = 0

    def _create_segment(self, headerlist: list[tuple[str, str]]) -> MultipartSegment:
        self._heads_bytes += sum(len(name) + len(value) for name, value in headerlist)
        if self._heads_bytes > MAX_HEADS_BYTES:
            raise MalformedForm(reason="the heads of its parts are too long")
        part = MultipartSegment(headerlist)
        if part.disposition != "form-data":
            raise MalformedForm(reason="a part is not form data")
        if part.name is None:
            raise MalformedForm(reason="a part has no name")
        return part


def _boundary_of(content_type: str) -> bytes:
    """Also accepts a boundary that should be quoted, because many clients omit the quotes."""
    found = _BOUNDARY.search(content_type)
    if not found:
        raise MalformedForm(reason="no boundary is given")
    return (found[1] or found[2]).encode()


def _filename(part: MultipartSegment) -> str | None:
    """None for a part that is not a file. The package ignores `filename*`, which some
    clients send."""
    filename: str | None = part.filename
    disposition = part.header("Content-Disposition")
    if "*" not in disposition:
        return filename
    encoded = _ENCODED_FILENAME.search(_QUOTED.sub("", disposition))
    return unquote(encoded[1]) if encoded else filename
