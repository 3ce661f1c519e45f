"""HTTP/1.1 request parsing: bytes become heads and bodies, within bounds.

Heads are validated strictly (RFC 9112). If a proxy in front of us reads a request differently, one
client may receive another's response (request smuggling), so a head that is not entirely valid is
rejected.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import httptools

from tertulia.errors import BadRequest
from tertulia.errors.http import HeadersTooLarge, HttpsOnHttpPort

TLS_HELLO = b"\x16\x03"  # the first bytes of a TLS handshake
VERSIONS = frozenset({"1.0", "1.1"})

_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]*")

Headers = list[tuple[bytes, bytes]]


class RequestHead(NamedTuple):
    method: str
    version: str
    url: bytes
    headers: list[tuple[bytes, bytes]]
    keeps_alive: bool
    expects_continue: bool


class Receiver(Protocol):
    def head_received(self, head: RequestHead) -> None:
        """A ValueError rejects the request as malformed."""

    def body_received(self, body: bytes) -> None: ...

    def request_received(self) -> None: ...


class RequestParser:
    """Parses requests with httptools and passes their parts to the connection.

    Headers, chunk headers and trailers together are bounded; the body is bounded by its consumer.
    """

    __slots__ = (
        "_body_bytes",
        "_expects_continue",
        "_fed_bytes",
        "_headers",
        "_max_head_bytes",
        "_parser",
        "_receiver",
        "_url",
        "head_bytes",
        "is_in_body",
        "is_in_head",
    )

    def __init__(self, receiver: Receiver, max_head_bytes: int) -> None:
        self._receiver = receiver
        self._max_head_bytes = max_head_bytes
        self._parser: Any = httptools.HttpRequestParser(self)
        # A client that pipelines requests after `Connection: close` still gets the first response.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._expects_continue = False
        self.head_bytes = 0  # of the request, without its body
        self._body_bytes = 0
        self._fed_bytes = 0  # body bytes in the data of this `feed`
        self.is_in_head = True
        self.is_in_body = False

    def feed(self, data: bytes) -> None:
        """Parse the data. Raises BadRequest if it is not HTTP, HeadersTooLarge if a head is."""
        if self.head_bytes == 0 and self.is_in_head and data.startswith(TLS_HELLO):
            raise HttpsOnHttpPort
        self._fed_bytes = 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # a client may ask for WebSockets; it is answered in plain HTTP
        except httptools.HttpParserError:
            raise BadRequest("Invalid HTTP request received.") from None
        if self.is_in_head or self.is_in_body:
            self.head_bytes += len(data) - self._fed_bytes
            if self.head_bytes > self._max_head_bytes + self._body_bytes:
                raise HeadersTooLarge

    def close(self) -> None:
        """Break the reference cycles with httptools and the connection: no garbage is collected."""
        self._parser = None
        del self._receiver

    # --- callbacks of httptools ---

    def on_message_begin(self) -> None:
        self.is_in_head, self.head_bytes, self._body_bytes = True, 0, 0
        self._url, self._headers, self._expects_continue = b"", [], False

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.is_in_head:
            return  # a trailer
        name = name.lower()
        self._headers.append((name, value))
        if name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"

    def on_headers_complete(self) -> None:
        self.is_in_head = False
        version: str = self._parser.get_http_version()
        upgrades: bool = self._parser.should_upgrade()
        # An exception in a callback makes httptools raise HttpParserError.
        check_head(version, self._headers, upgrades=upgrades)
        method: str = self._parser.get_method().decode("ascii")
        keeps = version == "1.1" and not upgrades and self._parser.should_keep_alive()
        self._receiver.head_received(
            RequestHead(method, version, self._url, self._headers, keeps, self._expects_continue)
        )
        self.is_in_body = True

    def on_body(self, body: bytes) -> None:
        self._fed_bytes += len(body)
        self._body_bytes += len(body)
        self._receiver.body_received(body)

    def on_message_complete(self) -> None:
        self.is_in_body = False
        self._receiver.request_received()


class BadHead(ValueError):
    """Answered like bytes that are not HTTP."""


def check_head(version: str, headers: Iterable[tuple[bytes, bytes]], *, upgrades: bool) -> None:
    """Raises BadHead.

    A request to upgrade to another protocol is answered in HTTP. Its body length would depend on
    the protocol, so it must not have a body.
    """
    hosts = 0
    has_body = False
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if _HOST.fullmatch(value) is None:
                raise BadHead("no name of a host")
        elif name == b"transfer-encoding":
            if has_body or value.lower() != b"chunked":
                raise BadHead("a body in a form that we do not read")
            has_body = True
        elif name == b"content-length":
            has_body = has_body or value != b"0"
    if hosts > 1 or (not hosts and version == "1.1"):
        raise BadHead("not one host")
    if version not in VERSIONS:
        raise BadHead("another version of HTTP")
    if upgrades and has_body:
        raise BadHead("a body before another protocol")


def target(url: bytes, headers: Headers) -> tuple[bytes, bytes, Headers]:
    """The path, query and headers of a request. Usually the target is just a path and a query.

    If the target has a host, as in requests to proxies, that host replaces the Host header.
    """
    if url.startswith(b"/") and b"#" not in url:
        path, _, query = url.partition(b"?")
        return path, query, headers
    parsed = httptools.parse_url(url)
    if parsed.host:
        port = b":%d" % parsed.port if parsed.port else b""
        others = [(name, value) for name, value in headers if name != b"host"]
        headers = [(b"host", parsed.host + port), *others]
    return parsed.path or b"", parsed.query or b"", headers
