"""The HTTP/1.1 protocol: one connection from its first byte to its last, run by uvicorn.

It answers violations of HTTP with an error in JSON: a head without end, two hosts in one request,
bytes that are not HTTP, one connection too many, a client that is too slow. uvicorn's own protocol
is not used because a thousand parked polls are a thousand connections: most of the memory it needs
for each, and of the time for a response, is for features that this server does not have.
"""

import asyncio
from collections import deque
from typing import Any, cast
from urllib.parse import unquote

import uvicorn
from uvicorn.server import ServerState

from tertulia.errors import ClientError
from tertulia.errors.http import HttpsOnHttpPort, RequestTooSlow
from tertulia.http.exchange import EXCHANGE, Headers, HttpExchange, Scope, refusal
from tertulia.http.replies import encode_error
from tertulia.server.connection_limits import ClientDeadlines, ConnectionLimiter, Deadline
from tertulia.server.request_parser import RequestHead, RequestParser, target

MAX_UNREAD_BODY_BYTES = 1 << 16  # the server then stops reading until the application takes them
DEFAULT_MAX_HEAD_BYTES = 1 << 16

FORWARDED_FOR = b"x-forwarded-for"
_ASGI = {"version": "3.0", "spec_version": "2.3"}
MAX_PIPELINED_REQUESTS = 32  # that wait for an earlier response


