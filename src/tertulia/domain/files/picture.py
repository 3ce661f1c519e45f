"""Pictures as we store them; `images.py` draws them, with a library that takes a while to load."""

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """A picture as it is stored; an animated one also stands still."""

    data: bytes
    extension: str
    still: bytes | None = None


class Avatar(msgspec.Struct, frozen=True):
    """A picture of somebody, in the two sizes that clients show; it never moves."""

    picture: bytes
    medium: bytes
