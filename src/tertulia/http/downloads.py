"""File responses: headers, and range requests.

An uploaded file must not run scripts under our origin: types that browsers may not show are sent as
plain bytes, and types that they show may load nothing. Written here because Starlette supports
ranges only for files on disk.
"""

import re
from urllib.parse import quote

import msgspec

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)
_PLAIN_NAME = re.compile(r"[\w .()+,=@-]+", re.ASCII)

CHARSET = "; charset=utf-8"

_ALWAYS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, immutable",
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; media-src 'self'; object-src 'self';"
        " style-src 'unsafe-inline'"
    ),
}


class Part(msgspec.Struct, frozen=True):
    """The bytes from `start` up to, but not including, `end`."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def headers(name: str, content_type: str, etag: str, *, is_shown: bool = True) -> dict[str, str]:
    return _ALWAYS | {
        "Content-Disposition": disposition(name, is_shown=is_shown),
        "Content-Type": f"{content_type}{CHARSET if content_type == 'text/plain' else ''}",
        "ETag": f'"{etag}"',
    }


def disposition(name: str, *, is_shown: bool) -> str:
    kind = "inline" if is_shown else "attachment"
    if _PLAIN_NAME.fullmatch(name):
        return f'{kind}; filename="{name}"'
    return f"{kind}; filename*=UTF-8''{quote(name, safe='')}"


def is_known(etag: str, if_none_match: str) -> bool:
    """Whether the client already has this version."""
    known = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return f'"{etag}"' in known or "*" in known


def part(wanted: str, size: int) -> Part | None:
    """The part that a Range header asks for.

    None for the whole file, also if the header lists several parts or cannot be parsed; an empty
    part if the range is outside of the file.
    """
    match = _RANGE.fullmatch(wanted.strip())
    if not match or match[1] == match[2] == "":
        return None
    if match[1] == "":  # a suffix range
        return Part(max(0, size - int(match[2])), size)
    start = int(match[1])
    end = min(size, int(match[2]) + 1) if match[2] else size
    if match[2] and int(match[2]) < start:
        return None
    return Part(start, end) if start < size else Part(size, size)
