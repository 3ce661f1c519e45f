"""Avatars. `domain/files/images.py` creates them, with a library that is slow to import."""

import msgspec


class Avatar(msgspec.Struct, frozen=True):
    """A user's avatar in the two sizes that clients show; never animated."""

    picture: bytes
    medium: bytes
