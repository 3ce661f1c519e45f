"""Login with a SAML provider.

The provider's page makes the browser post the response to us, and browsers send no cookies with a
form from another site. So the server checks the response, stores it for a moment, and redirects the
browser to another path of ours, where the cookie shows that it is the browser that started the
login.
"""

from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.config.login_providers import SamlProvider
from tertulia.domain.people.sessions import ProviderSession
from tertulia.errors.authentication import ProviderFailed
from tertulia.errors.http import NotFound
from tertulia.external.sso import claims
from tertulia.external.sso.provider_types import ProviderError, SamlPerson, SamlSession
from tertulia.log import log
from tertulia.web import account_pages, login_completion, login_state
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import NO_STORE
from tertulia.web.login_state import LoginState

P = ParamSpec("P")
T = TypeVar("T")

RETURN = "/complete/saml/"
FINISH = "/complete/saml/finish/"
METADATA = "/saml/metadata.xml"
LOGOUT = "/saml/logout/"
LOGGED_OUT = "/login/?logged_out"


class SamlResponse(msgspec.Struct, frozen=True):
    """A checked response, stored until the browser returns with its cookie."""

    provider: str
    state: str
    name_id: str
    attributes: dict[str, list[str]]
    name_format: str
    session_index: str
    session_ends_at: float | None = None


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        *(
            route(f"/accounts/{word}/social/saml/{{idp}}", _redirect_to_provider, None)
            for word in ("login", "register")
        ),
        route(RETURN, None, _receive_response, from_anywhere=True, max_bytes=1 << 18),
        route(FINISH, _finish, None),
        route(METADATA, _metadata, None),
        route(LOGOUT, _receive_logout, _receive_logout, from_anywhere=True, max_bytes=1 << 18),
    ]


async def _redirect_to_provider(call: Call, idp: str) -> Response:
    """Redirect the browser to the provider, and store the login."""
    provider = api.people.sso_providers.find_saml(call, idp)
    if login_state.is_desktop_app(call):
        return await login_state.send_to_browser(call)
    login = LoginState(
        provider.label, "", "", _return_address(call), login_completion.requested_target(call)
    )
    state = domain.people.sessions.new_token()
    cookie = await login_state.save(call, state, login)
    from tertulia.external.sso import saml

    where = saml.authn_request_url(
        provider, _entity(call), login.return_address, _request_id(call, state), state
    )
    return RedirectResponse(where, 302, NO_STORE | {"Set-Cookie": cookie})


async def _receive_response(call: Call) -> Response:
    """Check a response, and store it for the browser that started the login."""
    from tertulia.external.sso import saml

    params = call.request.params
    state, response = params.get("RelayState", ""), params.get("SAMLResponse", "")
    addresses = _entity(call), _return_address(call)
    provider, person = await _read_with_provider(
        call, saml.read_response, *addresses, _request_id(call, state), response
    )
    kept = SamlResponse(
        provider.label,
        state,
        person.name_id,
        dict(person.attributes),
        person.name_format,
        person.session_index,
        person.session_ends_at,
    )
    token = domain.people.sessions.new_token()
    await call.db.write(
        actions.people.pending_logins.start,
        _answer_hash(call, token),
        b"",
        call.vault.seal(msgspec.json.encode(kept).decode()),
    )
    return account_pages.redirect(f"{FINISH}?answer={token}")


async def _read_with_provider(
    call: Call, read: Callable[Concatenate[SamlProvider, P], T], *args: P.args, **kwargs: P.kwargs
) -> tuple[SamlProvider, T]:
    """The provider of the organization that sent the response, and its content. Raises
    ProviderFailed.
    """
    for provider in call.config.saml:
        if not provider.is_for(call.org.realm.subdomain):
            continue
        try:
            parse = partial(read, provider, *args, **kwargs)
            return provider, await api.people.crypto_queue.run(call, parse)
        except ProviderError as trouble:
            log.warning("sso.answer_rejected", provider=provider.key, reason=str(trouble))
    raise ProviderFailed()


