"""Passwords: argon2id, slow on purpose. Call these from a thread, never on the loop."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tertulia import domain
from tertulia.errors import BadRequest

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

# Checked when there is no such user, so that an unknown name costs what a wrong password does.
# Written down because making one takes as long as everything else at start together.
_NOBODY = (
    "$argon2id$v=19$m=19456,t=2,p=1"
    "$i1LVO/V8az5wjaAx1lS5sA$xKuqdZYgTkSdFmikDCP4Kh60zS0bk3/ek0Q8zGhRZak"
)


def checked(password: str) -> str:
    """A password somebody may choose; refuses one that is too short or too long."""
    if len(password) < domain.limits.PASSWORD_SHORTEST:
        raise BadRequest(f"A password has at least {domain.limits.PASSWORD_SHORTEST} characters.")
    if len(password) > domain.limits.PASSWORD_LENGTH:
        raise BadRequest(f"A password has at most {domain.limits.PASSWORD_LENGTH} characters.")
    return password


def hashed(password: str) -> str:
    return _HASHER.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is right; takes the same time when there is no hash to compare."""
    try:
        _HASHER.verify(password_hash or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None
