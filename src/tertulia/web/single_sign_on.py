"""Logging in by way of others: to a provider's site and back, by a proxy's word, by a token.

A login ends in one of three ways: in this browser, in a mobile app that is called with an encrypted
key, or in a desktop app, into which an encrypted token is pasted.
"""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import structlog
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api, domain, links
from tertulia.actions.people.arriving import ProvenIdentity
from tertulia.api.call import Call
from tertulia.config import OpenIdProvider
from tertulia.errors.authentication import LoginExpired, ProviderFailed
from tertulia.links.answers import PendingLogin, ProviderTrouble, SiteUser
from tertulia.web import door, logging_in
from tertulia.web.door import DoorPages

log = structlog.get_logger()

NO_STORE = {"Cache-Control": "no-store"}
SSO = "/accounts/login/sso/"


class Ending(msgspec.Struct, frozen=True):
    """How a login is to end: in an app that gave a one-time password, or here, on this page."""

    mobile_otp: str = ""
    desktop_otp: str = ""
    next: str = logging_in.HOME


class Luggage(msgspec.Struct, frozen=True):
    """What has to be known when somebody comes back from a provider."""

    provider: str
    nonce: str
    verifier: str
    return_address: str
    ending: Ending


class SingleSignOn:
    def __init__(self, entrance: DoorPages) -> None:
        self._door = entrance

    def routes(self) -> list[Route]:
        route = self._door.route
        return [
            *(
                route(f"/accounts/{word}/social/{place}", _leave, None)
                for word in ("login", "register")
                for place in ("{backend}", "{backend}/{idp}")
            ),
            route("/accounts/login/google/", _leave_for_google, None),
            route("/complete/{backend}/", _come_back, None),
            route("/accounts/login/subdomain/{token}", _finish_with_token, None),
            route("/accounts/login/start/sso/", _start_by_header, None),
            route(SSO, _enter_by_header, None),
            route("/accounts/login/jwt/", None, _enter_by_token, from_anywhere=True),
        ]


# --- to a provider and back ---


async def _leave(call: Call, backend: str, idp: str = "") -> Response:
    """Send a browser to a provider, and remember what it wants."""
    provider = api.people.providers.find(call, f"{backend}:{idp}" if idp else backend)
    luggage = Luggage(
        provider=provider.key,
        nonce=domain.people.sessions.new_token(),
        verifier=domain.people.sessions.new_token(),
        return_address=f"{call.site}/complete/{backend}/",
        ending=_ending(call),
    )
    state = domain.people.sessions.new_token()
    browser, cookie = api.browsers.login_token(call)
    pending = _pending(luggage, state)
    try:
        where = await _link(provider).leave(provider, pending)
    except ProviderTrouble as trouble:
        raise _failed(provider, trouble) from trouble
    await call.db.write(
        actions.people.logins_under_way.leave,
        _state_hash(call, state),
        _browser_hash(call, browser),
        call.vault.seal(msgspec.json.encode(luggage).decode()),
    )
    return RedirectResponse(where, 302, NO_STORE | {"Set-Cookie": cookie})


async def _leave_for_google(call: Call) -> Response:
    return await _leave(call, "google")


async def _come_back(call: Call, backend: str) -> Response:
    """Somebody is back from a provider, with a code that says who they are."""
    params = call.request.params
    state, browser = params.get("state", ""), api.browsers.known_login_token(call)
    if not state or browser is None:
        raise LoginExpired()
    sealed = await call.db.write(
        actions.people.logins_under_way.come_back,
        _state_hash(call, state),
        _browser_hash(call, browser),
    )
    luggage = msgspec.json.decode(call.vault.unseal(sealed), type=Luggage)
    provider = api.people.providers.find(call, luggage.provider)
    if "code" not in params or provider.key.partition(":")[0] != backend:
        raise ProviderFailed()
    try:
        pending = _pending(luggage, state)
        user: SiteUser = await _link(provider).come_back(provider, pending, params["code"])
    except ProviderTrouble as trouble:
        raise _failed(provider, trouble) from trouble
    introduced = links.introductions.from_site(provider, user)

    async def recognize() -> ProvenIdentity:
        return await api.people.providers.recognize(call, introduced)

    return await _enter(call, recognize, luggage.ending)


