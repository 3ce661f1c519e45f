"""Identicons: generated pictures for accounts without a photograph."""

import hashlib
import struct
import zlib

from tertulia.memo import memoized

_CELLS = 5
_BACKGROUND = (240, 240, 240)


@memoized("identicons", 256)
def identicon(seed: str, pixels: int) -> bytes:
    """A symmetric pattern in one colour, as a PNG; the same seed always gives the same one."""
    digest = hashlib.blake2b(seed.encode(), digest_size=16).digest()
    color = tuple(64 + byte // 2 for byte in digest[:3])
    half = (_CELLS + 1) // 2
    bits = int.from_bytes(digest[4:8], "big")
    cell = pixels // (_CELLS + 1)
    margin = (pixels - cell * _CELLS) // 2
    rows = []
    for row in range(_CELLS):
        left = [bits >> (row * half + column) & 1 for column in range(half)]
        filled = left + left[-2::-1]
        line = bytes(_BACKGROUND) * margin
        for on in filled:
            line += bytes(color if on else _BACKGROUND) * cell
        line += bytes(_BACKGROUND) * (pixels - margin - cell * _CELLS)
        rows.extend([line] * cell)
    empty = bytes(_BACKGROUND) * pixels
    above = [empty] * margin
    below = [empty] * (pixels - margin - cell * _CELLS)
    return _png(above + rows + below, pixels)


def _png(rows: list[bytes], pixels: int) -> bytes:
    raw = b"".join(b"\0" + row for row in rows)
    header = struct.pack(">IIBBBBB", pixels, len(rows), 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(raw, 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
