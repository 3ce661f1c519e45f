"""HTTP requests to a provider for JSON: with limits on time, size and depth, and without redirects.

Addresses come from the settings or from the provider's own metadata. The caller gets JSON that is
bounded and can be stored, or ProviderTrouble.
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import httpx
import msgspec

from tertulia.external.sso.provider_types import ProviderTrouble, ProviderUnavailable

TIMEOUT_SECONDS = 10
MAX_LOGIN_SECONDS = 20  # for all requests of one step of a login
MAX_BYTES = 1 << 20
MAX_DEPTH = 32
UNPACKING_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}  # zlib's `wbits` by Content-Encoding


class Inquiry(msgspec.Struct, frozen=True):
    address: str
    form: Mapping[str, str] | None = None  # sent by POST
    login: tuple[str, str] | None = None
    bearer: str | None = None


async def ask(inquiry: Inquiry, ca_file: str = "") -> Any:
    """The JSON of the answer. Raises ProviderTrouble."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "Tertulia",
    }
    if inquiry.bearer is not None:
        headers["Authorization"] = f"Bearer {inquiry.bearer}"
    try:
        async with (
            asyncio.timeout(TIMEOUT_SECONDS),
            httpx.AsyncClient(
                verify=certificates(ca_file), timeout=TIMEOUT_SECONDS, trust_env=True
            ) as client,
            client.stream(
                "GET" if inquiry.form is None else "POST",
                inquiry.address,
                data=None if inquiry.form is None else dict(inquiry.form),
                headers=headers,
                auth=inquiry.login or httpx.USE_CLIENT_DEFAULT,
            ) as answer,
        ):
            return _read(inquiry, answer.status_code, await _body(inquiry, answer))
    except TimeoutError as error:
        raise ProviderUnavailable(
            f"{inquiry.address}: no answer within {TIMEOUT_SECONDS} seconds"
        ) from error
    except (httpx.NetworkError, httpx.TimeoutException, OSError) as error:
        raise ProviderUnavailable(f"{inquiry.address}: {type(error).__name__} {error}") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # ValueError: an address, a token or a header with characters that are not allowed.
        raise ProviderTrouble(f"{inquiry.address}: {type(error).__name__} {error}") from error


@asynccontextmanager
async def within_login_time() -> AsyncIterator[None]:
    """A common timeout for all requests of one step of a login. Raises ProviderTrouble."""
    try:
        async with asyncio.timeout(MAX_LOGIN_SECONDS):
            yield
    except TimeoutError as error:
        raise ProviderUnavailable(f"no answer within {MAX_LOGIN_SECONDS} seconds") from error


def check_bounds(document: Any, name: str) -> None:
    """Raises ProviderTrouble for JSON that is nested too deeply, and for texts that a database
    cannot store: with NUL, or with half a surrogate pair."""
    level, depth = [document], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ProviderTrouble(f"{name}: nested more than {MAX_DEPTH} levels deep")
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                inner += each
            elif isinstance(each, str) and not _is_storable(each):
                raise ProviderTrouble(f"{name}: a text contains characters that are not allowed")
        level = inner


@cache
def certificates(ca_file: str) -> ssl.SSLContext:
    """Cached, because loading takes a while."""
    return httpx.create_ssl_context(ca_file or True)


async def _body(inquiry: Inquiry, answer: httpx.Response) -> bytes:
    """The decompressed body. httpx would decompress a whole chunk before its size is known."""
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    unpacker = None
    if encoding in UNPACKING_BITS:
        unpacker = zlib.decompressobj(UNPACKING_BITS[encoding])
    elif encoding not in ("", "identity"):
        raise ProviderTrouble(f"{inquiry.address}: cannot read Content-Encoding {encoding[:50]!r}")
    body = bytearray()
    try:
        async for chunk in answer.aiter_raw():
            body += chunk if unpacker is None else unpacker.decompress(chunk, MAX_BYTES + 1)
            if len(body) > MAX_BYTES:
                raise ProviderTrouble(
                    f"{inquiry.address}: the answer is larger than {MAX_BYTES} bytes"
                )
    except zlib.error as error:
        raise ProviderTrouble(f"{inquiry.address}: the answer cannot be decompressed") from error
    return bytes(body)


def _read(inquiry: Inquiry, status: int, body: bytes) -> Any:
    if status == 429 or status >= 500:
        raise ProviderUnavailable(f"{inquiry.address}: status {status}", status)
    if status != 200:
        raise ProviderTrouble(f"{inquiry.address}: status {status}")
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderTrouble(f"{inquiry.address}: not JSON") from error
    except RecursionError as error:
        raise ProviderTrouble(f"{inquiry.address}: nested too deeply") from error
    check_bounds(document, inquiry.address)
    return document


def _is_storable(text: str) -> bool:
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)
