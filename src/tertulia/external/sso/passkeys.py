"""Passkeys (WebAuthn): the options for the browser, and verification of its answers.

No network is used here. The library is large and imported only if a user has a passkey. Attestation
is not requested: any authenticator is accepted.
"""

import base64
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity

from tertulia.domain.people.second_factors import Passkey
from tertulia.external.sso.provider_types import ProviderError

MAX_RESPONSE_LENGTH = 20_000


class NewPasskey(msgspec.Struct, frozen=True):
    """A verified answer of a passkey."""

    credential: bytes
    sign_count: int


def creation_options(
    site: str,
    organization: str,
    user: tuple[int, str, str],
    passkeys: Sequence[Passkey],
    challenge: str,
) -> dict[str, Any]:
    """The options to create a passkey. `user` is an id, an address and a name, `challenge` is the
    challenge."""
    number, email, name = user
    return {
        "rp": {"id": _host(site), "name": organization},
        "user": {"id": _text(f"user {number}".encode()), "name": email, "displayName": name},
        "challenge": challenge,
        "pubKeyCredParams": [
            {"type": "public-key", "alg": each} for each in CoseKey.supported_algorithms()
        ],
        "excludeCredentials": _descriptors(passkeys),
        "authenticatorSelection": {"userVerification": "discouraged"},
        "attestation": "none",
    }


def login_options(site: str, passkeys: Sequence[Passkey], challenge: str) -> dict[str, Any]:
    """The options to log in with a passkey."""
    return {
        "rpId": _host(site),
        "challenge": challenge,
        "allowCredentials": _descriptors(passkeys),
        "userVerification": "discouraged",
    }


def verify_creation(site: str, challenge: str, answer: str) -> NewPasskey:
    """Verify the answer to `creation_options`. Raises ProviderError."""
    try:
        state = {"challenge": challenge, "user_verification": None}
        registered = _server(site).register_complete(state, _read(answer))
        return NewPasskey(bytes(registered.credential_data or b""), registered.counter)
    except _MALFORMED as error:
        raise ProviderError(f"the passkey's answer is not valid: {error}") from error


def verify_login(
    site: str, passkeys: Sequence[Passkey], challenge: str, answer: str
) -> tuple[int, int]:
    """Verify the answer to `login_options`: which passkey it is, and its signature counter. Raises
    ProviderError."""
    by_name = {_credential(each).credential_id: each for each in passkeys}
    credentials = [_credential(each) for each in passkeys]
    try:
        state = {"challenge": challenge, "user_verification": None}
        decoded = _read(answer)
        found = _server(site).authenticate_complete(state, credentials, decoded)
        count = _count(decoded)
    except _MALFORMED as error:
        raise ProviderError(f"the passkey's answer is not valid: {error}") from error
    return by_name[found.credential_id].id, count


# What the library raises for malformed answers.
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, AssertionError, IndexError)


def _server(site: str) -> Fido2Server:
    entity = PublicKeyCredentialRpEntity(id=_host(site), name=site)
    return Fido2Server(entity, verify_origin=lambda origin: origin == site)


def _read(answer: str) -> dict[str, Any]:
    if len(answer) > MAX_RESPONSE_LENGTH:
        raise ValueError("it is too long")
    decoded: dict[str, Any] = msgspec.json.decode(answer, type=dict[str, Any])
    return decoded


def _count(client_data: dict[str, Any]) -> int:
    """The signature counter: four bytes after the hash of our name and the flags."""
    data = _bytes(client_data["response"]["authenticatorData"])
    return int.from_bytes(data[33:37], "big")


def _credential(passkey: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(passkey.credential)


def _descriptors(passkeys: Sequence[Passkey]) -> list[dict[str, str]]:
    return [
        {"type": "public-key", "id": _text(_credential(each).credential_id)} for each in passkeys
    ]


def _host(site: str) -> str:
    return urlsplit(site).hostname or ""


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
