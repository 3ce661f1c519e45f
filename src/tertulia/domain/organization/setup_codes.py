"""Setup codes: prove to a server without accounts that its operator creates the first owner."""

import hmac
import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no characters that look alike
GROUPS, GROUP_LENGTH = 2, 4  # 39 bits; the number of attempts is limited


def new_code() -> str:
    """A random code, such as `k7f4-9tqm`."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def matches(code: str, given: str) -> bool:
    """Whether a code was given, ignoring case, spaces and hyphens."""
    return hmac.compare_digest(_compact(code), _compact(given))


def _compact(code: str) -> bytes:
    return "".join(code.lower().replace("-", " ").split()).encode()
