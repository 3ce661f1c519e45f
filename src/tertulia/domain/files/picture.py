"""Stored images. `images.py` creates them, with a library that is slow to import."""

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """A stored image; an animated one also has a still version."""

    data: bytes
    extension: str
    still: bytes | None = None
