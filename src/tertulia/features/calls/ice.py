"""The STUN and TURN servers of calls, with credentials that end (the REST API of coturn)."""

import base64
import hashlib
import hmac
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.config import Config
from tertulia.wire import Doc

CREDENTIAL_SECONDS = 24 * 3600


class IceServer(msgspec.Struct):
    """A server in the form that `RTCPeerConnection` takes."""

    urls: Annotated[list[str], Doc("The addresses of the servers.")]
    username: Annotated[str | UnsetType, Doc("The name for a TURN server.")] = UNSET
    credential: Annotated[str | UnsetType, Doc("The password for a TURN server.")] = UNSET


def servers(config: Config, session_id: int, now: float) -> list[IceServer]:
    """The servers for one participant. The name in the credentials is that of the session, so the
    operator of the TURN server does not learn who calls."""
    found = []
    if config.stun_servers:
        found.append(IceServer(config.stun_servers.split()))
    if config.has_turn:
        name = username(str(session_id), now)
        password = credential(config.turn_secret, name)
        found.append(IceServer(config.turn_servers.split(), name, password))
    return found


def username(name: str, now: float) -> str:
    return f"{int(now) + CREDENTIAL_SECONDS}:{name}"


def credential(secret: str, username: str) -> str:
    digest = hmac.digest(secret.encode(), username.encode(), hashlib.sha1)
    return base64.b64encode(digest).decode()
