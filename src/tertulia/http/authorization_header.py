"""Parses the Authorization header: an email address and an API key.

Only the format is checked here, with an exact error for each mistake; the caller verifies the key.
"""

import base64
import re
from typing import NamedTuple

from tertulia.errors import BadRequest
from tertulia.errors.authentication import (
    BadAuthorizationHeader,
    MalformedKey,
    NotLoggedIn,
)
from tertulia.errors.parameters import MissingParameter

_KEY = re.compile("[A-Za-z0-9]{32}")


class Credentials(NamedTuple):
    email: str
    key: str


def read_credentials(header: str | None) -> Credentials:
    """Raises NotLoggedIn, BadAuthorizationHeader, BadRequest or MalformedKey."""
    if header is None:
        raise NotLoggedIn
    scheme, encoded = _halves(header)
    if scheme.lower() != "basic":
        raise BadRequest("This endpoint requires HTTP basic authentication.")
    try:
        decoded = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        raise BadAuthorizationHeader from None
    email, colon, key = decoded.partition(":")
    if not colon:
        raise BadAuthorizationHeader
    if not _KEY.fullmatch(key.strip()):
        raise MalformedKey
    return Credentials(email.strip(), key.strip())


def read_key(key: str | None) -> str:
    """A key from a parameter. Raises MissingParameter or MalformedKey."""
    if key is None:
        raise MissingParameter(name="api_key")
    if not _KEY.fullmatch(key.strip()):
        raise MalformedKey
    return key.strip()


def _halves(header: str) -> tuple[str, str]:
    try:
        scheme, encoded = header.split()
    except ValueError:
        raise BadAuthorizationHeader from None
    return scheme, encoded
