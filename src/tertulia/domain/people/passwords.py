"""Passwords: argon2id, slow on purpose. Call these from a thread, never on the event loop."""

from collections.abc import Sequence

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tertulia.domain import limits
from tertulia.errors import BadRequest

MIN_GUESSES = 10_000
MAX_CHECKED_CHARACTERS = 72  # a longer password is not easier to guess

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

_ENDED = "!"  # prefix of a hash that no longer admits its owner, as in shadow(5)

# Verified when the user does not exist, so that an unknown name takes as long as a wrong password.
# A constant, because hashing one takes as long as the rest of the start.
UNKNOWN_USER_HASH = (
    "$argon2id$v=19$m=19456,t=2,p=1"
    "$i1LVO/V8az5wjaAx1lS5sA$xKuqdZYgTkSdFmikDCP4Kh60zS0bk3/ek0Q8zGhRZak"
)


def checked(password: str, about: Sequence[str] = ()) -> str:
    """Check a new password. Raises BadRequest if it is too short, too long or easy to guess.

    `about` are words about its owner, which an attacker would try first.
    """
    if len(password) < limits.MIN_PASSWORD_LENGTH:
        raise BadRequest(
            "A password has at least {limit} characters.",
            problem="password-too-short",
            limit=limits.MIN_PASSWORD_LENGTH,
        )
    if len(password) > limits.MAX_PASSWORD_LENGTH:
        raise BadRequest(
            "A password has at most {limit} characters.",
            problem="password-too-long",
            limit=limits.MAX_PASSWORD_LENGTH,
        )
    if guesses(password, about) < MIN_GUESSES:
        raise BadRequest("This password is too easy to guess.", problem="password-too-easy")
    return password


def guesses(password: str, about: Sequence[str] = ()) -> float:
    """The estimated number of guesses. Imports 13 MB of word lists."""
    from zxcvbn import zxcvbn

    words = [word for text in about for word in (text, *text.replace("@", " ").split())]
    found = zxcvbn(password[:MAX_CHECKED_CHARACTERS], words)
    return float(found["guesses"])


def hashed(password: str) -> str:
    return HASHER.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is right. Takes the same time without a hash."""
    try:
        HASHER.verify(password_hash or UNKNOWN_USER_HASH, password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def ended(password_hash: str) -> str:
    """The hash of a password that its owner must replace. It matches nothing, but a user who
    knows the password can learn the reason."""
    return _ENDED + without_mark(password_hash)


def is_ended(password_hash: str | None) -> bool:
    return (password_hash or "").startswith(_ENDED)


def without_mark(password_hash: str) -> str:
    """The hash without the mark of `ended`."""
    return password_hash.removeprefix(_ENDED)
