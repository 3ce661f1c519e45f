"""Verifies the signatures of webhooks: an HMAC over the request with a shared secret.

Travis signs with RSA; there the "secret" is its public key.

The secret is a parameter of the webhook's URL (`webhook_secret`). Without it no signature is
checked, because the URL itself contains a key.
"""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

import msgspec

MAX_SECONDS = 300  # maximum age of a signature with a time, and maximum clock difference

_DIGITS = re.compile("[0-9]{1,15}")
_ARMOUR = re.compile(r"-----[A-Z ]+-----|\\n|[\r\n]")  # PEM header and footer, and line breaks


class SignedRequest(msgspec.Struct, frozen=True):
    """What a signature covers."""

    body: bytes
    headers: Mapping[str, str]  # by lower-case name
    address: str  # the URL as the sender knows it
    now: float


Check = Callable[[SignedRequest, bytes], bool]


def hexadecimal(*headers: str, prefix: str = "", digest: str = "sha256") -> Check:
    """HMAC of the body in one of these headers, which may list several signatures with commas."""

    def check(call: SignedRequest, secret: bytes) -> bool:
        expected = prefix + hmac.new(secret, call.body, digest).hexdigest()
        given = next((call.headers[each] for each in headers if each in call.headers), "")
        return any(_is_same(each.strip(), expected) for each in given.split(","))

    return check


def token(header: str) -> Check:
    """The header contains the secret itself."""
    return lambda call, secret: hmac.compare_digest(
        call.headers.get(header, "").encode("latin-1", "replace"), secret
    )


def stripe(call: SignedRequest, secret: bytes) -> bool:
    """`t=TIME,v1=CODE,…`: HMAC over the time and the body."""
    parts = [part.partition("=") for part in call.headers.get("stripe-signature", "").split(",")]
    at = next((value for name, _, value in parts if name.strip() == "t"), "")
    if not _is_recent(at, call.now):
        return False
    expected = hmac.new(secret, at.encode() + b"." + call.body, hashlib.sha256).hexdigest()
    return any(_is_same(value, expected) for name, _, value in parts if name.strip() == "v1")


def trello(call: SignedRequest, secret: bytes) -> bool:
    """HMAC-SHA-1 over the body and the URL, in Base64."""
    code = hmac.new(secret, call.body + call.address.encode(), hashlib.sha1).digest()
    return _is_same(call.headers.get("x-trello-webhook", ""), base64.b64encode(code).decode())


def zendesk(call: SignedRequest, secret: bytes) -> bool:
    """HMAC-SHA-256 over the time (ISO 8601) and the body, in Base64."""
    at = call.headers.get("x-zendesk-webhook-signature-timestamp", "")
    if not _is_recent(_seconds(at), call.now):
        return False
    code = hmac.new(secret, at.encode("latin-1", "replace") + call.body, hashlib.sha256).digest()
    given = call.headers.get("x-zendesk-webhook-signature", "")
    return _is_same(given, base64.b64encode(code).decode())


def linear(call: SignedRequest, secret: bytes) -> bool:
    """HMAC-SHA-256 of the body, which contains the time (`webhookTimestamp`, milliseconds)."""
    if not hexadecimal("linear-signature")(call, secret):
        return False
    at = _json_object(call.body).get("webhookTimestamp")  # malformed JSON is rejected later
    return at is None or (type(at) is int and _is_recent(str(at // 1000), call.now))


def notion(call: SignedRequest, secret: bytes) -> bool:
    """HMAC-SHA-256 of the body. The request that tells the secret has no signature; it is accepted
    if it contains the same secret."""
    if hexadecimal("x-notion-signature", prefix="sha256=")(call, secret):
        return True
    token = _json_object(call.body).get("verification_token")
    return isinstance(token, str) and hmac.compare_digest(token.encode(errors="replace"), secret)


def heroku(call: SignedRequest, secret: bytes) -> bool:
    """HMAC-SHA-256 of the body, in Base64."""
    code = base64.b64encode(hmac.new(secret, call.body, hashlib.sha256).digest()).decode()
    return _is_same(call.headers.get("heroku-webhook-hmac-sha256", ""), code)


def netlify(call: SignedRequest, secret: bytes) -> bool:
    """A JSON Web Token with HS256, whose claims have the SHA-256 of the body."""
    signed, _, signature = call.headers.get("x-webhook-signature", "").rpartition(".")
    head, _, claims = signed.partition(".")
    code = hmac.new(secret, signed.encode("latin-1", "replace"), hashlib.sha256).digest()
    expected = base64.urlsafe_b64encode(code).decode().rstrip("=")
    if not _is_same(signature, expected) or _token_part(head).get("alg") != "HS256":
        return False
    found = _token_part(claims)
    digest = hashlib.sha256(call.body).hexdigest()
    return found.get("iss") == "netlify" and found.get("sha256") == digest


def slack(call: SignedRequest, secret: bytes) -> bool:
    """`v0=CODE`: HMAC over the version, the time and the body."""
    at = call.headers.get("x-slack-request-timestamp", "")
    if not _is_recent(at, call.now):
        return False
    code = hmac.new(secret, b"v0:" + at.encode() + b":" + call.body, hashlib.sha256).hexdigest()
    return _is_same(call.headers.get("x-slack-signature", ""), f"v0={code}")


def travis(call: SignedRequest, secret: bytes) -> bool:
    """RSA with SHA-1 over the form's `payload`, in Base64."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA1

    key = _public_key(secret.decode())
    (payload,) = parse_qs(call.body.decode(errors="replace")).get("payload", [""])[:1]
    try:
        given = base64.b64decode(call.headers.get("signature", ""), validate=True)
        key.verify(given, payload.encode(), PKCS1v15(), SHA1())  # noqa: S303
    except (ValueError, AttributeError, InvalidSignature):
        return False
    return True


# By the names that `services/*.toml` uses.
NAMED: dict[str, Check] = {
    each.__name__: each for each in (heroku, linear, netlify, notion, stripe, travis, zendesk)
}


def _public_key(pasted: str) -> Any:
    """An RSA key from a URL parameter, in which a plus sign becomes a space."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    body = _ARMOUR.sub("", pasted).strip().replace(" ", "+")
    try:
        key = load_der_public_key(base64.b64decode(body, validate=True))
    except (ValueError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, RSAPublicKey) else None


def _token_part(encoded: str) -> dict[str, Any]:
    """The object in one part of a JSON Web Token; empty if it is malformed."""
    try:
        return _json_object(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except ValueError:
        return {}


def _json_object(body: bytes) -> dict[str, Any]:
    """The object in a body; empty if it is malformed or of another type."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_recent(at: str, now: float) -> bool:
    return bool(_DIGITS.fullmatch(at)) and abs(now - int(at)) <= MAX_SECONDS


def _seconds(written: str) -> str:
    """An ISO 8601 time as UNIX seconds; empty if it is malformed or has no time zone."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return ""
    return "" if moment.tzinfo is None else str(int(moment.timestamp()))


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("latin-1", "replace"), expected.encode())
