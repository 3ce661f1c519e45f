"""Signs requests to an S3-compatible service: AWS Signature, version 4.

Written here because the libraries for it bring tens of megabytes of other services.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, quote, urlsplit

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "s3"
UNRESERVED = "-_.~"  # not escaped in a path, besides letters and digits
EMPTY_DIGEST = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class S3Key:
    id: str
    secret: str = field(repr=False)
    region: str = "us-east-1"


def headers(
    key: S3Key,
    method: str,
    url: str,
    now: datetime,
    digest: str = EMPTY_DIGEST,
    extra_headers: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The headers that sign a request, given the SHA-256 of its body."""
    parts = urlsplit(url)
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    signed = {"host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": moment}
    signed |= {name.lower(): value for name, value in (extra_headers or {}).items()}
    names = ";".join(sorted(signed))
    request = "\n".join(
        [
            method,
            parts.path or "/",
            _query(parts.query),
            *(f"{name}:{signed[name].strip()}" for name in sorted(signed)),
            "",
            names,
            digest,
        ]
    )
    scope = f"{moment[:8]}/{key.region}/{SERVICE}/aws4_request"
    text = "\n".join([ALGORITHM, moment, scope, hashlib.sha256(request.encode()).hexdigest()])
    signature = _hmac(_signing_key(key, moment[:8]), text).hex()
    authorization = (
        f"{ALGORITHM} Credential={key.id}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return {name: signed[name] for name in signed if name != "host"} | {
        "Authorization": authorization
    }


def _query(query: str) -> str:
    pairs = sorted(
        (quote(name, safe=UNRESERVED), quote(value, safe=UNRESERVED))
        for name, value in parse_qsl(query, keep_blank_values=True)
    )
    return "&".join(f"{name}={value}" for name, value in pairs)


def _signing_key(key: S3Key, day: str) -> bytes:
    made = f"AWS4{key.secret}".encode()
    for word in (day, key.region, SERVICE, "aws4_request"):
        made = _hmac(made, word)
    return made


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