def _pending(luggage: Luggage, state: str) -> PendingLogin:
    return PendingLogin(state, luggage.nonce, luggage.verifier, luggage.return_address)


def _link(provider: OpenIdProvider) -> Any:
    """What speaks to this provider; loaded with all it needs when somebody first asks for it."""
    return links.github if provider.preset == "github" else links.openid


def _failed(provider: OpenIdProvider, trouble: ProviderTrouble) -> ProviderFailed:
    log.warning("a provider is of no help", provider=provider.key, why=str(trouble))
    return ProviderFailed()


def _state_hash(call: Call, state: str) -> bytes:
    return call.vault.fingerprint(f"login state {state}")


def _browser_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login browser {token}")


# --- by others' word ---


async def _start_by_header(call: Call) -> Response:
    """Leads to the one address that a proxy has to guard."""
    query = urlencode(call.request.params)
    return door.see(f"{SSO}?{query}" if query else SSO)


async def _enter_by_header(call: Call) -> Response:
    async def recognize() -> ProvenIdentity:
        return await api.people.providers.by_header(call)

    return await _enter(call, recognize, _ending(call))


async def _enter_by_token(call: Call) -> Response:
    async def recognize() -> ProvenIdentity:
        return await api.people.providers.by_token(call, call.request.params.get("token", ""))

    return await _enter(call, recognize, _ending(call))


async def _finish_with_token(call: Call, token: str) -> Response:
    """The desktop app comes with what was pasted into it."""

    async def recognize() -> ProvenIdentity:
        return await call.db.write(
            actions.people.logins_under_way.redeem,
            _token_hash(call, token),
            call.request.client_address,
        )

    return await _enter(call, recognize, Ending())


# --- how it ends ---


def _ending(call: Call) -> Ending:
    """Raises for one-time passwords that are none."""
    params = call.request.params
    mobile, desktop = params.get("mobile_flow_otp", ""), params.get("desktop_flow_otp", "")
    domain.people.one_time_passwords.check_only_one(mobile, desktop)
    for name in ("mobile_flow_otp", "desktop_flow_otp"):
        if name in params:
            domain.people.one_time_passwords.checked(params[name])
    wanted = params.get("next", "")
    return Ending(mobile, desktop, wanted if logging_in.is_our_path(wanted) else logging_in.HOME)


async def _enter(
    call: Call, recognize: Callable[[], Awaitable[ProvenIdentity]], ending: Ending
) -> Response:
    async with api.recording.login(call, ""):
        who = await recognize()
        if ending.mobile_otp:
            return await _call_app(call, who, ending.mobile_otp)
        if ending.desktop_otp:
            return await _show_token(call, who, ending.desktop_otp)
        return await logging_in.let_in(call, who, ending.next)


async def _call_app(call: Call, who: ProvenIdentity, otp: str) -> Response:
    """Give the mobile app its key; no cookie stays behind in the browser it used."""
    found = await api.people.login.key_of(call, who)
    query = {
        "otp_encrypted_api_key": domain.people.one_time_passwords.encrypted_key(otp, found.api_key),
        "email": found.email,
        "user_id": str(found.user_id),
        "realm": call.site,
    }
    return Response(
        status_code=302, headers=NO_STORE | {"Location": f"zulip://login?{urlencode(query)}"}
    )


async def _show_token(call: Call, who: ProvenIdentity, otp: str) -> Response:
    """Show what is to be pasted into the desktop app."""
    token = domain.people.keys.new_key()
    await call.db.write(actions.people.logins_under_way.hand_over, who, _token_hash(call, token))
    pasted = domain.people.one_time_passwords.encrypted_token(otp, token, links.tokens.seal)
    return await door.page(call, "desktop.html", pasted=pasted)


def _token_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login token {token}")
