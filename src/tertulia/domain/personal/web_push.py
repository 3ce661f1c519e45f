"""Web Push subscriptions of browsers and UnifiedPush endpoints."""

import base64
import binascii
from urllib.parse import urlsplit

import msgspec

from tertulia.errors import BadRequest

POINT_BYTES = 65  # a public key of P-256, uncompressed
SECRET_BYTES = 16
MAX_FAILURES = 100  # failures in a row, at least four days unless the endpoint rejects us
SHOWN_DAYS = 7  # how long a device may still show a notification
WORDS = 200  # characters of a message


class PushSubscription(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    endpoint: str
    p256dh: str
    auth: str
    failures: int = 0  # in a row
    retry_at: float = 0.0  # no delivery before that
    kind: str = "web"  # or "ntfy", "gotify"
    sealed: bytes | None = None  # the token of an ntfy or Gotify server
    sends_text: bool = False  # to such a server

    @property
    def must_show(self) -> bool:
        """Whether every push to it shows a notification."""
        return self.kind != "web" or (urlsplit(self.endpoint).hostname or "").endswith(
            ".push.apple.com"
        )


def checked(endpoint: str, p256dh: str, auth: str) -> None:
    if urlsplit(endpoint).scheme not in ("https", "http") or not urlsplit(endpoint).netloc:
        raise BadRequest("Invalid endpoint")
    point = decoded(p256dh)
    if len(point) != POINT_BYTES or point[0] != 4:
        raise BadRequest("Invalid p256dh")
    if len(decoded(auth)) != SECRET_BYTES:
        raise BadRequest("Invalid auth")


def decoded(text: str) -> bytes:
    """Base64 as browsers encode it, with or without padding; empty if it is malformed."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_")
    except (ValueError, binascii.Error):
        return b""


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
