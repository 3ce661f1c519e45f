"""A multipart form read while it arrives, so that a large file never is in memory as a whole.

What comes out are the files in the order of the form, each a head followed by its bytes. Fields
without a file are small, and are collected in `fields`. The package `multipart` finds the parts;
not in its strict mode, which refuses a form whose last line break comes in a piece of its own.
"""

import re
from collections.abc import Iterator

from multipart import MultipartError, MultipartSegment, PushMultipartParser

from tertulia.errors.parameters import MalformedForm, NotUtf8, TooManyParameters
from tertulia.http.forms import MAX_FIELDS, FileHead, UploadedFile, as_text, checked_name, unquote

MAX_FIELD_BYTES = 1 << 16  # beside a file that is read while it arrives
MAX_HEAD_LINE_BYTES = 8192
MAX_HEADS_BYTES = 1 << 17  # of all parts together: to take a head apart is slow

_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))\s*(?:;|$)', re.I)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_ENCODED_FILENAME = re.compile(r";\s*filename\*\s*=\s*[\w-]*'[\w-]*'([^\s;]*)", re.I)

Item = FileHead | bytes


def read_multipart(body: bytes, content_type: str) -> tuple[dict[str, str], list[UploadedFile]]:
    """The fields and files of a form that has arrived; its size was bounded meanwhile."""
    if not body:  # Compat: zulip-js writes a form without fields as nothing at all.
        return {}, []
    form = Multipart(content_type, most_field_bytes=len(body))
    files: list[tuple[FileHead, list[bytes]]] = []
    for item in form.feed(body):
        if isinstance(item, FileHead):
            files.append((item, []))
        else:
            files[-1][1].append(item)
    form.check_end()
    return form.fields, [UploadedFile(*head, b"".join(data)) for head, data in files]


class Multipart:
    def __init__(self, content_type: str, most_field_bytes: int = MAX_FIELD_BYTES) -> None:
        """Raises MalformedForm where the boundary is missing."""
        self.fields: dict[str, str] = {}
        self._most_field_bytes = most_field_bytes
        self._parser = _Parser(_boundary_of(content_type), max_header_size=MAX_HEAD_LINE_BYTES)
        self._parts = 0
        self._field = ""  # whose value this is, unless it is a file
        self._value = bytearray()
        self._file: FileHead | None = None
        self._is_told = False  # whether the head of this file has come out

    def feed(self, data: bytes) -> Iterator[Item]:
        if not data:  # which would mean the end to the parser
            return
        try:
            for found in self._parser.parse(data):
                if found is None:
                    self._end_part()
                elif isinstance(found, bytes):
                    yield from self._pass_on(found)
                else:
                    yield from self._begin_part(found)
        except MultipartError as error:
            if isinstance(error.__context__, UnicodeDecodeError):
                raise NotUtf8 from None
            raise MalformedForm(reason="a part has no proper head") from None

    def check_end(self) -> None:
        """Nothing more will come: raises MalformedForm if something is missing."""
        try:
            self._parser.close()
        except MultipartError:
            raise MalformedForm(reason="it ends too early") from None

    def _begin_part(self, part: MultipartSegment) -> Iterator[Item]:
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise TooManyParameters(limit=MAX_FIELDS)
        self._field = checked_name(part.name)
        filename = _filename(part)
        if filename is None:
            return
        content_type = part.header("Content-Type", "application/octet-stream").strip()
        self._file = FileHead(self._field, filename, content_type)
        if filename:
            self._is_told = True
            yield self._file

    def _pass_on(self, data: bytes) -> Iterator[Item]:
        if self._file is None:
            self._value += data
            if len(self._value) > self._most_field_bytes:
                raise MalformedForm(reason="a field is too long")
            return
        if not self._is_told:  # a file field left empty has neither a name nor bytes
            self._is_told = True
            yield self._file
        yield data

    def _end_part(self) -> None:
        if self._file is None:
            self.fields[self._field] = as_text(bytes(self._value))
        self._file, self._is_told = None, False
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
    """Also one that should stand in quotes, since many clients have forgotten these."""
    found = _BOUNDARY.search(content_type)
    if not found:
        raise MalformedForm(reason="no boundary is given")
    return (found[1] or found[2]).encode()


def _filename(part: MultipartSegment) -> str | None:
    """None for a part that is no file. The package leaves out `filename*`, which some send."""
    filename: str | None = part.filename
    disposition = part.header("Content-Disposition")
    if "*" not in disposition:
        return filename
    encoded = _ENCODED_FILENAME.search(_QUOTED.sub("", disposition))
    return unquote(encoded[1]) if encoded else filename
