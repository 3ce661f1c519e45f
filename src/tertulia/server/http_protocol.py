"""Speaking HTTP/1.1: one connection, from its first byte to its last.

Here HTTP itself is refused: a head without end, two hosts in one request, bytes that are no HTTP
at all, one connection too many, and a client that never comes to the end. Ours and not uvicorn's,
because a thousand parked polls are a thousand connections, and most of what each would hold, and of
what an answer would cost, serves purposes that we do not have. uvicorn runs it.
"""

import asyncio
from collections import deque
from typing import Any, cast
from urllib.parse import unquote

import httptools
import uvicorn
from uvicorn.server import ServerState

from tertulia.database.yielding import REQUESTS
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.http import HeadersTooLarge, RequestTooSlow
from tertulia.http import header_checks
from tertulia.http.exchange import ROUND, Headers, HttpExchange, Scope, refusal
from tertulia.http.replies import encode_error
from tertulia.server.connection_limits import ConnectionLimiter, Wait

TLS_HELLO = b"\x16\x03"  # how https begins
MAX_PIPELINED_REQUESTS = 32  # that one asks for before the first is answered
MAX_UNREAD_BODY_BYTES = 1 << 16  # of a body; then we read on when somebody takes it

_ASGI = {"version": "3.0", "spec_version": "2.3"}


