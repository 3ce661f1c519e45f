"""Strict validation of request heads (RFC 9112).

If a proxy in front of us reads a request differently, one client may receive another's response
(request smuggling). So a head that is not entirely valid is rejected.
"""

import re
from collections.abc import Iterable

import httptools

VERSIONS = frozenset({"1.0", "1.1"})

_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]*")

Headers = list[tuple[bytes, bytes]]


class BadHead(ValueError):
    """Answered like bytes that are not HTTP."""


def check(version: str, headers: Iterable[tuple[bytes, bytes]], *, upgrades: bool) -> None:
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
