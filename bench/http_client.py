"""HTTP/1.1 over kept connections, with as little overhead as possible.

Requests are prepared bytes, and of an answer only its length, or its chunks, are parsed, so that
the server is measured and not the client.
"""

import asyncio
import base64
import gzip
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

END_OF_HEAD = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length: "
NOT_MODIFIED = b"304"
GZIP = b"\r\ncontent-encoding: gzip"


@dataclass(frozen=True, slots=True)
class Login:
    email: str
    key: str
    host: str = "localhost"

    def get(self, path: str, **params: Any) -> bytes:
        return self._request("GET", f"{path}?{_encoded(params)}", b"")

    def post(self, path: str, **params: Any) -> bytes:
        return self._request("POST", path, _encoded(params).encode())

    def request(self, method: str, path: str, **params: Any) -> bytes:
        return self._request(method, path, _encoded(params).encode())

    def _request(self, method: str, target: str, body: bytes) -> bytes:
        token = base64.b64encode(f"{self.email}:{self.key}".encode()).decode()
        head = (
            f"{method} /api/v1{target} HTTP/1.1\r\nHost: {self.host}\r\n"
            f"Authorization: Basic {token}\r\nContent-Length: {len(body)}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        return head.encode() + body


class HttpConnection(asyncio.Protocol):
    """One kept connection, one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._received = bytearray()
        self._waiter: asyncio.Future[bytes] | None = None
        self._head = b""

    @classmethod
    async def to(
        cls, port: int, host: str = "127.0.0.1", *, tls: bool = False, source: str | None = None
    ) -> "HttpConnection":
        """`source` is the address that the connection comes from."""
        loop = asyncio.get_running_loop()
        local = None if source is None else (source, 0)
        _, connection = await loop.create_connection(
            cls, host, port, ssl=tls or None, local_addr=local
        )
        return connection

    async def fetch(self, request: bytes) -> bytes:
        """Send a request and return the body of its answer; raises unless the status is 200 or
        304."""
        return await self.begin(request)

    def begin(self, request: bytes) -> "asyncio.Future[bytes]":
        assert self._transport is not None
        if self._transport.is_closing():
            raise ConnectionError("the server closed the connection")
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._waiter

    def header(self, name: str) -> str:
        """A header of the last answer; raises if it has none of this name."""
        _, _, rest = self._head.lower().partition(f"\r\n{name}: ".encode())
        begin = len(self._head) - len(rest)
        return self._head[begin:].partition(b"\r\n")[0].decode()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # --- called by asyncio ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head_end = self._received.find(END_OF_HEAD)
        if head_end < 0:
            return
        self._head = bytes(self._received[: head_end + 2])
        head = self._head.lower()
        begin = head_end + len(END_OF_HEAD)
        status = head[9:12]
        length = 0 if status == NOT_MODIFIED else _number_after(LENGTH, head)
        if length is not None:
            body, end = bytes(self._received[begin : begin + length]), begin + length
            if len(self._received) < end:
                return
        else:
            chunks = _chunks(bytes(self._received), begin)
            if chunks is None:
                return
            body, end = chunks
        if GZIP in head:
            body = gzip.decompress(body)
        del self._received[:end]
        waiter, self._waiter = self._waiter, None
        if waiter is None or waiter.done():
            return
        if status in (b"200", NOT_MODIFIED):
            waiter.set_result(body)
        else:
            waiter.set_exception(RuntimeError(f"{status.decode()} {body[:200].decode()}"))

    def connection_lost(self, error: Exception | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(ConnectionError("the server closed the connection"))


def _number_after(name: bytes, head: bytes) -> int | None:
    _, found, rest = head.partition(name)
    return int(rest.partition(b"\r\n")[0]) if found else None


def _chunks(received: bytes, position: int) -> tuple[bytes, int] | None:
    """A chunked body and where it ends; None if it is incomplete."""
    body = b""
    while (line_end := received.find(b"\r\n", position)) >= 0:
        size = int(received[position:line_end].partition(b";")[0], 16)
        start = line_end + 2
        position = start + size + 2
        if len(received) < position:
            return None
        if size == 0:
            return body, position
        body += received[start : start + size]
    return None


def _encoded(params: dict[str, Any]) -> str:
    """Strings unchanged, everything else as JSON."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in params.items()
    }
    return urlencode(texts)
