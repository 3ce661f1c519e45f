"""`/mcp`: one POST is one JSON-RPC request, answered with one JSON object. Clients of revision
2025-03-26 may also send several as a batch.

There are no sessions, so any server can answer any request, and a client that was interrupted only
repeats its call.
"""

import ipaddress
import time
from collections.abc import Awaitable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tertulia import api
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call, Services
from tertulia.config import Rate
from tertulia.errors import ClientError, outcome
from tertulia.errors.authentication import CrossSiteRequest
from tertulia.errors.http import RateLimited
from tertulia.http import dispatch
from tertulia.http.dispatch import Observe, RequestLog
from tertulia.http.ratelimit import Limiter
from tertulia.http.replies import encode_error
from tertulia.http.request import ApiRequest, Disconnected
from tertulia.mcp import json_rpc, rpc_methods
from tertulia.mcp.json_rpc import ProtocolError
from tertulia.mcp.oauth import OauthPages

PATH = "/mcp"
MAX_BODY_BYTES = 2 << 20
AGENT_RATE = Rate(120, 60)  # requests of one agent, besides the limit of its user
JSON = "application/json"


class RpcResponse(NamedTuple):
    """The answer to one JSON-RPC request; without a body to a notification."""

    status: int
    body: bytes = b""


class AgentEndpoint:
    def __init__(self, services: Services, auth: Authenticator, observe: Observe) -> None:
        self._services = services
        self._auth = auth
        self._oauth = Starlette(routes=OauthPages(auth).routes())
        self._observe = observe
        self._limiter = (
            None if services.config.rate_limit is None else Limiter(AGENT_RATE, services.clock)
        )

    async def answer(self, request: ApiRequest, scope: Scope, receive: Receive, send: Send) -> None:
        if request.path != PATH:
            await self._oauth(scope, receive, send)
            return
        started = time.perf_counter()
        method = request.method
        response = await self._respond(request)
        await response(scope or _SCOPE, receive, send)
        seconds = time.perf_counter() - started
        self._observe(method, PATH, response.status_code, seconds)

    async def _respond(self, request: ApiRequest) -> Response:
        try:
            if request.method != "POST":
                return Response(status_code=405, headers={"Allow": "POST"})
            _check_origin(self._services, request)
            request.keep_body()
            request.check_size(MAX_BODY_BYTES)
            call = await self._auth.authenticate_agent(request)
            self._limit(call)
            await request.read_rest(MAX_BODY_BYTES)
            return await self._handle(call, bytes(request.body))
        except ClientError as error:
            return self._refusal(request, outcome.checked(error))

    def _refusal(self, request: ApiRequest, error: ClientError) -> Response:
        headers = dict(error.reply_headers())
        if error.status == 401:
            site = call_site(self._services, request)
            found = f'resource_metadata="{site}/.well-known/oauth-protected-resource{PATH}"'
            if request.header("authorization") is not None:
                found = f'error="invalid_token", {found}'
            headers["WWW-Authenticate"] = f"Bearer {found}"
        return Response(encode_error(error), error.status, headers, media_type=JSON)

    def _limit(self, call: Call) -> None:
        if self._limiter is None:
            return
        grant = call.user.grant
        decision = self._limiter.check(("bot", call.user.id) if grant is None else grant.id)
        if not decision.is_allowed:
            raise RateLimited(retry_after=decision.retry_after)

    async def _handle(self, call: Call, body: bytes) -> Response:
        try:
            found = json_rpc.decode(body)
            batch = json_rpc.batch(found, call.request.headers)
        except ProtocolError as problem:
            return Response(json_rpc.error(None, problem), 400, media_type=JSON)
        if batch is None:
            answer = await self._answer(call, found)
        else:
            for _ in batch[1:]:
                self._limit(call)
            answers = [await self._answer(call, each) for each in batch]
            bodies = [each.body for each in answers if each.body]
            answer = RpcResponse(200, b"[%b]" % b",".join(bodies)) if bodies else RpcResponse(202)
        if not answer.body:
            return Response(status_code=answer.status)
        return Response(answer.body, answer.status, media_type=JSON)

    async def _answer(self, call: Call, found: Any) -> RpcResponse:
        started = time.perf_counter()
        request_id: int | str | None = None
        version = ""
        try:
            rpc_request = json_rpc.request(found)
            if rpc_request.is_notification:
                json_rpc.checked_version(rpc_request, call.request.headers)
                return RpcResponse(202)
            assert isinstance(rpc_request.id, int | str)
            request_id = rpc_request.id
            version = json_rpc.checked_version(rpc_request, call.request.headers)
            run = rpc_methods.answer(call, rpc_request, version)
            result = await _finished(call, run, can_wait=rpc_methods.may_wait(rpc_request))
            return RpcResponse(200, json_rpc.result(request_id, result))
        except ProtocolError as problem:
            is_latest = version in ("", json_rpc.LATEST_VERSION)
            status = json_rpc.STATUS.get(problem.code, 200) if is_latest else 200
            return RpcResponse(status, json_rpc.error(request_id, problem))
        except (ClientError, Disconnected):
            raise
        except Exception as error:
            failed = dispatch.log_failure(error, RequestLog(call.request.method, started))
            ours = ProtocolError(json_rpc.INTERNAL_ERROR, f"Internal error, request {failed}")
            return RpcResponse(200, json_rpc.error(request_id, ours))


_SCOPE: Scope = {"type": "http"}


async def _finished(call: Call, run: Awaitable[dict[str, Any]], *, can_wait: bool) -> Any:
    """The result; a call that waits is cancelled when its client disconnects."""
    if not can_wait:
        return await run
    call.request.free_headers()
    return await dispatch.cancel_on_disconnect(run, call.request)


def call_site(services: Services, request: ApiRequest) -> str:
    org = api.call.cached_organization(services, request.host)
    return api.call.site(services.config, request, org)


def _check_origin(services: Services, request: ApiRequest) -> None:
    """Only a browser sends an origin; pages of other sites have no business here.

    An attacker can let the name of their page lead to this server (DNS rebinding), and then Host
    and origin agree. So they prove nothing unless `external_url` or an address names this server.
    """
    origin = request.header("origin")
    if origin is None:
        return
    is_ours = origin == call_site(services, request)
    if not is_ours or not (services.config.external_url or _is_address(urlsplit(origin).hostname)):
        raise CrossSiteRequest()


def _is_address(host: str | None) -> bool:
    """Whether a host needs no DNS that somebody else controls."""
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return host is not None
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
