"""OAuth 2.1 for agents: metadata, registration of programs, the consent page, tokens.

Programs are public clients, so PKCE proves that the program that exchanges a code has asked for it.
The consent page is a form of ours; the address to which it leads back is one that the program has
registered.
"""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api, domain, storage
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call
from tertulia.domain.organization.audit import Act
from tertulia.domain.people.agents import MAX_REDIRECT_URIS, Client
from tertulia.errors import BadRequest, ClientError
from tertulia.external import client_documents
from tertulia.http.ratelimit import address_bucket
from tertulia.http.request import ApiRequest
from tertulia.mcp import consent
from tertulia.web import account_pages, page_texts
from tertulia.web.account_pages import AccountPages

PATH = "/mcp"
MAX_BODY_BYTES = 1 << 14
JSON = "application/json"
SCOPES = ("read", "write", "direct_messages", "people")
ANY_SITE = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}

JsonEndpoint = Callable[[Call], Awaitable[tuple[int, dict[str, Any]]]]


class OauthError(Exception):
    """An error of OAuth, by its code there."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.code, self.description = code, description


class ClientRegistration(msgspec.Struct):
    redirect_uris: list[str]
    client_name: str = ""


class AuthorizationRequest(msgspec.Struct, frozen=True):
    """What a program asks for on the consent page."""

    client: Client
    redirect_uri: str
    challenge: str
    state: str
    scope: str

    def back(self, site: str, **result: str) -> str:
        """Where the browser goes in the end."""
        state = {"state": self.state} if self.state else {}
        query = urlencode({**result, **state, "iss": site})
        return f"{self.redirect_uri}{'&' if '?' in self.redirect_uri else '?'}{query}"


class OauthPages:
    def __init__(self, auth: Authenticator) -> None:
        self._auth = auth

    def routes(self) -> list[Route]:
        pages = AccountPages(self._auth)
        metadata = "/.well-known/oauth-protected-resource"
        return [
            self._json(metadata, "GET", protected_resource),
            self._json(f"{metadata}{PATH}", "GET", protected_resource),
            self._json("/.well-known/oauth-authorization-server", "GET", authorization_server),
            self._json("/oauth/register", "POST", register),
            self._json("/oauth/token", "POST", token),
            self._json("/oauth/revoke", "POST", revoke),
            pages.route(consent.PATH, show_consent, decide, max_bytes=1 << 16),
            pages.route("/oauth/agents", explain_agents, None),
        ]

    def _json(self, path: str, method: str, endpoint: JsonEndpoint) -> Route:
        """An endpoint for programs, which have no cookie."""

        async def answer(request: Request) -> Response:
            asked = ApiRequest(request.scope, request.receive)
            try:
                asked.keep_body()
                asked.check_size(MAX_BODY_BYTES)
                await asked.read_early(MAX_BODY_BYTES)
                await asked.read_rest(MAX_BODY_BYTES)
                call = await self._auth.anonymous_page(asked, from_anywhere=True)
                status, found = await endpoint(call)
            except OauthError as error:
                found = {"error": error.code, "error_description": error.description}
                status = 400
            except ClientError as error:
                found = {"error": "invalid_request", "error_description": error.msg}
                status = error.status
            return Response(msgspec.json.encode(found), status, ANY_SITE, media_type=JSON)

        return Route(path, answer, methods=[method])


# --- metadata ---


async def protected_resource(call: Call) -> tuple[int, dict[str, Any]]:
    return 200, {
        "resource": f"{call.site}{PATH}",
        "resource_name": call.org.realm.name,
        "authorization_servers": [call.site],
        "bearer_methods_supported": ["header"],
        "scopes_supported": SCOPES,
    }


async def authorization_server(call: Call) -> tuple[int, dict[str, Any]]:
    site = call.site
    return 200, {
        "issuer": site,
        "authorization_endpoint": f"{site}{consent.PATH}",
        "token_endpoint": f"{site}/oauth/token",
        "registration_endpoint": f"{site}/oauth/register",
        "revocation_endpoint": f"{site}/oauth/revoke",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "scopes_supported": SCOPES,
    }


# --- registration ---


async def register(call: Call) -> tuple[int, dict[str, Any]]:
    """Register a program (RFC 7591). Anyone may; a registration alone gives access to nothing."""
    try:
        registration = msgspec.json.decode(call.request.body, type=ClientRegistration)
    except msgspec.MsgspecError:
        raise OauthError("invalid_client_metadata", "Send redirect_uris as JSON.") from None
    uris = registration.redirect_uris
    if not 0 < len(uris) <= MAX_REDIRECT_URIS:
        raise OauthError("invalid_redirect_uri", f"Give 1 to {MAX_REDIRECT_URIS} redirect_uris.")
    if not all(map(domain.people.agents.is_allowed_redirect, uris)):
        raise OauthError(
            "invalid_redirect_uri", "Use HTTPS, a loopback address or an app's scheme."
        )
    name = domain.people.agents.shown_name(registration.client_name)
    network = address_bucket(call.request.client_address)
    client = await call.db.write(actions.people.agents.register, name, uris, network)
    return 201, {
        "client_id": client.id,
        "client_id_issued_at": int(client.created_at),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


# --- consent ---


async def show_consent(call: Call) -> Response:
    if call.caller is None:
        query = call.request.raw_query.decode("latin-1")
        return account_pages.redirect(f"/login/?{urlencode({'next': f'{consent.PATH}?{query}'})}")
    try:
        asked = await _asked(call)
    except _Refused as refused:
        return RedirectResponse(refused.where, 303)
    return await consent.page(call, asked.client, asked.redirect_uri, asked.scope, _carried(call))


async def decide(call: Call) -> Response:
    user = call.user
    try:
        asked = await _asked(call)
    except _Refused as refused:
        return RedirectResponse(refused.where, 303)
    if "allow" not in call.request.params:
        refusal = {"error": "access_denied", "error_description": "The user did not allow it."}
        return RedirectResponse(asked.back(call.site, **refusal), 303)
    registration = consent.decision(call)
    if not registration.channels and not registration.direct_messages and not registration.presence:
        return await consent.page(
            call, asked.client, asked.redirect_uri, asked.scope, _carried(call), is_empty=True
        )
    address = call.request.client_address
    api.audit.record_action(
        call, Act("agent allow", user.id, address, consent.details(registration))
    )
    code = await call.db.write(
        actions.people.agents.allow,
        user,
        asked.client,
        registration,
        asked.redirect_uri,
        asked.challenge,
    )
    return RedirectResponse(asked.back(call.site, code=code), 303)


async def explain_agents(call: Call) -> Response:
    """Say what an agent is."""
    t = page_texts.of(call.request)
    return await account_pages.page(
        call,
        "message.html",
        heading=t("consent.what-is"),
        explained=t("consent.is"),
        back="",
    )


class _Refused(Exception):
    """The request is not valid: the browser is redirected to the program with the error."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


