"""A multipart form read while it arrives, so that a large file never is in memory as a whole.

What comes out are the files in the order of the form, each a head followed by its bytes. Only
what may be the beginning of a boundary is held back. Fields without a file are small, and are
collected in `fields`.
"""

from collections.abc import Iterator
from typing import Literal

from tertulia.errors import MalformedForm, TooManyParameters
from tertulia.http.forms import (
    MAX_FIELDS,
    MAX_PART_HEAD_BYTES,
    FileHead,
    UploadedFile,
    as_text,
    boundary_of,
    part_head,
)

MAX_FIELD_BYTES = 1 << 16  # beside a file that is read while it arrives

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
        self._most_field_bytes = most_field_bytes
        self.fields: dict[str, str] = {}
        self._delimiter = b"\r\n--" + boundary_of(content_type)
        self._held = bytearray(b"\r\n")  # so that the first boundary is like all others
        self._place: Literal["content", "between", "after"] = "content"
        self._parts = 0
        self._field: str | None = None  # whose content this is; before the first part, nobody's
        self._value = bytearray()
        self._file: FileHead | None = None
        self._is_told = False  # whether the head of this file has come out

    def feed(self, data: bytes) -> Iterator[Item]:
        self._held += data
        while True:
            if self._place == "content":
                end = self._held.find(self._delimiter)
                known = end if end >= 0 else len(self._held) - len(self._delimiter) + 1
                if known > 0:
                    yield from self._pass_on(bytes(self._held[:known]))
                    del self._held[:known]
                if end < 0:
                    return
                del self._held[: len(self._delimiter)]
                self._end_part()
                self._place = "between"
            elif self._place == "between":
                if self._held.startswith(b"--"):
                    self._place = "after"
                    continue
                end = self._held.find(b"\r\n\r\n", 0, MAX_PART_HEAD_BYTES)
                if end < 0 and len(self._held) < MAX_PART_HEAD_BYTES:
                    return
                yield from self._begin_part(bytes(self._held[: end + 4]))
                del self._held[: end + 4]
                self._place = "content"
            else:
                self._held.clear()
                return

    def check_end(self) -> None:
        """Nothing more will come: raises MalformedForm if something is missing."""
        if self._place != "after":
            raise MalformedForm(reason="it ends too early")

    def _begin_part(self, part: bytes) -> Iterator[Item]:
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise TooManyParameters(limit=MAX_FIELDS)
        if self._delimiter in part:
            raise MalformedForm(reason="a part has no proper head")
        head = part_head(part)
        if head.filename is None:
            self._field = head.name
            return
        self._file = FileHead(head.name, head.filename, head.content_type)
        if head.filename:
            self._is_told = True
            yield self._file

    def _pass_on(self, data: bytes) -> Iterator[Item]:
        if self._file is not None:
            if not self._is_told:  # a file field left empty has neither a name nor bytes
                self._is_told = True
                yield self._file
            yield data
        elif self._field is not None:
            self._value += data
            if len(self._value) > self._most_field_bytes:
                raise MalformedForm(reason="a field is too long")

    def _end_part(self) -> None:
        if self._field is not None:
            self.fields[self._field] = as_text(bytes(self._value))
        self._field, self._file, self._is_told = None, None, False
        self._value.clear()
