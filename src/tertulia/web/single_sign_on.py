"""Single sign-on: OpenID Connect and OAuth providers, an authenticating proxy, and tokens of the
desktop app.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.config.login_providers import OpenIdProvider
from tertulia.errors import BadRequest
from tertulia.errors.authentication import CrossSiteRequest, ProviderFailed
from tertulia.external.sso import claims
from tertulia.external.sso.provider_types import (
    PendingLogin,
    ProviderError,
    ProviderUnavailable,
    ProviderUser,
)
from tertulia.log import log
from tertulia.web import account_pages, login_completion, login_state, security_headers
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import NO_STORE, LoginTarget
from tertulia.web.login_state import LoginState

MAX_ERROR_LENGTH = 100
SSO = "/accounts/login/sso/"


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        *(
            route(f"/accounts/{word}/social/{backend}", _redirect_to_provider, None)
            for word in ("login", "register")
            for backend in ("{backend}", "{backend}/{idp}")
        ),
        route("/accounts/login/google/", _redirect_to_google, None),
        route("/complete/address/", None, _choose_address),
        route("/complete/{backend}/", _return_from_provider, None),
        route("/complete/oidc/{name}/", _return_to_own_path, None),
        route("/accounts/login/subdomain/{token}", _finish_with_token, None),
        route("/accounts/login/start/sso/", _start_by_header, None),
        route(SSO, _log_in_by_header, _finish_by_header),
        route("/accounts/login/jwt/", None, _log_in_by_token, from_anywhere=True),
        account_pages.script("desktop-login.js"),
    ]


# --- providers ---


async def _redirect_to_provider(call: Call, backend: str, idp: str = "") -> Response:
    """Redirect the browser to a provider, and store the login."""
    if backend in ("oidc", "saml") and not idp:
        raise BadRequest("Missing idp param")
    provider = api.people.sso_providers.find(call, f"{backend}:{idp}" if idp else backend)
    if login_state.is_desktop_app(call):
        return await login_state.send_to_browser(call)
    login = LoginState(
        provider=provider.key,
        nonce=domain.people.sessions.new_token(),
        verifier=domain.people.sessions.new_token(),
        return_address=f"{call.site}{api.people.sso_providers.return_path(call, provider)}",
        target=login_completion.requested_target(call),
    )
    state = domain.people.sessions.new_token()
    pending = _pending(login, state)
    try:
        where = await _client(provider).authorization_url(provider, pending)
    except ProviderError as trouble:
        raise _failed(provider, trouble) from trouble
    cookie = await login_state.save(call, state, login)
    return RedirectResponse(where, 302, NO_STORE | {"Set-Cookie": cookie})


async def _redirect_to_google(call: Call) -> Response:
    return await _redirect_to_provider(call, "google")


async def _return_from_provider(call: Call, backend: str) -> Response:
    """The browser returns from the provider with an authorization code: exchange it."""
    params = call.request.params
    state = params.get("state", "")
    login = await login_state.load(call, state, LoginState)
    provider = api.people.sso_providers.find(call, login.provider)
    if not login.return_address.endswith(call.request.path):
        raise _failed(provider, ProviderError("the answer arrived at another return address"))
    if "code" not in params:
        raise _failed(provider, ProviderError(_error_text(params)))
    if not _client(provider).is_from(provider, params.get("iss", "")):
        raise _failed(provider, ProviderError("the answer is from another provider"))
    try:
        pending = _pending(login, state)
        user: ProviderUser = await _client(provider).finish(provider, pending, params["code"])
    except ProviderError as trouble:
        raise _failed(provider, trouble) from trouble
    return await _complete(call, provider, user, login.target)


async def _return_to_own_path(call: Call, name: str) -> Response:
    return await _return_from_provider(call, "oidc")


async def _complete(
    call: Call, provider: OpenIdProvider, user: ProviderUser, target: LoginTarget
) -> Response:
    """Complete the login; if the provider confirms several addresses, ask which one to use."""
    profile = claims.from_provider(provider, user)
    choice = await call.db.read(
        actions.people.external_identities.addresses_to_choose_from, profile
    )
    if len(choice) > 1:
        return await _ask_for_address(
            call, AddressChoice(provider.key, user.subject, choice, dict(user.claims), target)
        )
    profile = replace(profile, emails=choice)
    known = api.people.sso_providers.authenticate(call, profile, target.link)
    return await login_completion.complete_sso(call, known, target)


# --- one of several addresses ---


class AddressChoice(msgspec.Struct, frozen=True):
    """A login with several confirmed addresses, stored until the person chooses one."""

    provider: str
    subject: str
    emails: tuple[str, ...]
    claims: dict[str, Any]
    target: LoginTarget = msgspec.field(name="ending")  # the stored name


async def _ask_for_address(call: Call, choice: AddressChoice) -> Response:
    state = domain.people.sessions.new_token()
    cookie = await login_state.save(call, state, choice)
    policy = security_headers.of_page(form_targets=login_completion.form_targets(choice.target))
    headers = {**policy, "Set-Cookie": cookie}
    return await account_pages.page(
        call, "choose_address.html", headers=headers, state=state, emails=choice.emails
    )


async def _choose_address(call: Call) -> Response:
    params = call.request.params
    choice = await login_state.load(call, params.get("state", ""), AddressChoice)
    provider = api.people.sso_providers.find(call, choice.provider)
    if params.get("email") not in choice.emails:
        raise ProviderFailed()
    user = ProviderUser(choice.subject, (params["email"],), choice.claims)
    return await _complete(call, provider, user, choice.target)


def _pending(login: LoginState, state: str) -> PendingLogin:
    return PendingLogin(state, login.nonce, login.verifier, login.return_address)


def _client(provider: OpenIdProvider) -> Any:
    """The client of this provider."""
    from tertulia.external.sso import github, openid

    return github if provider.preset == "github" else openid


def _error_text(params: Mapping[str, str]) -> str:
    """The provider's error in place of a code (RFC 6749, 4.1.2.1)."""
    error = "".join(filter(str.isprintable, params.get("error", "")))[:MAX_ERROR_LENGTH]
    return f"it sends no code, error {error}" if error else "it sends no code"