class HttpConnection(asyncio.Protocol):
    """Connects a transport with the parser, the pipeline, the deadlines and the keep-alive timer.

    The size limit of a head is the uvicorn setting that is named after h11.
    """

    __slots__ = (
        "_client",
        "_config",
        "_connections",
        "_counted_by",
        "_deadlines",
        "_drain",
        "_is_read_paused",
        "_keep_alive",
        "_loop",
        "_parser",
        "_pipeline",
        "_scheme",
        "_state",
        "is_write_paused",
        "transport",
        "was_made",
    )

    _keep_alive: "KeepAliveTimer"
    transport: asyncio.Transport

    def __init__(
        self,
        connections: ConnectionLimiter,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        counted_by: str | None = None,
    ) -> None:
        """uvicorn passes all arguments but the first and the last.

        `counted_by` is set if the TLS handshake has counted this connection already.
        """
        if not config.loaded:
            config.load()
        self._config = config
        self._loop = _loop or asyncio.get_running_loop()
        self._state = server_state
        self._connections = connections
        self._counted_by = counted_by
        max_head_bytes = config.h11_max_incomplete_event_size or DEFAULT_MAX_HEAD_BYTES
        self._parser = RequestParser(self, max_head_bytes)
        self._pipeline = Pipeline()
        self._deadlines = ClientDeadlines()
        self._client: tuple[str, int] | None = None
        self._scheme = "http"
        self.was_made = False
        self.is_write_paused = False
        self._is_read_paused = False
        self._drain: asyncio.Future[None] | None = None

    # --- opening and closing ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.was_made = cast(asyncio.Transport, transport), True
        self._keep_alive = KeepAliveTimer(
            self._loop, self.transport, self._config.timeout_keep_alive
        )
        self._state.connections.add(self)  # type: ignore[arg-type]  # uvicorn knows only its own
        peer = transport.get_extra_info("peername")
        self._client = (str(peer[0]), int(peer[1])) if isinstance(peer, tuple) else None
        self._scheme = "http" if transport.get_extra_info("sslcontext") is None else "https"
        self._expect("head")
        if self._counted_by is not None:
            return
        self._counted_by = self._connections.bucket(self._client[0] if self._client else "")
        try:
            self._connections.register(self._counted_by)
        except ClientError as error:
            self._respond_error(error)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.unregister(self._counted_by or "")
        self._state.connections.discard(self)
        self.resume_writing()
        self._keep_alive.close()
        if self._pipeline.current is not None:
            self._pipeline.current.client_left()
        self._pipeline.close()
        self._parser.close()

    def shutdown(self) -> None:
        """uvicorn calls it when the server is about to stop."""
        if self._pipeline.is_idle:
            self.transport.close()
        elif self._pipeline.last is not None:
            self._pipeline.last.keeps_connection = False

    # --- requests ---

    def data_received(self, data: bytes) -> None:
        self._connections.requests.request_started()
        self._keep_alive.stop()
        try:
            self._parser.feed(data)
        except ClientError as error:
            if isinstance(error, HttpsOnHttpPort):
                self._connections.refused["https"] += 1
            self._reject(error)
        else:
            self._start_body_deadline()

    def head_received(self, head: RequestHead) -> None:
        exchange = HttpExchange(
            self, head.method, head.version, head.keeps_alive, head.expects_continue
        )
        scope = self._scope(exchange, head)
        if self._pipeline.add(exchange, scope):
            self._start(exchange, scope)
        else:
            self._pause_reading()

    def body_received(self, body: bytes) -> None:
        self._deadlines.body_received(len(body))
        last = self._pipeline.last
        if last is not None and not last.is_over:
            last.body += body
            if len(last.body) > MAX_UNREAD_BODY_BYTES:
                self._pause_reading()
            last.body_received()

    def request_received(self) -> None:
        self._deadlines.request_received()
        if self._pipeline.last is not None:
            self._pipeline.last.more_body = False
            self._pipeline.last.body_received()

    def _scope(self, exchange: HttpExchange, head: RequestHead) -> Scope:
        path, query, headers = target(head.url, head.headers)
        if self._connections.expects_proxies and any(name == FORWARDED_FOR for name, _ in headers):
            self._connections.warn_of_proxy(self._client[0] if self._client else "")
        text = path.decode("ascii")
        return {
            EXCHANGE: exchange,
            "type": "http",
            "asgi": _ASGI,
            "http_version": head.version,
            "method": head.method,
            "scheme": self._scheme,
            "path": unquote(text) if "%" in text else text,
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": self._client,
            "server": None,
            # uvicorn replaces `client` by what a trusted proxy says; `peer` stays.
            "peer": self._client[0] if self._client else "",
        }

    def _start(self, exchange: HttpExchange, scope: Scope) -> None:
        app = self._config.loaded_app
        self._loop.create_task(exchange.run(app, scope, self._state.tasks))

    def _pause_reading(self) -> None:
        if not self._is_read_paused:
            self._is_read_paused = True
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        if self._is_read_paused:
            self._is_read_paused = False
            self.transport.resume_reading()

    # --- responses ---

    def usual_headers(self) -> Headers:
        return self._state.default_headers

    def exchange_finished(self, exchange: HttpExchange) -> None:
        self._connections.requests.request_finished()
        self._connections.track(self)
        if self.transport.is_closing():
            return
        match self._pipeline.next():
            case None:
                self.resume_reading()
                self._keep_alive.start()
            case (exchange, scope):
                self._start(exchange, scope)
            case ClientError() as error:
                self._respond_error(error)

    def pause_writing(self) -> None:
        self._connections.track(self)
        self.is_write_paused = True

    def resume_writing(self) -> None:
        self._deadlines.response_read()
        self.is_write_paused = False
        if self._drain is not None and not self._drain.done():
            self._drain.set_result(None)

    async def drained(self) -> None:
        """Return when the client has read most of what was written, or is gone."""
        while self.is_write_paused:
            self._drain = self._loop.create_future()
            await self._drain

    # --- deadlines ---

    def _start_body_deadline(self) -> None:
        """Start a deadline if the request is incomplete; most requests arrive in one piece."""
        sending = self._deadlines.sending
        if self._parser.is_in_body:
            if sending is None or sending.what == "head":
                last = self._pipeline.last
                self._expect("body", 0 if last is None else len(last.body))
        elif sending is None and (self._parser.is_in_head or self._pipeline.is_idle):
            self._expect("head")  # also after an empty line, which may precede a request

    def _expect(self, what: str, received_bytes: int = 0) -> None:
        self._deadlines.expect(what, self._loop.time(), received_bytes)
        self._connections.track(self)

    def deadlines(self, now: float) -> list[Deadline]:
        return self._deadlines.open(self.transport, now, is_read_paused=self._is_read_paused)

    def abort(self, deadline: Deadline) -> None:
        if deadline.what == "head" and self._pipeline.is_idle:
            # A browser may open a connection in advance and never use it.
            may_answer = self._parser.head_bytes > 0
        else:
            may_answer = deadline.what == "body" and not self._pipeline.is_response_started
        if may_answer:
            self._respond_error(RequestTooSlow())
        else:
            self.transport.abort()

    # --- errors ---

    def _reject(self, error: ClientError) -> None:
        """Answer an error after the requests before it: clients match responses to requests by
        order."""
        if self._pipeline.is_reading_current():
            if self._pipeline.is_response_started:
                self.transport.abort()
            else:
                self._respond_error(error)
        elif self._pipeline.defer(error):
            self._pause_reading()
        else:
            self._respond_error(error)

    def _respond_error(self, error: ClientError) -> None:
        """Answer an error and close the connection."""
        if self.transport.is_closing():
            return
        self.transport.write(refusal(error.status, encode_error(error)))
        self.transport.close()
        self._connections.track(self)


