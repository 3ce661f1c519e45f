"""Listening: the port, and what comes in through it before there is a request.

Here HTTP itself is refused: a head without end, two hosts in one request, bytes that are no HTTP
at all, one connection too many, and a client that never comes to the end.
"""

import asyncio
import errno
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tertulia.config import Config
from tertulia.connections import Connections, Wait
from tertulia.errors import BadRequest, CannotStart, ClientError
from tertulia.errors.http import HeadersTooLarge, NoHttps, RequestTooSlow
from tertulia.http.replies import encode_error
from tertulia.http.request import ON_LEAVING, Leave

BACKLOG = 2048
TLS_HELLO = b"\x16\x03"  # how https begins


class CannotListen(CannotStart):
    """The address or the port is not to be had."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        reason = {
            errno.EADDRINUSE: f"Port {port} on {host} is in use; choose another one with --port.",
            errno.EACCES: f"Port {port} may only be used by the system; choose one above 1023.",
        }.get(error.errno or 0, f"Cannot listen on {host}, port {port}: {error.strerror}.")
        super().__init__(reason)


def listen(config: Config) -> list[socket.socket]:
    """Take the port, before anything else costs time; raises CannotListen."""
    host, port = config.host, config.port
    listening: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((row[0], row[4]) for row in found):
            if listening:  # a second address of the same name gets the same port
                port = listening[0].getsockname()[1]
            place = (str(address[0]), port)
            listening.append(socket.create_server(place, family=family, backlog=BACKLOG))
    except OSError as error:
        # A machine without IPv6 may still have a name for it.
        if not listening or error.errno != errno.EADDRNOTAVAIL:
            raise CannotListen(host, port, error) from error
    return listening


class Protocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with bounds on size and time, and with refusals in JSON.

    The bound of a head is the setting of uvicorn that is named after its other parser.
    """

    def __init__(self, connections: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections = connections
        self._counted_by = ""
        self._most_head_bytes = self.config.h11_max_incomplete_event_size or 65536
        self._head_bytes = 0
        self._is_in_head = True
        self._asking: Wait | None = None  # for a head or a body that has begun
        self._reading: Wait | None = None  # for an answer to be read
        self._most_unread = 0  # bytes of it
        self._leave: Leave | None = None  # what is to be done when the client goes

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()
        self._counted_by = self._connections.counted(self.client[0] if self.client else "")
        try:
            self._connections.enter(self._counted_by)
        except ClientError as refusal:
            self._refuse(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.leave(self._counted_by)
        super().connection_lost(exc)
        if self._leave is not None:
            self._leave()

    def _on_leaving(self, leave: Leave | None) -> None:
        self._leave = leave
        if leave is not None and self.transport.is_closing():
            leave()

    # --- what comes in ---

    def data_received(self, data: bytes) -> None:
        if self._head_bytes == 0 and data.startswith(TLS_HELLO) and self._is_in_head:
            self._refuse(NoHttps())
            return
        if self._asking is None and self._is_idle():
            self._expect_head()
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self._most_head_bytes:
                self._refuse(HeadersTooLarge())

    def on_message_begin(self) -> None:
        self._is_in_head, self._head_bytes = True, 0
        if self._asking is None:
            self._expect_head()
        super().on_message_begin()
        self.scope[ON_LEAVING] = self._on_leaving  # type: ignore[literal-required]
        # A proxy's word may take the client's place; who is at the other end stays known.
        self.scope["peer"] = self.client[0] if self.client else ""  # type: ignore[typeddict-unknown-key]

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # what comes after a body is of no use to us
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._asking = Wait("body", self.loop.time())
        if sum(name == b"host" for name, _ in self.headers) > 1:
            # Raised within the parser, it makes the request as bad as if it were no HTTP.
            raise ValueError("two hosts in one request")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._asking is not None:
            self._asking.moved_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._asking = None
        super().on_message_complete()

    def _expect_head(self) -> None:
        self._asking = Wait("head", self.loop.time())
        self._connections.watch(self)

    def _is_idle(self) -> bool:
        """Whether nobody waits for an answer of ours; in the beginning there is no cycle."""
        return getattr(self.cycle, "response_complete", True)

    # --- what goes out ---

    def pause_writing(self) -> None:
        self._connections.watch(self)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._reading = None  # for a while it went well
        super().resume_writing()

    def on_response_complete(self) -> None:
        self._connections.watch(self)
        super().on_response_complete()

    # --- who takes too long ---

    def waits(self, now: float) -> list[Wait]:
        """What the client owes us at this moment."""
        if self.transport.is_closing():
            self._asking = None
        elif self._asking is not None and self.flow.read_paused:
            self._asking = Wait(self._asking.what, now)  # it is us who are slow
        self._look_at_unread(now)
        return [wait for wait in (self._asking, self._reading) if wait is not None]

    def _look_at_unread(self, now: float) -> None:
        try:
            unread = self.transport.get_write_buffer_size()
        except RuntimeError:  # uvloop's word for a connection that is gone
            unread = 0
        if not unread:
            self._reading = None
        elif self._reading is None:
            self._reading, self._most_unread = Wait("answer", now), unread
        else:
            self._most_unread = max(self._most_unread, unread)
            self._reading.moved_bytes = self._most_unread - unread

    def cut_off(self, wait: Wait) -> None:
        if wait.what == "head" and self._is_idle():
            may_tell = self._head_bytes > 0  # a browser may connect ahead and never ask
        else:
            may_tell = wait.what == "body" and not (self.pipeline or self.cycle.response_started)
        if may_tell:
            self._refuse(RequestTooSlow())
        else:
            self.transport.abort()

    # --- refusing ---

    def send_400_response(self, msg: str) -> None:
        self._refuse(BadRequest(msg))

    def _unsupported_upgrade_warning(self) -> None:
        """A client may ask for WebSockets; it is answered in plain HTTP, which is no news."""

    def _refuse(self, error: ClientError) -> None:
        if self.transport.is_closing():
            return
        body = encode_error(error)
        head = (
            b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        ) % len(body)
        self.transport.write(STATUS_LINE[error.status] + head + body)
        self.transport.close()
        self._connections.watch(self)
