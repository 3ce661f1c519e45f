"""One request on a connection and its response.

ASGI applications use `receive` and `send`. The API knows a whole response before it starts, and
sends it at once (`reply`). Every parked long poll keeps one of these objects, so keep it small.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from http import HTTPStatus
from typing import Any, Protocol

from tertulia.log import log

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
OnDisconnect = Callable[[], None]
Headers = Iterable[tuple[bytes, bytes]]

EXCHANGE = "tertulia.exchange"  # key in the ASGI scope for the HttpExchange of our server
BLOCK_BYTES = 1 << 16  # per write; the next block is sent when the client has received this one
MAX_PENDING_PARTS = 128

_NO_NAME = re.compile(rb'[\x00-\x20\x7f()<>@,;:\\"/\[\]?={}]')
_NO_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WITHOUT_BODY = frozenset({204, 304})
_STATUS_LINES = {
    each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus
}


class Pieces:
    """A body that is assembled while it is sent, so that megabytes are not copied. Sent pieces are
    freed."""

    __slots__ = ("_pieces", "_size")

    def __init__(self, pieces: list[bytes | memoryview]) -> None:
        self._pieces = pieces
        self._size = sum(map(len, pieces))

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return b"".join(self._pieces)

    def blocks(self) -> Iterator[bytes]:
        pieces, self._pieces = self._pieces, []
        at_once = max(1, min(MAX_PENDING_PARTS, BLOCK_BYTES * len(pieces) // max(1, self._size)))
        for start in range(0, len(pieces), at_once):
            block = b"".join(pieces[start : start + at_once])
            pieces[start : start + at_once] = [b""] * at_once
            yield block


class Transport(Protocol):
    """What an exchange needs from its connection."""

    transport: asyncio.Transport
    is_write_paused: bool

    async def drained(self) -> None: ...
    def resume_reading(self) -> None: ...
    def exchange_finished(self, exchange: "HttpExchange") -> None: ...
    def usual_headers(self) -> Headers: ...


class HttpExchange:
    __slots__ = (
        "_arrival",
        "_bytes_to_send",
        "_connection",
        "_head",
        "_is_chunked",
        "_is_taken",
        "_knows_chunks",
        "_leave",
        "_method",
        "body",
        "expects_continue",
        "has_answer_begun",
        "has_left",
        "is_over",
        "keeps_connection",
        "more_body",
    )

    def __init__(
        self,
        connection: Transport,
        method: str,
        version: str,
        keeps_connection: bool,
        expects_continue: bool,
    ) -> None:
        self._connection = connection
        self._method = method
        self._knows_chunks = version == "1.1"
        self.keeps_connection = keeps_connection
        self.expects_continue = expects_continue and self._knows_chunks
        self.body = b""  # received and not yet read
        self.more_body = True
        self._is_taken = False  # whether the end was read
        self.has_left = False  # whether the client disconnected early
        self.has_answer_begun = False
        self.is_over = False
        self._arrival: asyncio.Future[None] | None = None  # more of the body, or its end
        self._leave: OnDisconnect | None = None
        self._head = b""  # sent with the first part of the body
        self._is_chunked = False
        self._bytes_to_send: int | None = 0  # left of Content-Length; None if there is none

    async def run(self, app: Any, scope: Scope, running: set[asyncio.Task[Any]]) -> None:
        """Run the application; the server waits for the tasks in `running` before it stops."""
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await app(scope, self.receive, self.send)
            # After a pause the application may notice a lost connection before `client_left`.
            if not (self.is_over or self.has_left or self._connection.transport.is_closing()):
                await self._fail("incomplete response")
        except BaseException as error:
            await self._fail(f"{type(error).__module__}.{type(error).__qualname__}")
        finally:
            running.discard(task)

    # --- called by the connection ---

    def body_received(self) -> None:
        """More of the body has arrived, or its end."""
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def client_left(self) -> None:
        self.has_left = not self.is_over
        self.body_received()
        if self._leave is not None:
            self._leave()

    # --- called by the API ---

    def on_disconnect(self, callback: OnDisconnect | None) -> None:
        """Set the callback for a lost connection; None removes it."""
        self._leave = callback
        if callback is not None and self._connection.transport.is_closing():
            callback()

    async def reply(self, head: bytes, body: bytes | Pieces) -> None:
        """Send a complete response: status and headers as bytes (`head_of`), and the body with that
        length."""
        if self._connection.is_write_paused:
            await self._connection.drained()
        if self.has_left:
            return
        self._start_response()
        ending = b"\r\n" if self.keeps_connection else b"connection: close\r\n\r\n"
        if type(body) is bytes and len(body) <= BLOCK_BYTES:
            self._connection.transport.write(b"%b%b%b" % (head, ending, body))
        else:
            self._connection.transport.write(head + ending)
            for block in body.blocks() if isinstance(body, Pieces) else (body,):
                await self._write_block(memoryview(block))
        self._finish()

    async def _write_block(self, block: memoryview) -> None:
        for start in range(0, len(block), BLOCK_BYTES):
            if self._connection.is_write_paused:
                await self._connection.drained()
            if self.has_left:
                return
            self._connection.transport.write(block[start : start + BLOCK_BYTES])

    # --- ASGI ---

    async def receive(self) -> Message:
        if self.expects_continue and not self._connection.transport.is_closing():
            self.expects_continue = False
            self._connection.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        while self._must_wait_for_body():
            self._connection.resume_reading()
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival
        if self.has_left or self.is_over:
            return {"type": "http.disconnect"}
        body, self.body = self.body, b""
        self._is_taken = not self.more_body
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    def _must_wait_for_body(self) -> bool:
        if self.has_left or self.is_over:
            return False
        return self._is_taken or (self.more_body and not self.body)

    async def send(self, message: Message) -> None:
        if self._connection.is_write_paused:
            await self._connection.drained()
        if self.has_left:
            return
        if not self.has_answer_begun:
            self._prepare_head(message["status"], message.get("headers", ()))
        else:
            self._send_body(message.get("body", b""), is_last=not message.get("more_body", False))

    def _prepare_head(self, status: int, headers: Headers) -> None:
        self._start_response()
        sent = [*self._connection.usual_headers(), *headers]
        named = {name.lower(): value for name, value in sent}
        if b"content-length" in named:
            self._bytes_to_send = int(named[b"content-length"])
        elif self._method != "HEAD" and status not in _WITHOUT_BODY:
            self._is_chunked = self._knows_chunks
            self._bytes_to_send = None
            if self._is_chunked:
                sent.append((b"transfer-encoding", b"chunked"))
        if not self.keeps_connection:
            sent.append((b"connection", b"close"))
        self._head = head_of(status, sent) + b"\r\n"

    def _start_response(self) -> None:
        self.has_answer_begun = True
        if self.expects_continue and self.more_body:
            self.keeps_connection = False  # the rest of the body may still arrive
        self.expects_continue = False

    def _send_body(self, body: bytes, *, is_last: bool) -> None:
        if self._method == "HEAD":
            self._bytes_to_send, body = 0, b""
        if self._is_chunked:
            ending = b"0\r\n\r\n" if is_last else b""
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + ending
        elif self._bytes_to_send is not None:
            self._bytes_to_send -= len(body)
            if self._bytes_to_send < 0 or (is_last and self._bytes_to_send):
                raise RuntimeError("an answer is not as long as it says")
        head, self._head = self._head, b""
        if head and len(body) > BLOCK_BYTES:
            self._connection.transport.write(head)
        else:
            body = head + body
        if body:
            self._connection.transport.write(body)
        if is_last:
            self._finish()

    def _finish(self) -> None:
        self.is_over = True
        self.body_received()
        if not self.keeps_connection:
            self._connection.transport.close()
        self._connection.exchange_finished(self)

    async def _fail(self, problem: str) -> None:
        """Answer 500 after a bug in the application. Only the type is logged: the text may quote
        the request."""
        log.error("http.application_failed", error=problem)
        is_head_sent = self.has_answer_begun and not self._head
        if is_head_sent or self.has_left:
            self._connection.transport.close()
            return
        self.keeps_connection = False
        headers = [(b"content-type", b"text/plain"), (b"content-length", b"21")]
        headers += self._connection.usual_headers()
        await self.reply(head_of(500, headers), b"Internal Server Error")


_NOSNIFF = (b"x-content-type-options", b"nosniff")


def head_of(status: int, headers: Headers) -> bytes:
    """Status and headers as bytes, without the empty line at the end."""
    lines = [_STATUS_LINES[status]]
    for name, value in headers:
        if _NO_NAME.search(name) or _NO_VALUE.search(value):
            raise ValueError("a header that would break the answer")
        lines.append(b"%b: %b\r\n" % (name.lower(), value))
    return b"".join(lines)


def refusal(status: int, body: bytes) -> bytes:
    """A complete JSON response after which the connection is closed."""
    kind, length = (b"content-type", b"application/json"), str(len(body)).encode()
    headers = [kind, (b"connection", b"close"), (b"content-length", length), _NOSNIFF]
    return b"%b\r\n%b" % (head_of(status, headers), body)
