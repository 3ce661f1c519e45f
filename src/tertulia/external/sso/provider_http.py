"""HTTP requests to a provider for JSON: with limits on time, size and depth, and without redirects.

Addresses come from the settings or from the provider's own metadata. The caller gets JSON that is
bounded and can be stored, or ProviderError.
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import msgspec

from tertulia.external.sso.provider_types import ProviderError, ProviderUnavailable

TIMEOUT_SECONDS = 10
MAX_LOGIN_SECONDS = 20  # for all requests of one step of a login
MAX_BYTES = 1 << 20
MAX_DEPTH = 32
ZLIB_WBITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}  # zlib's `wbits` by Content-Encoding


class ProviderRequest(msgspec.Struct, frozen=True):
    address: str
    form: Mapping[str, str] | None = None  # sent by POST
    login: tuple[str, str] | None = None
    bearer: str | None = None


async def fetch_json(request: ProviderRequest, ca_file: str = "") -> Any:
    """The JSON of the answer. Raises ProviderError."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "Tertulia",
    }
    if request.bearer is not None:
        headers["Authorization"] = f"Bearer {request.bearer}"
    try:
        async with (
            asyncio.timeout(TIMEOUT_SECONDS),
            httpx.AsyncClient(
                verify=tls_context(ca_file), timeout=TIMEOUT_SECONDS, trust_env=True
            ) as client,
            client.stream(
                "GET" if request.form is None else "POST",
                request.address,
                data=None if request.form is None else dict(request.form),
                headers=headers,
                auth=request.login or httpx.USE_CLIENT_DEFAULT,
            ) as answer,
        ):
            return _read(request, answer.status_code, await _body(request, answer))
    except TimeoutError as error:
        raise ProviderUnavailable(
            f"{request.address}: no answer within {TIMEOUT_SECONDS} seconds"
        ) from error
    except (httpx.NetworkError, httpx.TimeoutException, OSError) as error:
        raise ProviderUnavailable(f"{request.address}: {type(error).__name__} {error}") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # ValueError: an address, a token or a header with characters that are not allowed.
        raise ProviderError(f"{request.address}: {type(error).__name__} {error}") from error


@asynccontextmanager
async def login_timeout() -> AsyncIterator[None]:
    """A common timeout for all requests of one step of a login. Raises ProviderError."""
    try:
        async with asyncio.timeout(MAX_LOGIN_SECONDS):
            yield
    except TimeoutError as error:
        raise ProviderUnavailable(f"no answer within {MAX_LOGIN_SECONDS} seconds") from error


def check_bounds(document: Any, name: str) -> None:
    """Raises ProviderError for JSON that is nested too deeply, and for texts that a database
    cannot store: with NUL, or with half a surrogate pair."""
    level, depth = [document], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ProviderError(f"{name}: nested more than {MAX_DEPTH} levels deep")
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                inner += each
            elif isinstance(each, str) and not _is_storable(each):
                raise ProviderError(f"{name}: a text contains characters that are not allowed")
        level = inner


@cache
def tls_context(ca_file: str) -> ssl.SSLContext:
    """Cached, because loading takes a while. Raises ProviderError."""
    if ca_file and not Path(ca_file).is_file():
        raise ProviderError(f"ca_file: {ca_file} does not exist")
    return httpx.create_ssl_context(ca_file or True)


async def _body(request: ProviderRequest, answer: httpx.Response) -> bytes:
    """The decompressed body. httpx would decompress a whole chunk before its size is known."""
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    unpacker = None
    if encoding in ZLIB_WBITS:
        unpacker = zlib.decompressobj(ZLIB_WBITS[encoding])
    elif encoding not in ("", "identity"):
        raise ProviderError(f"{request.address}: cannot read Content-Encoding {encoding[:50]!r}")
    body = bytearray()
    try:
        async for chunk in answer.aiter_raw():
            body += chunk if unpacker is None else unpacker.decompress(chunk, MAX_BYTES + 1)
            if len(body) > MAX_BYTES:
                raise ProviderError(
                    f"{request.address}: the answer is larger than {MAX_BYTES} bytes"
                )
    except zlib.error as error:
        raise ProviderError(f"{request.address}: the answer cannot be decompressed") from error
    return bytes(body)


def _read(request: ProviderRequest, status: int, body: bytes) -> Any:
    if status == 429 or status >= 500:
        raise ProviderUnavailable(f"{request.address}: status {status}", status)
    if status != 200:
        raise ProviderError(f"{request.address}: status {status}")
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderError(f"{request.address}: not JSON") from error
    except RecursionError as error:
        raise ProviderError(f"{request.address}: nested too deeply") from error
    check_bounds(document, request.address)
    return document


def _is_storable(text: str) -> bool:
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)
