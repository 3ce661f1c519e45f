"""The network between people and servers: requests as ASGI calls, with delays and losses.

There are no bytes of HTTP here: the tests of `tests/server` cover them. A connection breaks when
its server is killed, and by chance: before the request arrives, or after it was answered.
"""

import asyncio
import base64
import json
import random
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

from tests.simulation.schedule import Schedule
from tests.simulation.server import Server

MCP = "/mcp"  # the only path outside of the API
FORM = b"application/x-www-form-urlencoded"


class ConnectionLost(Exception):
    """The client does not know whether the server has received or done what it asked for."""


class Answer(NamedTuple):
    status: int
    json: dict[str, Any]

    @property
    def is_good(self) -> bool:
        return self.status == 200

    @property
    def code(self) -> str:
        return str(self.json.get("code", ""))


class Network:
    def __init__(self, schedule: Schedule, rng: random.Random, loss_share: float) -> None:
        self._schedule = schedule
        self._rng = rng
        self._loss_share = loss_share
        self.answers = 0

    async def call(
        self,
        server: Server | None,
        email: str,
        key: str,
        method: str,
        path: str,
        params: dict[str, Any],
        headers: dict[str, str],
        body: tuple[bytes, bytes] | None = None,
    ) -> Answer:
        """Raises ConnectionLost. `body` is a content type with the content, instead of a form."""
        await self._travel()
        if server is None or not server.is_ready:
            raise ConnectionLost
        form = urlencode({name: _wire(value) for name, value in params.items()}).encode()
        kind, content = body or (FORM, b"" if method == "GET" else form)
        query = form if method == "GET" or body else b""
        token = base64.b64encode(f"{email}:{key}".encode())
        sent = [
            (b"host", b"localhost"),
            (b"authorization", b"Basic " + token),
            (b"content-type", kind),
            (b"content-length", str(len(content)).encode()),
            *((name.encode(), value.encode()) for name, value in headers.items()),
        ]
        exchange = Exchange(server, method, path, query, sent, content)
        try:
            status, raw = await exchange.answer
        finally:
            exchange.end()
        await self._travel()
        self.answers += 1
        return Answer(status, json.loads(raw))

    async def _travel(self) -> None:
        await asyncio.sleep(self._schedule.delay())
        if self._rng.random() < self._loss_share:
            raise ConnectionLost


class Exchange:
    """One request in a server, on a connection of its own."""

    count = 0

    def __init__(
        self,
        server: Server,
        method: str,
        path: str,
        query: bytes,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
    ) -> None:
        loop = asyncio.get_running_loop()
        Exchange.count += 1
        self.number = Exchange.count
        self.answer: asyncio.Future[tuple[int, bytes]] = loop.create_future()
        self._gone = loop.create_future()
        self._body: bytes | None = body
        self._status = 0
        self._parts: list[bytes] = []
        path = path if path == MCP else f"/api/v1{path}"
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query,
            "headers": headers,
            "client": ("192.0.2.1", 1),
            "scheme": "http",
            "http_version": "1.1",
            "server": ("localhost", 80),
        }
        self._server = server
        server.open.add(self)
        call = server.app(scope, self._receive, self._send)
        self._task = loop.create_task(call, context=server.host.context.copy())
        self._task.add_done_callback(self._on_done)

    def end(self) -> None:
        """The client closes the connection."""
        self._server.open.discard(self)
        if not self._gone.done():
            self._gone.set_result(None)

    def break_off(self) -> None:
        """The server is dead."""
        if not self.answer.done():
            self.answer.set_exception(ConnectionLost())

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.shield(self._gone)
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
        else:
            self._parts.append(message.get("body", b""))

    def _on_done(self, task: "asyncio.Task[Any]") -> None:
        if task.cancelled() or self.answer.done():
            return
        if (error := task.exception()) is not None:
            self.answer.set_exception(error)
        elif not self._status:
            self.answer.set_exception(ConnectionLost())
        else:
            self.answer.set_result((self._status, b"".join(self._parts)))


def _wire(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
