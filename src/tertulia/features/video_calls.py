"""Video calls on configured servers; for Jitsi, clients create links themselves.

A call on BigBlueButton is an invitation that this server has signed. For LiveKit this server is the
Jitsi server of the clients, so that all of them have its button: the links that they make lead to a
page here, which gives a person a token for the room.
"""

import base64
import hmac
import json
import secrets
from typing import Annotated

import msgspec
from msgspec.structs import asdict

from tertulia.api.call import Call
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.external import video_calls
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank
from tertulia.http.replies import Reply
from tertulia.wire import Doc

JOIN = "/calls/bigbluebutton/join"
LIVEKIT_SECONDS = 6 * 3600  # in which a token opens the room


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


def livekit_token(key: str, secret: str, room: str, user: User, now: float) -> str:
    """An access token of LiveKit: a JWT with HS256."""
    claims = {
        "iss": key,
        "sub": f"user-{user.id}",
        "name": user.full_name,
        "nbf": int(now) - 60,
        "exp": int(now) + LIVEKIT_SECONDS,
        "video": {"roomJoin": True, "room": room},
    }
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    signed = ".".join(_base64(json.dumps(each).encode()) for each in parts)
    return f"{signed}.{_base64(hmac.digest(secret.encode(), signed.encode(), 'sha256'))}"


def livekit_room(realm_uuid: str, name: str) -> str:
    """The room of an organization: its name cannot be guessed by others on the same LiveKit."""
    return f"{realm_uuid}-{name}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


MeetingName = Annotated[str, NotBlank, MaxLength(1000), NoNul]


class CallLink(Reply):
    url: Annotated[str, Doc("The URL of the call.")]


async def create_bigbluebutton(
    call: Call,
    *,
    meeting_name: Annotated[MeetingName, Doc("The name of the call.", example="lunch")],
    voice_only: Annotated[bool, Doc("Whether the call has no video.")] = False,
) -> CallLink:
    """Create a link to a BigBlueButton call."""
    meeting = new_meeting(meeting_name, call.user.id, is_voice_only=voice_only)
    invitation = signed(call.vault, call.org.realm.id, meeting)
    return CallLink(url=f"{JOIN}?bigbluebutton={invitation}")


async def create_nextcloud_talk(
    call: Call, *, room_name: Annotated[MeetingName, Doc("The name of the room.", example="lunch")]
) -> CallLink:
    """Create a room in Nextcloud Talk."""
    return CallLink(url=await video_calls.create_room(call.config, room_name))
