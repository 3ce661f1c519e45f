"""Heads: what a request must say of itself before anybody looks at what it wants (RFC 9112).

Where we and a proxy in front of us could read one thing differently, somebody could be answered in
another's place. So what is not quite right is no request at all.
"""

import re
from collections.abc import Iterable

import httptools

VERSIONS = frozenset({"1.0", "1.1"})

_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]*")

Headers = list[tuple[bytes, bytes]]


class BadHead(ValueError):
    """It is answered like bytes that are no HTTP."""


def check(version: str, headers: Iterable[tuple[bytes, bytes]], *, upgrades: bool) -> None:
    """Raises BadHead.

    One that would speak another protocol afterwards is answered in ours, but how long its body is
    depends on which of the two one believes in: so it has none.
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
    """Path and query of what a request names, and its headers; nearly always it is just these two.

    An address with a host in it, as proxies are asked, counts more than the header.
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
