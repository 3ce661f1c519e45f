"""The ASGI application for `/api/v1`: parses a request, calls its endpoint, sends JSON.

The order is part of the API: path and method, then `authenticate`, then the role check, then the
parameters, then the endpoint. All errors are converted to responses here. Logs contain the route's
template, never what was sent. Written directly on ASGI, because frameworks answer some
errors themselves, with other texts and in another order, and are slower.
"""

import asyncio
import secrets
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from email.utils import formatdate
from typing import Any

import msgspec

from tertulia.config import Config
from tertulia.errors import ClientError, outcome
from tertulia.errors.http import InternalError, RateLimited, ServerStopping
from tertulia.http import compression
from tertulia.http.exchange import BLOCK_BYTES, Pieces, Receive, Scope, Send, head_of
from tertulia.http.forms import QUICK_BYTES, Files, Incoming, decoded
from tertulia.http.memory_quota import MemoryQuota
from tertulia.http.replies import RedirectReply, encode, encode_error
from tertulia.http.request import (
    ANONYMOUS_BODY_BYTES,
    EARLY_BODY_BYTES,
    ApiRequest,
    Disconnected,
)
from tertulia.http.routing import Route, RouteNode, Router, path_arguments
from tertulia.log import log
from tertulia.memo import memoized

Authenticate = Callable[[ApiRequest, Route], Awaitable[Any]]
Precheck = Callable[[ApiRequest], int]
Observe = Callable[[str, str, int, float], None]
Refused = Callable[[Any, Route, ClientError], Awaitable[None]]
Refresh = Callable[[], Awaitable[bool]]

NO_ROUTE = "-"


class RequestLog(msgspec.Struct):
    """What is known about a request while it is served."""

    method: str
    started: float
    found: Route | None = None
    request: ApiRequest | None = None

    @property
    def route(self) -> str:
        """The route's template."""
        return NO_ROUTE if self.found is None else self.found.path

    def facts(self) -> dict[str, Any]:
        """The fields of every log line about the request. They contain no text from the client."""
        request, route = self.request, self.found
        counted_for = None if request is None else request.counted_for
        return {
            "method": self.method,
            "path": NO_ROUTE if not (request and route) else route.shown(request.path),
            "address": "" if request is None else request.client_address,
            "user_id": counted_for if isinstance(counted_for, int) else None,
            "duration_ms": self.milliseconds(),
        }

    def milliseconds(self) -> float:
        return round((time.perf_counter() - self.started) * 1000, 1)


class Response(msgspec.Struct, frozen=True):
    status: int
    body: bytes | Pieces = b""
    headers: dict[str, str] = {}


