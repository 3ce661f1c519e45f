"""Passwords: argon2id, slow on purpose. Call these from a thread, never on the loop."""

from collections.abc import Sequence
from importlib import import_module

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tertulia import domain
from tertulia.errors import BadRequest

MIN_GUESSES = 10_000
MAX_CHECKED_CHARACTERS = 72  # characters; what is longer is no easier to guess

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

_ENDED = "!"  # before the hash of a password that opens nothing any more, as in shadow(5)

# Checked when there is no such user, so that an unknown name costs what a wrong password does.
# Written down because making one takes as long as everything else at start together.
NOBODY = (
    "$argon2id$v=19$m=19456,t=2,p=1"
    "$i1LVO/V8az5wjaAx1lS5sA$xKuqdZYgTkSdFmikDCP4Kh60zS0bk3/ek0Q8zGhRZak"
)


def checked(password: str, about: Sequence[str] = ()) -> str:
    """A password somebody may choose; refuses one that is too short, too long or easy to guess.

    `about` are words that are known of its owner, which are the first that others would try.
    """
    if len(password) < domain.limits.PASSWORD_SHORTEST:
        raise BadRequest(f"A password has at least {domain.limits.PASSWORD_SHORTEST} characters.")
    if len(password) > domain.limits.PASSWORD_LENGTH:
        raise BadRequest(f"A password has at most {domain.limits.PASSWORD_LENGTH} characters.")
    if guesses(password, about) < MIN_GUESSES:
        raise BadRequest("This password is too easy to guess.")
    return password


def guesses(password: str, about: Sequence[str] = ()) -> float:
    """How many a clever guesser would need. What this takes, 13 MB of words, is loaded here."""
    words = [word for text in about for word in (text, *text.replace("@", " ").split())]
    found = import_module("zxcvbn").zxcvbn(password[:MAX_CHECKED_CHARACTERS], words)
    return float(found["guesses"])


def hashed(password: str) -> str:
    return HASHER.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is right; takes the same time when there is no hash to compare."""
    try:
        HASHER.verify(password_hash or NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def ended(password_hash: str) -> str:
    """What is kept of a password that its owner has to replace. It matches nothing, but whoever
    knows it can be told why."""
    return _ENDED + kept(password_hash)


def is_ended(password_hash: str | None) -> bool:
    return (password_hash or "").startswith(_ENDED)


def kept(password_hash: str) -> str:
    """The hash itself, of a password that has ended, too."""
    return password_hash.removeprefix(_ENDED)
