"""Web Push: what a browser, or a UnifiedPush endpoint, has to say to be told of messages."""

import base64
import binascii
from dataclasses import dataclass
from urllib.parse import urlsplit

from tertulia.errors import BadRequest

POINT_BYTES = 65  # a public key of P-256, uncompressed
SECRET_BYTES = 16
TRIES = 3
PAUSE_SECONDS = 30.0
SHOWN_DAYS = 7  # for so long we remember what a device may still show
WORDS = 200  # characters of a message


@dataclass(frozen=True, slots=True)
class PushSubscription:
    id: int
    user_id: int
    endpoint: str
    p256dh: str
    auth: str


@dataclass(frozen=True, slots=True)
class PushNotice:
    realm_id: int
    user_id: int
    message_id: int
    reason: str
    tries: int


def checked(endpoint: str, p256dh: str, auth: str) -> None:
    if urlsplit(endpoint).scheme not in ("https", "http") or not urlsplit(endpoint).netloc:
        raise BadRequest("Invalid endpoint")
    point = decoded(p256dh)
    if len(point) != POINT_BYTES or point[0] != 4:
        raise BadRequest("Invalid p256dh")
    if len(decoded(auth)) != SECRET_BYTES:
        raise BadRequest("Invalid auth")


def decoded(text: str) -> bytes:
    """Base64 as browsers write it, with or without the signs at the end; nothing if it is none."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_")
    except (ValueError, binascii.Error):
        return b""


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