class Api:
    """`authenticate` converts a request to the `call` of the endpoints, or raises a ClientError. It
    may add to `request.reply_headers`, which are sent with every response.

    `precheck` runs before a large body is read: it raises if the client has called too often, and
    returns how much may be read before the caller is known. `precheck` and `authenticate` set
    `request.counted_for`.

    `absent` returns the error for an unknown path, by its prefix. `observe` gets the method,
    template, status and seconds of every response. `refused` gets every call that was admitted and
    then failed.

    Before a call fails because something does not exist, `refresh_before_404` reads the events of
    other servers; if there are any, the call is tried once more. Pages of other sites may call the
    API, except where a cookie authenticates.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        authenticate: Authenticate,
        config: Config,
        *,
        prefix: str = "/api/v1",
        for_browsers: bool = False,
        precheck: Precheck = lambda request: EARLY_BODY_BYTES,
        absent: Mapping[str, ClientError] | None = None,
        observe: Observe | None = None,
        refused: Refused | None = None,
        refresh: Refresh | None = None,
    ) -> None:
        self._router = Router(routes, prefix, absent)
        self._authenticate = authenticate
        self._precheck = precheck
        self._memory = MemoryQuota()
        self._max_body_bytes = config.max_body_bytes
        self._max_header_bytes = config.max_header_bytes
        self._observe = observe
        self._refused = refused
        self._refresh_before_404 = refresh
        self._always = _ALWAYS if for_browsers else [*_ALWAYS, *_ANY_PAGE_MAY_CALL]
        self._server_headers = [
            (name.encode(), value.encode()) for name, value in config.response_headers
        ]
        self._head_of_second = (0, b"")

    def is_unprefixed_endpoint(self, path: str) -> bool:
        """Whether a path outside of the API is that of an endpoint without the prefix."""
        return self._router.intended_path(path) is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = RequestLog(scope["method"], time.perf_counter())
        try:
            exchange.request = ApiRequest(scope, receive, self._max_header_bytes)
            answer = await self._dispatch(exchange.request, exchange)
        except Disconnected:
            return
        except ClientError as error:
            answer = _refusal(outcome.checked(error), exchange)
            _drop_traceback(error)
        except asyncio.CancelledError:  # the server is stopping and has waited long enough
            answer = _refusal(outcome.checked(ServerStopping()), exchange)
        except Exception as error:
            answer = _failure(error, exchange)
            _drop_traceback(error)
        answer = await self._respond(send, answer, exchange)
        if self._observe is not None:
            seconds = time.perf_counter() - exchange.started
            self._observe(exchange.method, exchange.route, answer.status, seconds)

    async def _dispatch(self, request: ApiRequest, exchange: RequestLog) -> Response:
        node, texts = self._router.find(request.path)
        if request.method == "OPTIONS":
            return Response(204, headers={"Allow": ", ".join(sorted(node.methods()))})
        if node.keeps_body:
            request.keep_body()
        if request.is_small:
            return await self._call(request, exchange, node, texts, QUICK_BYTES)
        early = self._precheck(request)
        held = early if request.is_open_ended else request.announced_bytes()
        if node.streams_files:
            held = min(held, early)  # the rest is forwarded while it arrives
        with self._memory.reserve(request.person, held):
            return await self._call(request, exchange, node, texts, early)

    async def _call(
        self,
        request: ApiRequest,
        exchange: RequestLog,
        node: RouteNode,
        texts: list[str],
        early: int,
    ) -> Response:
        await request.read_early(early)
        route = node.route(request.method)
        exchange.found = route
        limit = self._max_body_bytes if route.max_body is None else route.max_body
        streams = route.contract.streams_files  # then the endpoint enforces the limit
        if not streams:
            request.check_size(limit)

        call = await self._authenticate(request, route)
        if request.is_anonymous and not streams:
            limit = min(limit, ANONYMOUS_BODY_BYTES)
            request.check_size(limit)
        try:
            answer = await self._call_with_retry(request, route, texts, call, limit)
        except ClientError as error:
            if self._refused is not None:
                await self._refused(call, route, error)
            raise
        if route.records(request.params):
            log.info("http.request_done", **exchange.facts())
        return answer

    async def _call_with_retry(
        self, request: ApiRequest, route: Route, texts: list[str], call: Any, limit: int
    ) -> Response:
        """Call the endpoint; retry once after a refusal that may be outdated. A refused call wrote
        nothing."""
        try:
            return await self._invoke(request, route, texts, call, limit)
        except ClientError as error:
            if route.contract.streams_files or not error.reports_absence:
                raise
            if self._refresh_before_404 is None or not await self._refresh_before_404():
                raise
            _drop_traceback(error)
        return await self._invoke(request, route, texts, call, limit)

    async def _invoke(
        self, request: ApiRequest, route: Route, texts: list[str], call: Any, limit: int
    ) -> Response:
        if route.requires is not None:
            route.requires(call)
        contract = route.contract
        if contract.body_argument is None:
            request.check_content_type()
        if not contract.streams_files:
            await request.read_rest(limit)
        files = Incoming(request.incoming()) if contract.streams_files else Files(request.files)
        arguments = await decoded(
            request.person, request.size, contract.parse, request.params, files, request.body
        )
        if texts:
            arguments |= path_arguments(route, texts)
        run = route.endpoint(call, **arguments)
        if route.long_poll:
            request.free_headers()
            run = cancel_on_disconnect(run, request)
        reply = await run
        unsupported = contract.unsupported(request.params)
        body = encode(reply, unsupported, for_zulip_client=request.is_zulip_client)
        if isinstance(reply, RedirectReply):
            return Response(302, body, {"Location": reply.url})
        return Response(200, body)

    async def _respond(self, send: Send, answer: Response, exchange: RequestLog) -> Response:
        """Send a response, or 429 if the caller has too many unread responses."""
        request = exchange.request
        if request is None or len(answer.body) < compression.MIN_BYTES:
            await self._send(send, answer, exchange)
            return answer
        try:
            with self._memory_reserved(answer, request):
                sent = await _compressed(answer, request)
            with self._memory_reserved(sent, request):
                await self._send(send, sent, exchange)
        except RateLimited as error:
            answer = _refusal(error, exchange)
            await self._send(send, answer, exchange)
        return answer

    def _memory_reserved(
        self, answer: Response, request: ApiRequest
    ) -> AbstractContextManager[None]:
        if len(answer.body) <= BLOCK_BYTES:
            return nullcontext()
        return self._memory.reserve(request.person, len(answer.body))

    async def _send(self, send: Send, answer: Response, exchange: RequestLog) -> None:
        request = exchange.request
        body = b"" if exchange.method == "HEAD" else answer.body
        if request is not None and request.exchange is not None:
            await request.exchange.reply(self._head(answer, request.reply_headers), body)
            return
        headers = self._headers(answer, {} if request is None else request.reply_headers)
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": bytes(body)})

    def _head(self, answer: Response, reply_headers: dict[str, str]) -> bytes:
        """Cached: within a second nearly all heads differ only in the length."""
        if reply_headers or answer.headers or answer.status != 200:
            date = (b"date", _http_date(int(time.time())))
            headers = [date, *self._server_headers, *self._headers(answer, reply_headers)]
            return head_of(answer.status, headers)
        return b"%bcontent-length: %d\r\n" % (self._usual_head(), len(answer.body))

    def _usual_head(self) -> bytes:
        """The head of most answers, without their length. All within a second are the same."""
        now = int(time.time())
        second, head = self._head_of_second
        if second != now:
            date = _http_date(now)
            first = [(b"date", date), *self._server_headers, *self._always]
            dated = [*first, _CACHE_CONTROL, (b"expires", date)]
            head = head_of(200, [*dated, (b"content-type", b"application/json")])
            self._head_of_second = now, head
        return head

    def _headers(
        self, answer: Response, reply_headers: dict[str, str]
    ) -> list[tuple[bytes, bytes]]:
        own = reply_headers | answer.headers
        headers = [*self._always]
        for name, value in own.items():
            headers.append((name.lower().encode(), value.encode("latin-1")))
        if "Cache-Control" not in own:
            headers += (_CACHE_CONTROL, (b"expires", _http_date(int(time.time()))))
        if answer.status != 204:
            headers.append((b"content-type", b"application/json"))
            headers.append((b"content-length", str(len(answer.body)).encode()))
        return headers


async def _compressed(answer: Response, request: ApiRequest) -> Response:
    if not compression.is_accepted(request.header("accept-encoding"), len(answer.body)):
        return answer
    try:
        body = await compression.compressed(request.person, bytes(answer.body))
    except RateLimited:  # the request is done, so the response is sent uncompressed
        return answer
    return Response(answer.status, body, {**answer.headers, "Content-Encoding": "gzip"})


async def cancel_on_disconnect(run: Awaitable[Any], request: ApiRequest) -> Any:
    """Await slow work, and cancel it when the client disconnects. Raises Disconnected."""
    waiting = asyncio.current_task()
    assert waiting is not None
    is_disconnected = False

    def cancel() -> None:
        nonlocal is_disconnected
        is_disconnected = True
        waiting.cancel()

    request.on_disconnect(cancel)
    try:
        return await run
    except asyncio.CancelledError:
        if is_disconnected and waiting.uncancel() == 0:
            raise Disconnected from None
        raise
    finally:
        request.on_disconnect(None)


# --- Errors ---------------------------------------------------------------------------------------


def _refusal(error: ClientError, exchange: RequestLog) -> Response:
    facts = {"status": error.status, "code": error.code, **exchange.facts()}
    if error.status < 500:
        log.info("http.request_refused", **facts)
    else:
        log.warning("http.request_unavailable", **facts)
    return Response(error.status, encode_error(error), error.reply_headers())


def _failure(error: Exception, exchange: RequestLog) -> Response:
    """An unexpected exception."""
    ours = InternalError()
    headers = {"X-Request-Id": log_failure(error, exchange)}
    return Response(ours.status, encode_error(ours), headers)


def log_failure(error: Exception, exchange: RequestLog) -> str:
    """Log an unexpected exception and return the id of the request. The text of the exception may
    quote the request, so only its type and trace are logged."""
    request_id = secrets.token_hex(8)
    log.error(
        "http.request_failed",
        request_id=request_id,
        error=f"{type(error).__module__}.{type(error).__qualname__}",
        trace=[
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__, limit=-10)
        ],
        **exchange.facts(),
    )
    return request_id


# --- Bytes ----------------------------------------------------------------------------------------

_ALWAYS = [
    (b"content-language", b"en"),
    (b"vary", b"Accept-Language"),
]
_ANY_PAGE_MAY_CALL = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key"),
    (b"access-control-allow-methods", b"GET, POST, DELETE, PUT, PATCH, HEAD"),
]
_CACHE_CONTROL = (b"cache-control", b"max-age=0, no-cache, no-store, must-revalidate, private")


@memoized("http_date", 1)
def _http_date(seconds: int) -> bytes:
    return formatdate(seconds, usegmt=True).encode()


def _drop_traceback(error: BaseException) -> None:
    """Drop the traceback: it refers to frames that refer to the error, and this cycle would keep
    the request's data until the garbage collector runs."""
    error.__traceback__ = None
    before, error.__context__ = error.__context__, None
    if before is not None:
        _drop_traceback(before)