class Pipeline:
    """The exchanges of one connection, in the order in which they must be answered.

    A client may send several requests before the first is answered (HTTP pipelining). One is
    answered at a time. An error in the bytes after them is answered last.
    """

    __slots__ = ("_error", "_waiting", "current", "last")

    def __init__(self) -> None:
        self.current: HttpExchange | None = None  # the one that is answered, or was the last
        self.last: HttpExchange | None = None  # the one that arrived last
        self._waiting: deque[tuple[HttpExchange, Scope]] | None = None
        self._error: ClientError | None = None

    @property
    def is_idle(self) -> bool:
        """Whether every request is answered."""
        return self.last is None or self.last.is_over

    @property
    def is_response_started(self) -> bool:
        """Whether bytes written now would not be taken for the response to the last request."""
        return bool(self._waiting) or (self.last is not None and self.last.has_answer_begun)

    def add(self, exchange: HttpExchange, scope: Scope) -> bool:
        """True if the exchange starts now, False if it waits. Raises ValueError if too many do."""
        if self._waiting and len(self._waiting) >= MAX_PIPELINED_REQUESTS:
            raise ValueError("too many pipelined requests")
        starts = self.is_idle
        self.last = exchange
        if starts:
            self.current = exchange
        else:
            self._waiting = self._waiting or deque()
            self._waiting.append((exchange, scope))
        return starts

    def next(self) -> tuple[HttpExchange, Scope] | ClientError | None:
        """What to answer now that an exchange is over."""
        if not self._waiting:
            return self._error
        exchange, scope = self._waiting.popleft()
        self.current = exchange
        return exchange, scope

    def is_reading_current(self) -> bool:
        """Whether the request that is being answered has not arrived completely."""
        return self._is_last_unfinished() and not self._waiting

    def defer(self, error: ClientError) -> bool:
        """Answer an error after the requests before it; False if there are none.

        The request in which it occurred is dropped.
        """
        if self._is_last_unfinished() and self._waiting:
            self._waiting.pop()
        if self.current is None or self.current.is_over:
            return False
        self._error = error
        return True

    def close(self) -> None:
        self.current = self.last = self._waiting = None

    def _is_last_unfinished(self) -> bool:
        return self.last is not None and self.last.more_body and not self.last.is_over


class KeepAliveTimer:
    """Closes a connection on which no request arrives for `seconds`.

    A request does not cancel the timer, which would cost more. When it fires, it starts again for
    the remaining time.
    """

    __slots__ = ("_idle_since", "_loop", "_seconds", "_timer", "_transport")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, seconds: float
    ) -> None:
        self._loop = loop
        self._transport = transport
        self._seconds = seconds
        self._idle_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._idle_since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        self._idle_since = None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _check(self) -> None:
        self._timer = None
        if self._idle_since is None or self._transport.is_closing():
            return
        remaining = self._idle_since + self._seconds - self._loop.time()
        if remaining > 0:
            self._timer = self._loop.call_later(remaining, self._check)
        else:
            self._transport.close()
