"""Web Push: encryption of a message for one browser (RFC 8291) and authorization (RFC 8292, VAPID).

Written with `cryptography` alone: the libraries for it bring thirty megabytes of dependencies.
"""

import asyncio
import hmac
import json
import os
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tertulia import domain
from tertulia.domain.addresses import Networks
from tertulia.domain.personal.web_push import PushSubscription
from tertulia.external import safe_http

RECORD_BYTES = 4096
MAX_BYTES = 3900  # of the plain text; push services refuse more
TOO_LARGE = 413
TOKEN_LIFETIME_SECONDS = 12 * 3600  # of the VAPID token
TTL_SECONDS = 24 * 3600
SECONDS = 10
MAX_RESPONSE_BYTES = 1 << 16


class PushResponse(msgspec.Struct, frozen=True):
    """The answer of a push service; no status if it did not answer."""

    status: int = 0
    retry_seconds: float = 0.0  # from `Retry-After`


class PushRequest(msgspec.Struct, frozen=True):
    """A notification for one subscription."""

    subscription: PushSubscription
    payload: dict[str, Any]
    urgency: str = "high"
    topic: str = ""  # replaces an undelivered notification of the same topic
    ttl_seconds: int = TTL_SECONDS


def new_key() -> tuple[str, str]:
    """A new VAPID key pair, public and private, as text."""
    ec, _ = _libraries()
    private = ec.generate_private_key(ec.SECP256R1())
    number = private.private_numbers().private_value.to_bytes(32, "big")
    return domain.personal.web_push.encoded(_point(private)), domain.personal.web_push.encoded(
        number
    )


async def push(
    request: PushRequest,
    private: str,
    subject: str,
    now: float,
    allowed: Networks = (),
    *,
    seconds: float = SECONDS,
) -> PushResponse:
    """Send a notification. Raises what `safe_http.post` raises."""
    plain = json.dumps(request.payload, ensure_ascii=False).encode()
    if len(plain) > MAX_BYTES:
        return PushResponse(TOO_LARGE)
    body, word = await asyncio.to_thread(_http_request, request, plain, private, subject, now)
    headers = {
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(request.ttl_seconds),
        "Urgency": request.urgency,
        "Authorization": word,
    }
    if request.topic:
        headers["Topic"] = request.topic
    answer = await safe_http.post(
        request.subscription.endpoint,
        body,
        headers,
        seconds=seconds,
        max_bytes=MAX_RESPONSE_BYTES,
        allowed=allowed,
        person=request.subscription.user_id,
    )
    return PushResponse(answer.status, answer.retry_seconds(now))


def _http_request(
    request: PushRequest, plain: bytes, private: str, subject: str, now: float
) -> tuple[bytes, str]:
    """The encrypted body and the Authorization header. It takes a moment, so it runs on
    a thread."""
    body = encrypt(
        plain,
        domain.personal.web_push.decoded(request.subscription.p256dh),
        domain.personal.web_push.decoded(request.subscription.auth),
    )
    return body, authorization(request.subscription.endpoint, private, subject, now)


def encrypt(
    plain: bytes, receiver: bytes, secret: bytes, own: Any = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for the browser with this key and secret."""
    ec, aead = _libraries()
    own = own or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(16)
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), receiver)
    shared = own.exchange(ec.ECDH(), theirs)
    info = b"WebPush: info\0" + receiver + _point(own)
    material = _expand(_hmac(secret, shared), info, 32)
    start = _hmac(salt, material)
    key = _expand(start, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _expand(start, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([65]) + _point(own)
    return bytes(head + aead.AESGCM(key).encrypt(nonce, plain + b"\x02", None))


def authorization(endpoint: str, private: str, subject: str, now: float) -> str:
    """The VAPID header for the push service of one endpoint, valid for a while."""
    ec, _ = _libraries()
    parts = urlsplit(endpoint)
    number = int.from_bytes(domain.personal.web_push.decoded(private), "big")
    own = ec.derive_private_key(number, ec.SECP256R1())
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(now) + TOKEN_LIFETIME_SECONDS,
        "sub": subject,
    }
    head = {"typ": "JWT", "alg": "ES256"}
    signed = ".".join(
        domain.personal.web_push.encoded(json.dumps(each, separators=(",", ":")).encode())
        for each in (head, claims)
    )
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import utils

    r, s = utils.decode_dss_signature(own.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = domain.personal.web_push.encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    public = domain.personal.web_push.encoded(_point(own))
    return f"vapid t={signed}.{signature}, k={public}"


def _libraries() -> tuple[Any, Any]:
    """Imported with the first notification."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers import aead

    return ec, aead


def _point(private: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    point: bytes = private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    return point


def _hmac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    return _hmac(key, info + b"\x01")[:length]