_CARRIED = (
    "response_type",
    "client_id",
    "redirect_uri",
    "code_challenge",
    "code_challenge_method",
    "state",
    "scope",
    "resource",
)


def _carried(call: Call) -> dict[str, str]:
    params = call.request.params
    return {name: params[name] for name in _CARRIED if name in params}


async def _asked(call: Call) -> AuthorizationRequest:
    """Raises BadRequest if it is not safe to lead back, else `_Refused`."""
    params = call.request.params
    client_id = params.get("client_id", "")
    client = await _find_client(call, client_id)
    if client is None:
        raise BadRequest("This program is not registered here.", problem="program-unknown")
    default = client.redirect_uris[0] if len(client.redirect_uris) == 1 else ""
    uri = params.get("redirect_uri", default)
    if not client.redirects_to(uri):
        raise BadRequest(
            "This program asked to lead you to an address that it did not register.",
            problem="program-address-wrong",
        )
    asked = AuthorizationRequest(
        client,
        uri,
        params.get("code_challenge", ""),
        params.get("state", ""),
        params.get("scope", ""),
    )
    problem = _problem(call, params, asked.challenge)
    if problem is not None and not domain.people.agents.is_loopback(uri):
        # Anybody can register an address: nothing is redirected there without the user's consent.
        raise BadRequest(f"The program asked wrongly: {problem.description}")
    if problem is not None:
        where = asked.back(call.site, error=problem.code, error_description=problem.description)
        raise _Refused(where)
    return asked


async def _find_client(call: Call, client_id: str) -> Client | None:
    """A program that registered itself, or that a document describes. The caller is logged in."""
    if not client_id.startswith("https:"):
        return await call.db.read(storage.people.agents.find_client, client_id)
    cache = call.services.caches.client_documents
    known = cache.current(client_id, call.now)
    if known is not None:
        return known
    fetched = await client_documents.fetch(call.config, call.person, client_id, call.now)
    cache.put(client_id, (fetched.client, call.now + fetched.max_age_seconds))
    return fetched.client


def _problem(call: Call, params: dict[str, str], challenge: str) -> OauthError | None:
    if params.get("response_type") != "code":
        return OauthError("unsupported_response_type", "Use response_type=code.")
    if params.get("code_challenge_method") != "S256" or not 43 <= len(challenge) <= 128:
        return OauthError("invalid_request", "PKCE with S256 is required.")
    if "resource" in params and not _is_this(call, params["resource"]):
        return OauthError("invalid_target", "The resource is not this server.")
    return None


def _is_this(call: Call, resource: str) -> bool:
    return resource.rstrip("/") in (call.site, f"{call.site}{PATH}")


# --- tokens ---


async def token(call: Call) -> tuple[int, dict[str, Any]]:
    params = call.request.params
    client_id = params.get("client_id", "")
    if "resource" in params and not _is_this(call, params["resource"]):
        raise OauthError("invalid_target", "The resource is not this server.")
    kind, address = params.get("grant_type"), call.request.client_address
    if kind == "authorization_code":
        found = await call.system_db.write(
            actions.people.agents.redeem,
            client_id,
            params.get("code", ""),
            params.get("redirect_uri"),
            params.get("code_verifier", ""),
            address,
        )
    elif kind == "refresh_token":
        refresh = params.get("refresh_token", "")
        found = await call.system_db.write(
            actions.people.agents.refresh, client_id, refresh, address
        )
    else:
        raise OauthError("unsupported_grant_type", "Use authorization_code or refresh_token.")
    if found is None:
        raise OauthError("invalid_grant", "The code or token is not valid.")
    return 200, {
        "access_token": found.access,
        "token_type": "Bearer",
        "expires_in": found.expires_in,
        "refresh_token": found.refresh,
    }


async def revoke(call: Call) -> tuple[int, dict[str, Any]]:
    """End the grant of a token (RFC 7009)."""
    params = call.request.params
    client_id, given = params.get("client_id", ""), params.get("token", "")
    address = call.request.client_address
    await call.system_db.write(actions.people.agents.revoke_token, client_id, given, address)
    return 200, {}
