"""Signed invitations to a call on BigBlueButton."""

import hmac
import json
import secrets

import msgspec
from msgspec.structs import asdict

from tertulia.domain.people.keys import Vault
from tertulia.errors import BadRequest

JOIN = "/calls/bigbluebutton/join"


class HostedCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    is_voice_only: bool
    moderator_id: int  # the user who created it


def new_meeting(name: str, moderator_id: int, *, is_voice_only: bool) -> HostedCall:
    return HostedCall(f"tertulia-{secrets.token_hex(16)}", name, is_voice_only, moderator_id)


def signed(vault: Vault, realm_id: int, meeting: HostedCall) -> str:
    encoded = json.dumps(asdict(meeting)).encode().hex()
    return f"{encoded}.{_signature(vault, realm_id, encoded)}"


def opened(vault: Vault, realm_id: int, text: str) -> HostedCall:
    """Parse an invitation. Raises BadRequest if the signature is wrong."""
    encoded, _, signature = text.partition(".")
    expected = _signature(vault, realm_id, encoded)
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        raise BadRequest("Invalid signature.")
    return HostedCall(**json.loads(bytes.fromhex(encoded)))


def _signature(vault: Vault, realm_id: int, text: str) -> str:
    return vault.signature(f"call {realm_id} {text}")