async def _finish(call: Call) -> Response:
    """The browser returns with its cookie: complete the login."""
    token = _answer_hash(call, call.request.params.get("answer", ""))
    sealed = await call.db.write(actions.people.pending_logins.resume, token, b"")
    response = msgspec.json.decode(call.vault.unseal(sealed), type=SamlResponse)
    login = await login_state.load(call, response.state, LoginState)
    if login.provider != response.provider:
        raise ProviderFailed()
    provider = api.people.sso_providers.find_saml(call, response.provider)
    person = SamlPerson(response.name_id, response.attributes)
    profile = claims.from_saml(provider, call.org.realm.subdomain, person)

    async def recognize() -> VerifiedIdentity:
        who = await api.people.sso_providers.authenticate(call, profile, login.target.link)
        return replace(who, provider_session=_provider_session(call, response))

    return await login_completion.complete_sso(call, recognize(), login.target)


async def _metadata(call: Call) -> Response:
    if not any(each.is_for(call.org.realm.subdomain) for each in call.config.saml):
        raise NotFound()
    from tertulia.external.sso import saml

    described = saml.metadata(_entity(call), _return_address(call), _logout_address(call))
    return Response(described, headers=NO_STORE, media_type="text/xml")


# --- logging out ---


def _provider_session(call: Call, response: SamlResponse) -> ProviderSession:
    session = SamlSession(
        response.provider, response.name_id, response.name_format, response.session_index
    )
    return ProviderSession(
        _person_fingerprint(call, session.provider, session.name_id),
        _session_fingerprint(call, session.provider, session.name_id, session.index),
        call.vault.seal(msgspec.json.encode(session).decode()),
        response.session_ends_at,
    )


async def log_out_of_provider(call: Call, sealed: bytes, cookie: str) -> Response:
    """After a logout, offer to log out of the provider, if it supports that.

    It is a link and not a redirect: our content security policy lets no form lead to another site.
    """
    from tertulia.external.sso import saml_logout

    session = msgspec.json.decode(call.vault.unseal(sealed), type=SamlSession)
    found = [each for each in call.config.saml if each.label == session.provider]
    if not found or not found[0].logout_url or not found[0].is_for(call.org.realm.subdomain):
        return account_pages.redirect(LOGGED_OUT, cookie)
    request_id = f"_{domain.people.sessions.new_token()}"
    where = saml_logout.request_url(found[0], _entity(call), session, request_id, call.now)
    headers = {**NO_STORE, "Set-Cookie": cookie, "Refresh": f"0; url={where}"}
    return await account_pages.page(
        call, "logged_out.html", headers=headers, where=where, title=found[0].title
    )


async def _receive_logout(call: Call) -> Response:
    """Handle a logout response of a provider, or its logout request."""
    from tertulia.external.sso import saml_logout

    params = call.request.params
    if "SAMLRequest" not in params:
        return account_pages.redirect(LOGGED_OUT)
    signed = call.request.raw_query, dict(params), call.now
    provider, logout = await _read_with_provider(
        call, saml_logout.read, _logout_address(call), *signed
    )
    name = provider.label
    await call.db.write(
        actions.people.sessions.end_at_provider,
        _person_fingerprint(call, name, logout.name_id),
        [_session_fingerprint(call, name, logout.name_id, each) for each in logout.indexes],
    )
    if not provider.logout_url:
        return account_pages.redirect(LOGGED_OUT)
    where = saml_logout.response_url(provider, _entity(call), logout, call.now)
    return RedirectResponse(where, 303, NO_STORE)


def _person_fingerprint(call: Call, provider: str, name_id: str) -> bytes:
    return call.vault.fingerprint(f"saml person {provider} {name_id}")


def _session_fingerprint(call: Call, provider: str, name_id: str, index: str) -> bytes:
    return call.vault.fingerprint(f"saml session {provider} {index} {name_id}")


# --- metadata ---


def _entity(call: Call) -> str:
    """Our entity of the SAML metadata."""
    return f"{call.site}{METADATA}"


def _return_address(call: Call) -> str:
    return f"{call.site}{RETURN}"


def _logout_address(call: Call) -> str:
    return f"{call.site}{LOGOUT}"


def _request_id(call: Call, state: str) -> str:
    """The request's id, derived from the secret state."""
    return f"_{call.vault.signature(f'saml request {state}')}"


def _answer_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"saml answer {token}")
