"""TLS in the server itself. Connections are counted before the handshake.

A client can start a handshake and never finish it. So each connection is accepted, counted and
given a deadline first; then the TLS handshake runs, and HTTP after it.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any, cast

from tertulia.errors import ClientError
from tertulia.server.certificates import ACME_PROTOCOL, Certificate
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.http_protocol import HttpConnection

MAX_HELLO_BYTES = 16_384


class TlsProtocol(asyncio.Protocol):
    def __init__(
        self,
        connections: ConnectionLimiter,
        certificate: Certificate,
        make: Callable[..., HttpConnection],
        **options: Any,
    ) -> None:
        self._connections = connections
        self._certificate = certificate
        self._make = make
        self._options = options

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        counted_by = self._connections.bucket(str(peer[0]) if isinstance(peer, tuple) else "")
        # A duplicate of the descriptor, so that only the TLS transport reads from the connection.
        line = transport.get_extra_info("socket").dup()
        cast(asyncio.Transport, transport).abort()
        try:
            self._connections.register(counted_by)
        except ClientError:
            self._connections.unregister(counted_by)
            line.close()
        else:
            asyncio.get_running_loop().create_task(self._handshake(line, counted_by))

    async def _handshake(self, line: socket.socket, counted_by: str) -> None:
        connection = self._make(counted_by=counted_by, **self._options)
        try:
            tls = await self._context_for(line)
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                line,
                ssl=tls,
                ssl_handshake_timeout=self._connections.timeout_seconds,
            )
        except (OSError, asyncio.CancelledError):  # not TLS, too late, or disconnected
            line.close()
        finally:
            if not connection.was_made:
                self._connections.unregister(counted_by)

    async def _context_for(self, line: socket.socket) -> ssl.SSLContext:
        """While an ACME challenge runs, look at the first bytes: Python does not tell the protocols
        that a client offers before it has chosen a certificate."""
        challenge = self._certificate.challenge
        if challenge is None:
            return self._certificate.context
        loop = asyncio.get_running_loop()
        line.setblocking(False)
        readable = asyncio.Event()
        loop.add_reader(line, readable.set)
        try:
            async with asyncio.timeout(self._connections.timeout_seconds):
                await readable.wait()
        finally:
            loop.remove_reader(line)
        hello = line.recv(MAX_HELLO_BYTES, socket.MSG_PEEK)
        return challenge if ACME_PROTOCOL.encode() in hello else self._certificate.context
