"""HTTP requests to addresses that users entered: bounded, and never into a private network.

The name is resolved when the connection is made, and the connection goes to the address that was
checked, so a name that changes between check and use (DNS rebinding) has no effect. A name server
may be slow, so names are resolved on separate threads, with slots per user. Redirects are followed
as often as the caller allows, each checked like the first address. Proxies of the environment are
not used.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from functools import cache, partial
from importlib import import_module
from ipaddress import ip_network
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import msgspec

from tertulia import domain
from tertulia.domain.addresses import Networks
from tertulia.errors.http import RateLimited
from tertulia.fair_queue import SERVER, FairQueue, Person

# What the library would import during the first connection, blocking the event loop.
LAZY_MODULES = ("anyio._backends._asyncio", "encodings.idna")

SAFE_IN_URL = "/%:@!$&'()*+,;=~-._?"
REDIRECTS = (301, 302, 303, 307, 308)
MAX_PAUSE_SECONDS = 86400.0  # upper bound for Retry-After

# A lookup that timed out occupies its thread until the resolver gives up, about 30 seconds later.
NAME_LOOKUPS = FairQueue("names", slots=64, slots_per_person=8, max_waiting=500)

# For addresses in the settings, which may be in a private network.
ALL_NETWORKS = (ip_network("0.0.0.0/0"), ip_network("::/0"))


class RequestFailed(Exception):
    """There is no usable answer."""


class Unreachable(RequestFailed):
    """The other machine cannot be reached, or does not speak HTTP."""


class RequestTimedOut(RequestFailed):
    pass


class AddressNotAllowed(RequestFailed):
    """The address is not valid or is in a private network."""


class ResponseTooLarge(RequestFailed):
    pass


class HttpResponse(msgspec.Struct, frozen=True):
    status: int
    headers: Mapping[str, str]  # by lower-case name
    body: bytes

    def retry_seconds(self, now: float) -> float:
        """The delay that `Retry-After` asks for, given as a number or a date."""
        retry_after = self.headers.get("retry-after", "").strip()
        if retry_after.isascii() and retry_after.isdigit():
            return float(min(int(retry_after[:9]), MAX_PAUSE_SECONDS))
        try:
            moment = parsedate_to_datetime(retry_after).timestamp()
        except (ValueError, OverflowError):
            return 0.0
        return min(max(moment - now, 0.0), MAX_PAUSE_SECONDS)


async def post(
    address: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    max_bytes: int,
    allowed: Networks = (),
    person: Person = SERVER,
) -> HttpResponse:
    """Send a request on behalf of `person`. Raises RequestFailed."""
    async with _bounded(seconds) as httpcore:
        return await _request(
            httpcore, "POST", address, headers, content, max_bytes, allowed, person
        )


async def get(
    address: str,
    headers: Mapping[str, str],
    *,
    seconds: float,
    max_bytes: int,
    max_redirects: int,
    allowed: Networks = (),
    person: Person = SERVER,
) -> HttpResponse:
    """Raises RequestFailed; Unreachable also after too many redirects."""
    async with _bounded(seconds) as httpcore:
        for _ in range(max_redirects + 1):
            answer = await _request(
                httpcore, "GET", address, headers, None, max_bytes, allowed, person
            )
            if answer.status not in REDIRECTS or "location" not in answer.headers:
                return answer
            address = _redirect_target(address, answer.headers["location"])
    raise Unreachable("too many redirects")


@asynccontextmanager
async def _bounded(seconds: float) -> AsyncIterator[Any]:
    """The library, with a timeout; its exceptions become RequestFailed."""
    httpcore, _ = await asyncio.to_thread(_library)
    try:
        async with asyncio.timeout(seconds):
            yield httpcore
    except TimeoutError:
        raise RequestTimedOut from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
        raise Unreachable(type(error).__name__) from error
    except (ssl.SSLError, OSError) as error:
        raise Unreachable(type(error).__name__) from error


async def _request(
    httpcore: Any,
    method: str,
    address: str,
    headers: Mapping[str, str],
    content: bytes | None,
    max_bytes: int,
    allowed: Networks,
    person: Person,
) -> HttpResponse:
    _, certificates = _library()
    url, host = _parse_url(httpcore, address)
    pool = httpcore.AsyncConnectionPool(
        ssl_context=certificates,
        network_backend=_Guard(httpcore.AnyIOBackend(), list(allowed), person),
        max_connections=1,
        retries=0,
    )
    lines = _header_list({"Host": host, **headers})
    async with pool, pool.stream(method, url, headers=lines, content=content) as answer:
        body = await _body(answer, max_bytes)
        return HttpResponse(answer.status, _by_name(answer.headers), body)


def _redirect_target(address: str, location: str) -> str:
    try:
        return urljoin(address, location)
    except ValueError:
        raise AddressNotAllowed(location) from None


class _Guard:
    """Resolves a name and connects to it if all of its addresses are allowed."""

    def __init__(self, backend: Any, allowed: list[Any], person: Person) -> None:
        self._backend = backend
        self._allowed = allowed
        self._person = person

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        addresses = await _addresses(host, port, self._person)
        if not all(domain.addresses.is_open(each, self._allowed) for each in addresses):
            raise AddressNotAllowed(host)
        failure: Exception | None = None
        for each in addresses:
            try:
                return await self._backend.connect_tcp(
                    each, port, timeout, local_address, socket_options
                )
            except Exception as error:
                failure = error
        raise failure or Unreachable(host)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


async def _addresses(host: str, port: int, person: Person) -> list[str]:
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        found = await NAME_LOOKUPS.run(person, look_up)
    except (OSError, UnicodeError, RateLimited):
        raise Unreachable(host) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _parse_url(httpcore: Any, address: str) -> tuple[Any, str]:
    """An address as the library expects it, and its Host header."""
    try:
        parts = urlsplit(address)
        name, port = (parts.hostname or "").encode("idna"), parts.port
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
    except (ValueError, UnicodeError):
        raise AddressNotAllowed(address) from None
    if parts.scheme not in ("http", "https") or not name:
        raise AddressNotAllowed(address)
    target = quote(parts.path, safe=SAFE_IN_URL) or "/"
    if parts.query:
        target += f"?{quote(parts.query, safe=SAFE_IN_URL)}"
    return httpcore.URL(scheme=parts.scheme, host=name, port=port, target=target), host


async def _body(answer: Any, max_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in answer.aiter_stream():
        body += chunk
        if len(body) > max_bytes:
            raise ResponseTooLarge
    return bytes(body)


def _header_list(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]


def _by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


@cache
def _library() -> tuple[Any, ssl.SSLContext]:
    """The HTTP library and a TLS context. Loaded with the first request: most servers make none."""
    for name in LAZY_MODULES:
        import_module(name)
    import httpcore

    return httpcore, ssl.create_default_context()
