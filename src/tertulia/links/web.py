"""Asking a provider's site for JSON: with a time limit, a size limit, and no redirects.

The addresses come from the settings, or from what a site named there says of itself.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
import msgspec

from tertulia.links.answers import ProviderTrouble

TIMEOUT_SECONDS = 10
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Inquiry:
    address: str
    form: Mapping[str, str] | None = None  # sent by POST
    login: tuple[str, str] | None = None
    bearer: str | None = None


async def ask(inquiry: Inquiry, ca_file: str = "") -> Any:
    """The JSON that a site answers with. Raises ProviderTrouble."""
    headers = {"Accept": "application/json", "User-Agent": "Tertulia"}
    if inquiry.bearer is not None:
        headers["Authorization"] = f"Bearer {inquiry.bearer}"
    try:
        async with (
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
            return _read(inquiry, answer.status_code, await _body(answer))
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise ProviderTrouble(f"{inquiry.address}: {type(error).__name__} {error}") from error


@cache
def certificates(ca_file: str) -> ssl.SSLContext:
    """Read once: it takes a while."""
    return httpx.create_ssl_context(ca_file or True)


async def _body(answer: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in answer.aiter_bytes():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ProviderTrouble(f"{answer.url}: the answer is too large")
    return bytes(body)


def _read(inquiry: Inquiry, status: int, body: bytes) -> Any:
    if status != 200:
        raise ProviderTrouble(f"{inquiry.address}: status {status}")
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise ProviderTrouble(f"{inquiry.address}: no JSON") from error
