"""Stored images and avatars. `images.py` creates them, with a library that is slow to import."""

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """A stored image; an animated one also has a still version."""

    data: bytes
    extension: str
    still: bytes | None = None


class Avatar(msgspec.Struct, frozen=True):
    """A user's avatar in the two sizes that clients show; never animated."""

    picture: bytes
    medium: bytes
