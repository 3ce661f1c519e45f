"""Second factors: codes of an authenticator app (TOTP, RFC 6238) and recovery codes.

A recovery code has enough entropy for a plain hash. TOTP is implemented here because it is only an
HMAC and a remainder.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from urllib.parse import quote, urlencode

import msgspec

from tertulia.errors import BadRequest

STEP_SECONDS = 30
DIGITS = 6
SECRET_BYTES = 20
RECOVERY_CODES = 10
RECOVERY_BYTES = 10  # 80 bits


class CodeApp(msgspec.Struct, frozen=True):
    """An authenticator app. `sealed` is the shared secret, encrypted."""

    sealed: bytes
    last_step: int


class Passkey(msgspec.Struct, frozen=True):
    id: int
    name: str
    credential: bytes  # its id and public key
    sign_count: int
    created_at: float
    used_at: float | None


class SecondFactors(msgspec.Struct, frozen=True):
    """A user's second factors."""

    has_app: bool = False
    recovery_codes: int = 0  # unused ones
    passkeys: tuple[Passkey, ...] = ()

    @property
    def is_enabled(self) -> bool:
        return self.has_app or bool(self.passkeys)


def new_secret() -> str:
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def checked_secret(secret: str) -> str:
    """A secret as `new_secret` creates it. Raises BadRequest for anything else."""
    try:
        known = base64.b32decode(secret)
    except (binascii.Error, ValueError):
        known = b""
    if len(known) != SECRET_BYTES:
        raise BadRequest("This is no secret of ours.")
    return secret


def app_address(secret: str, organization: str, email: str) -> str:
    """The `otpauth://` URI for an authenticator app, shown as a QR code."""
    label = f"{quote(organization.replace(':', ' '))}:{quote(email)}"
    query = urlencode({"secret": secret, "issuer": organization}, quote_via=quote)
    return f"otpauth://totp/{label}?{query}"


def code_at(secret: str, step: int) -> str:
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    at = digest[-1] & 15
    number = int.from_bytes(digest[at : at + 4], "big") & 0x7FFFFFFF
    return str(number % 10**DIGITS).zfill(DIGITS)


def step_of(secret: str, code: str, now: float, last_step: int) -> int | None:
    """The time step of a code, out of the current one and its neighbours.

    None if it is wrong, or not later than the last used step.
    """
    given = "".join(code.split())
    present = int(now // STEP_SECONDS)
    found = [
        step
        for step in (present - 1, present, present + 1)
        if hmac.compare_digest(code_at(secret, step).encode(), given.encode())
    ]
    return found[0] if found and found[0] > last_step else None


def new_recovery_codes() -> list[str]:
    return [_recovery_code() for _ in range(RECOVERY_CODES)]


def recovery_hash(user_id: int, code: str) -> bytes:
    """Ignores spaces, dashes and case."""
    letters = "".join(char for char in code.lower() if char.isalnum())
    return hashlib.sha256(f"recovery code of {user_id}: {letters}".encode()).digest()


def _recovery_code() -> str:
    letters = base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower()
    return "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))
