"""TLS in the server itself. Connections are counted before the handshake.

A client can start a handshake and never finish it. So each connection is accepted, counted and
given a deadline first; then the TLS handshake runs, and HTTP after it.
"""

import asyncio
import ssl
from collections.abc import Callable
from typing import Any, cast

from tertulia.errors import ClientError
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.http_protocol import HttpConnection


class TlsProtocol(asyncio.Protocol):
    def __init__(
        self,
        connections: ConnectionLimiter,
        tls: ssl.SSLContext,
        make: Callable[..., HttpConnection],
        **options: Any,
    ) -> None:
        self._connections = connections
        self._tls = tls
        self._make = make
        self._options = options

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        counted_by = self._connections.counted(str(peer[0]) if isinstance(peer, tuple) else "")
        # A duplicate of the descriptor, so that only the TLS transport reads from the connection.
        line = transport.get_extra_info("socket").dup()
        cast(asyncio.Transport, transport).abort()
        try:
            self._connections.enter(counted_by)
        except ClientError:
            self._connections.leave(counted_by)
            line.close()
        else:
            asyncio.get_running_loop().create_task(self._shake_hands(line, counted_by))

    async def _shake_hands(self, line: Any, counted_by: str) -> None:
        connection = self._make(counted_by=counted_by, **self._options)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                line,
                ssl=self._tls,
                ssl_handshake_timeout=self._connections.patience_seconds,
            )
        except (OSError, asyncio.CancelledError):  # not TLS, too late, or disconnected
            line.close()
        finally:
            if not connection.was_made:
                self._connections.leave(counted_by)
