"""Passwords: argon2id, slow on purpose. Call these from a thread, never on the loop."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

# Checked when there is no such user, so that an unknown name costs what a wrong password does.
_NOBODY = _HASHER.hash("nobody has this password")


def hashed(password: str) -> str:
    return _HASHER.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is right; takes the same time when there is no hash to compare."""
    try:
        _HASHER.verify(password_hash or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None
