"""Pictures as we store them; `images.py` draws them, with a library that takes a while to load."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is stored; an animated one also stands still."""

    data: bytes
    extension: str
    still: bytes | None = None


@dataclass(frozen=True, slots=True)
class Avatar:
    """A picture of somebody, in the two sizes that clients show; it never moves."""

    picture: bytes
    medium: bytes
