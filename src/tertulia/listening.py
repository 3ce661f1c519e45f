"""Listening: the port, and what comes in through it before there is a request.

Here HTTP itself is refused: a head without end, two hosts in one request, and bytes that are no
HTTP at all.
"""

import errno
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tertulia.config import Config
from tertulia.errors import BadRequest, CannotStart, ClientError
from tertulia.errors.http import HeadersTooLarge
from tertulia.http.replies import encode_error

BACKLOG = 2048


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
    """HTTP as uvicorn speaks it, with a bounded head and with refusals in JSON.

    The bound is the setting of uvicorn that is named after its other parser.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most_head_bytes = self.config.h11_max_incomplete_event_size or 65536
        self._head_bytes = 0
        self._is_in_head = True

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self._most_head_bytes:
                self._refuse(HeadersTooLarge())

    def on_message_begin(self) -> None:
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # what comes after a body is of no use to us
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        if sum(name == b"host" for name, _ in self.headers) > 1:
            # Raised within the parser, it makes the request as bad as if it were no HTTP.
            raise ValueError("two hosts in one request")
        super().on_headers_complete()

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