class HttpConnection(asyncio.Protocol):
    """With bounds on size and time, and with refusals in JSON.

    The bound of a head is the setting of uvicorn that is named after its other parser.
    """

    __slots__ = (
        "_app",
        "_asking",
        "_body_bytes",
        "_client",
        "_connections",
        "_counted_by",
        "_drain",
        "_expects_continue",
        "_fed_bytes",
        "_head_bytes",
        "_headers",
        "_is_in_head",
        "_is_read_paused",
        "_keep_alive_seconds",
        "_last_round",
        "_later_rounds",
        "_loop",
        "_most_head_bytes",
        "_most_unread",
        "_parser",
        "_reading",
        "_refusal",
        "_rest_timer",
        "_rests_since",
        "_round",
        "_scheme",
        "_state",
        "_url",
        "is_write_paused",
        "transport",
        "was_made",
    )

    def __init__(
        self,
        connections: ConnectionLimiter,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        counted_by: str | None = None,
    ) -> None:
        """As uvicorn makes one; it is for us to load its settings. Whoever has spoken TLS on it
        has counted it."""
        if not config.loaded:
            config.load()
        self._app: Any = config.loaded_app
        self._keep_alive_seconds = config.timeout_keep_alive
        self._most_head_bytes = config.h11_max_incomplete_event_size or 65536
        self._loop = _loop or asyncio.get_running_loop()
        self._state = server_state
        self._connections = connections
        self._counted_by = counted_by
        self._parser: Any = httptools.HttpRequestParser(self)
        # Whoever asks twice at once and wants to go after the first answer gets that answer.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)

        self._client: tuple[str, int] | None = None
        self._scheme = "http"
        self.was_made = False
        self.is_write_paused = False
        self._is_read_paused = False
        self._drain: asyncio.Future[None] | None = None
        self._rests_since: float | None = None  # nobody has asked for anything
        self._rest_timer: asyncio.TimerHandle | None = None

        # Of the request that is arriving.
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._expects_continue = False
        self._head_bytes = 0  # and whatever else is no body
        self._body_bytes = 0
        self._fed_bytes = 0  # of the body, by what has come last
        self._is_in_head = True

        self._round: HttpExchange | None = None  # that is being answered, or was
        self._last_round: HttpExchange | None = None  # to have arrived
        self._later_rounds: deque[tuple[HttpExchange, Scope]] | None = (
            None  # that arrived before their time
        )
        self._refusal: ClientError | None = None  # to be told when its turn comes
        self._asking: Wait | None = None  # for a head or a body that has begun
        self._reading: Wait | None = None  # for an answer to be read
        self._most_unread = 0  # bytes of it

    # --- coming and going ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.was_made = cast(asyncio.Transport, transport), True
        self._state.connections.add(self)  # type: ignore[arg-type]  # uvicorn knows only its own
        peer = transport.get_extra_info("peername")
        self._client = (str(peer[0]), int(peer[1])) if isinstance(peer, tuple) else None
        self._scheme = "http" if transport.get_extra_info("sslcontext") is None else "https"
        self._expect("head")
        if self._counted_by is not None:
            return
        self._counted_by = self._connections.counted(self._client[0] if self._client else "")
        try:
            self._connections.enter(self._counted_by)
        except ClientError as refusal:
            self._refuse(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.leave(self._counted_by or "")
        self._state.connections.discard(self)
        self.resume_writing()
        if self._rest_timer is not None:
            self._rest_timer.cancel()
        if self._round is not None:
            self._round.client_left()
        self._round = self._last_round = self._later_rounds = self._parser = None

    def shutdown(self) -> None:
        """The server is about to end."""
        if self._is_idle():
            self.transport.close()
        elif self._last_round is not None:
            self._last_round.keeps_connection = False

    def _is_idle(self) -> bool:
        """Whether nobody waits for an answer of ours."""
        return self._last_round is None or self._last_round.is_over

    def _rest(self) -> None:
        """Nothing is asked for; whoever stays away for too long is let go. The timer of an earlier
        rest will do: most requests come long before it rings."""
        self._rests_since = self._loop.time()
        if self._rest_timer is None:
            self._rest_timer = self._loop.call_later(
                self._keep_alive_seconds, self._check_keepalive
            )

    def _check_keepalive(self) -> None:
        self._rest_timer = None
        if self._rests_since is None or self.transport.is_closing():
            return
        left = self._rests_since + self._keep_alive_seconds - self._loop.time()
        if left > 0:
            self._rest_timer = self._loop.call_later(left, self._check_keepalive)
        else:
            self.transport.close()

    # --- what comes in ---

    def data_received(self, data: bytes) -> None:
        REQUESTS.come()
        if self._head_bytes == 0 and self._is_in_head and data.startswith(TLS_HELLO):
            self._refuse(
                BadRequest(
                    "This port speaks http, not https: write http://, or have a proxy speak https."
                )
            )
            return
        self._rests_since = None
        self._fed_bytes = 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # a client may ask for WebSockets; it is answered in plain HTTP
        except httptools.HttpParserError:
            self._queue_error(BadRequest("Invalid HTTP request received."))
            return
        if self._is_in_head or (self._last_round is not None and self._last_round.more_body):
            self._head_bytes += len(data) - self._fed_bytes
            if self._head_bytes > self._most_head_bytes + self._body_bytes:
                self._queue_error(HeadersTooLarge())
        self._look_what_is_missing()

    def _look_what_is_missing(self) -> None:
        """Most requests come in one piece, and nothing is."""
        current = self._last_round
        if current is not None and current.more_body and not self._is_in_head:
            if self._asking is None or self._asking.what == "head":
                self._expect("body").moved_bytes = len(current.body)
        elif self._asking is None and (self._is_in_head or self._is_idle()):
            self._expect("head")  # an empty line is none, but may be followed by one

    def _expect(self, what: str) -> Wait:
        self._asking = Wait(what, self._loop.time())
        self._connections.watch(self)
        return self._asking

    def on_message_begin(self) -> None:
        self._is_in_head, self._head_bytes, self._body_bytes = True, 0, 0
        self._url, self._headers, self._expects_continue = b"", [], False

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_in_head:
            return  # what comes after a body is of no use to us
        name = name.lower()
        self._headers.append((name, value))
        if name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        version: str = self._parser.get_http_version()
        upgrades: bool = self._parser.should_upgrade()
        # Raised within the parser, it makes the request as bad as if it were no HTTP.
        header_checks.check(version, self._headers, upgrades=upgrades)
        if self._later_rounds and len(self._later_rounds) >= MAX_PIPELINED_REQUESTS:
            raise ValueError("too much at once")
        method: str = self._parser.get_method().decode("ascii")
        keeps = version == "1.1" and not upgrades and self._parser.should_keep_alive()
        current = HttpExchange(self, method, version, keeps, self._expects_continue)
        scope = self._scope(current, method, version)
        is_idle = self._is_idle()
        self._last_round = current
        if is_idle:
            self._begin(current, scope)
        else:
            self._pause_reading()
            self._later_rounds = self._later_rounds or deque()
            self._later_rounds.append((current, scope))

    def _scope(self, current: HttpExchange, method: str, version: str) -> Scope:
        path, query, headers = header_checks.target(self._url, self._headers)
        text = path.decode("ascii")
        return {
            ROUND: current,
            "type": "http",
            "asgi": _ASGI,
            "http_version": version,
            "method": method,
            "scheme": self._scheme,
            "path": unquote(text) if "%" in text else text,
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": self._client,
            "server": None,
            # A proxy's word may take the client's place; who is at the other end stays known.
            "peer": self._client[0] if self._client else "",
        }

    def on_body(self, body: bytes) -> None:
        self._fed_bytes += len(body)
        self._body_bytes += len(body)
        if self._asking is not None:
            self._asking.moved_bytes += len(body)
        current = self._last_round
        if current is not None and not current.is_over:
            current.body += body
            if len(current.body) > MAX_UNREAD_BODY_BYTES:
                self._pause_reading()
            current.arrived()

    def on_message_complete(self) -> None:
        self._asking = None
        if self._last_round is not None:
            self._last_round.more_body = False
            self._last_round.arrived()

    def _begin(self, current: HttpExchange, scope: Scope) -> None:
        self._round = current
        self._loop.create_task(current.run(self._app, scope, self._state.tasks))

    def _pause_reading(self) -> None:
        if not self._is_read_paused:
            self._is_read_paused = True
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        if self._is_read_paused:
            self._is_read_paused = False
            self.transport.resume_reading()

    # --- what goes out ---

    def usual_headers(self) -> Headers:
        """The date."""
        return self._state.default_headers

    def round_is_over(self, current: HttpExchange) -> None:
        REQUESTS.go()
        self._connections.watch(self)
        if self.transport.is_closing():
            return
        if self._later_rounds:
            self._begin(*self._later_rounds.popleft())
        elif self._refusal is not None:
            self._refuse(self._refusal)
        else:
            self.resume_reading()
            self._rest()

    def pause_writing(self) -> None:
        self._connections.watch(self)
        self.is_write_paused = True

    def resume_writing(self) -> None:
        self._reading = None  # for a while it went well
        self.is_write_paused = False
        if self._drain is not None and not self._drain.done():
            self._drain.set_result(None)

    async def drained(self) -> None:
        """When the client has taken most of what was written, or has gone."""
        while self.is_write_paused:
            self._drain = self._loop.create_future()
            await self._drain

    # --- who takes too long ---

    def waits(self, now: float) -> list[Wait]:
        """What the client owes us at this moment."""
        if self.transport.is_closing():
            self._asking = None
        elif self._asking is not None and self._is_read_paused:
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

    def abort(self, wait: Wait) -> None:
        if wait.what == "head" and self._is_idle():
            may_tell = self._head_bytes > 0  # a browser may connect ahead and never ask
        else:
            current = self._last_round
            begun = self._later_rounds or (current is not None and current.has_answer_begun)
            may_tell = wait.what == "body" and not begun
        if may_tell:
            self._refuse(RequestTooSlow())
        else:
            self.transport.abort()

    def _queue_error(self, error: ClientError) -> None:
        """What came before is answered first, or its answer would be taken for another."""
        last = self._last_round
        if last is not None and last.more_body and not last.is_over:
            if not self._later_rounds:
                self._refuse(error) if not last.has_answer_begun else self.transport.abort()
                return
            self._later_rounds.pop()
        if self._round is None or self._round.is_over:
            self._refuse(error)
        else:
            self._pause_reading()
            self._refusal = error

    def _refuse(self, error: ClientError) -> None:
        if self.transport.is_closing():
            return
        self.transport.write(refusal(error.status, encode_error(error)))
        self.transport.close()
        self._connections.watch(self)
