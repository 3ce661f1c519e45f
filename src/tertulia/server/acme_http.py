"""The plain HTTP port of a server with ACME: HTTP-01, and redirects to HTTPS."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

from tertulia.config import Config
from tertulia.server import sockets

PREFIX = b"/.well-known/acme-challenge/"
MAX_HEAD_BYTES = 8192
MAX_SECONDS = 10
MAX_CONNECTIONS = 200

Authorization = Callable[[str], Awaitable[str | None]]  # for the token of a challenge


class AcmeHttpServer:
    def __init__(self, config: Config, authorization: Authorization) -> None:
        self._site = config.external_url.rstrip("/").encode()
        self._authorization = authorization
        self._config = config
        self._open = 0
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Raises CannotListen."""
        host, port = self._config.host, self._config.acme_http_port
        try:
            self._server = await asyncio.start_server(
                self._serve,
                None if host == sockets.ALL else host,
                port,
                limit=MAX_HEAD_BYTES,
                reuse_port=True,
            )
        except OSError as error:
            raise sockets.CannotListen(host, port, error) from error

    @property
    def listening(self) -> list[socket.socket]:
        return [] if self._server is None else list(self._server.sockets)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= MAX_CONNECTIONS:
                async with asyncio.timeout(MAX_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(await self._answer(head))
                    await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._open -= 1
            with contextlib.suppress(OSError):
                writer.close()

    async def _answer(self, head: bytes) -> bytes:
        _, _, rest = head.partition(b"\r\n")[0].partition(b" ")
        path = rest.rpartition(b" ")[0]
        if path.startswith(PREFIX):
            token = path.removeprefix(PREFIX).decode("ascii", "replace")
            found = await self._authorization(token)
            if found is not None:
                return _response(b"200 OK", b"", found.encode())
            return _response(b"404 Not Found", b"", b"")
        if not path.startswith(b"/") or path.startswith(b"//"):
            path = b"/"
        safe_path = bytes(byte for byte in path if 0x20 < byte < 0x7F)
        return _response(
            b"301 Moved Permanently", b"Location: " + self._site + safe_path + b"\r\n", b""
        )


def _response(status: bytes, headers: bytes, body: bytes) -> bytes:
    return (
        b"HTTP/1.1 " + status + b"\r\n" + headers + b"Content-Type: text/plain\r\n"
        b"Connection: close\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
    )
