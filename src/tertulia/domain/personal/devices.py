"""Mobile devices that get push notifications, encrypted with their own key, through a push service.

A token is the manufacturer's address of a device. The service knows the token; this server knows
the service's id for it.
"""

import base64
import binascii
import uuid
from typing import Literal

import msgspec

from tertulia.domain.people.keys import Vault
from tertulia.errors import BadRequest

TokenKind = Literal["apns", "fcm"]

KEY_BYTES = 33
KEY_SIGN = 0x31  # the first byte identifies the cipher
MAX_KEY_ID = 2**32 - 1
MAX_TOKEN_LENGTH = 4096

EXPIRED = "REQUEST_EXPIRED"


class Registration(msgspec.Struct, frozen=True):
    """A device's registration with the push service, which alone can decrypt most of it."""

    token_kind: TokenKind
    token_id: str
    bouncer_public_key: str
    encrypted: str


class Device(msgspec.Struct, frozen=True):
    id: int
    realm_id: int
    user_id: int
    key_number: int | None = None
    sealed: bytes | None = None
    token_kind: str | None = None
    token_id: str | None = None
    pending_kind: str | None = None
    pending_token_id: str | None = None
    pending_since: float | None = None
    bouncer_public_key: str | None = None
    encrypted_registration: str | None = None
    error_code: str | None = None

    @property
    def can_receive(self) -> bool:
        return self.sealed is not None and self.token_id is not None


class DeviceToken(msgspec.Struct, frozen=True):
    """A device of the older, unencrypted kind."""

    user_id: int
    kind: TokenKind
    token: str
    app_id: str


def checked_key(push_key: str, push_key_id: int) -> str:
    key = decoded(push_key)
    if key is None or len(key) != KEY_BYTES or key[0] != KEY_SIGN:
        raise BadRequest("Invalid `push_key`")
    if not 0 <= push_key_id <= MAX_KEY_ID:
        raise BadRequest("Invalid `push_key_id`")
    return push_key


def checked_token_id(token_id: str) -> str:
    if not token_id or decoded(token_id) is None:
        raise BadRequest("`token_id` is not Base64 encoded")
    return token_id


def checked_token(kind: TokenKind, token: str) -> str:
    """A token of the older kind. Raises BadRequest."""
    if not 0 < len(token) <= MAX_TOKEN_LENGTH:
        raise BadRequest("Empty or invalid length token")
    if kind == "apns":
        try:
            bytes.fromhex(token)
        except ValueError:
            raise BadRequest("Invalid APNS token") from None
    return token


def opened(vault: Vault, device: Device) -> bytes:
    """The key of a device."""
    key = decoded(vault.unseal(device.sealed or b""))
    assert key is not None
    return key


def person_uuid(realm_uuid: str, user_id: int) -> str:
    """The id by which the push service knows a user."""
    return str(uuid.uuid5(uuid.UUID(realm_uuid), str(user_id)))


def decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
