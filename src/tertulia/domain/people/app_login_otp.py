"""One-time passwords of apps that log in through a browser. The app gets its key encrypted with
the password, so that no other program can read it."""

import re
import secrets
from collections.abc import Callable

from tertulia.errors import BadRequest

_OTP = re.compile("[0-9a-fA-F]{64}")
NONCE_BYTES = 12


def checked(otp: str) -> str:
    """Raises BadRequest if it is malformed."""
    if _OTP.fullmatch(otp) is None:
        raise BadRequest("Invalid OTP")
    return otp


def check_only_one(mobile: str, desktop: str) -> None:
    if mobile and desktop:
        raise BadRequest("Can't use both mobile_flow_otp and desktop_flow_otp together.")


def encrypted_key(otp: str, api_key: str) -> str:
    """An API key as the mobile app decrypts it: both as hex digits, XORed."""
    pad = bytes.fromhex(otp)
    return bytes(a ^ b for a, b in zip(api_key.encode(), pad, strict=True)).hex()


def encrypted_token(
    otp: str, token: str, seal: Callable[[bytes, bytes, bytes], bytes], nonce: bytes | None = None
) -> str:
    """A token as the desktop app decrypts it. `seal` is AES-GCM of a key, a nonce and a text."""
    nonce = nonce or secrets.token_bytes(NONCE_BYTES)
    return (nonce + seal(bytes.fromhex(otp), nonce, token.encode())).hex()