def _failed(provider: OpenIdProvider, trouble: ProviderError) -> ProviderFailed:
    if isinstance(trouble, ProviderUnavailable):
        log.warning(
            "sso.provider_unavailable",
            provider=provider.key,
            status=trouble.status,
            reason=str(trouble),
        )
    else:
        log.warning("sso.answer_rejected", provider=provider.key, reason=str(trouble))
    return ProviderFailed()


# --- authenticating proxy and tokens ---


async def _start_by_header(call: Call) -> Response:
    """Redirect to the path that the proxy must protect."""
    query = urlencode(call.request.params)
    return account_pages.redirect(f"{SSO}?{query}" if query else SSO)


async def _log_in_by_header(call: Call) -> Response:
    """Log in by the proxy's header.

    The proxy authenticates every link that the browser follows, and any link can name the mobile
    app. So the app gets a key only after the person has agreed on a page of ours.
    """
    target = login_completion.requested_target(call)
    if not target.mobile_otp:
        return await _finish_by_header(call)
    profile = api.people.sso_providers.named_by_header(call)
    headers = security_headers.of_page(form_targets=login_completion.form_targets(target))
    return await account_pages.page(
        call, "mobile_login.html", headers=headers, email=profile.emails[0], target=target
    )


async def _finish_by_header(call: Call) -> Response:
    target = login_completion.requested_target(call)
    return await login_completion.complete_sso(
        call, api.people.sso_providers.by_header(call, target.link), target
    )


async def _log_in_by_token(call: Call) -> Response:
    target, token = login_completion.requested_target(call), call.request.params.get("token", "")
    known = api.people.sso_providers.by_token(call, token, target.link)
    return await login_completion.complete_sso(call, known, target)


async def _finish_with_token(call: Call, token: str) -> Response:
    """Log the desktop app in with the pasted token.

    Links on other sites are refused: they could log the browser in to another person's account.
    """
    if call.request.header("sec-fetch-site") in ("cross-site", "same-site"):
        raise CrossSiteRequest()
    return await login_completion.complete_sso(call, _redeemed(call, token), LoginTarget())


async def _redeemed(call: Call, token: str) -> VerifiedIdentity:
    redeem, address = actions.people.pending_logins.redeem_token, call.request.client_address
    return await call.db.write(redeem, login_completion.token_hash(call, token), address)
