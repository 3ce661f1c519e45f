"""Completes a login: with a session in this browser, by opening the mobile app with an encrypted
API key, or with an encrypted token to paste into the desktop app.
"""

from collections.abc import Awaitable
from urllib.parse import urlencode, urlsplit

import msgspec
from starlette.responses import Response

from tertulia import actions, api, domain
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.web import account_pages, security_headers

NO_STORE = {"Cache-Control": "no-store"}
HOME = "/"
OTPS = ("mobile_flow_otp", "desktop_flow_otp")
LINK = "multiuse_object_key"
APP_SCHEME = "zulip:"


class LoginTarget(msgspec.Struct, frozen=True):
    """Where a login is completed: in an app that sent a one-time password, or in this browser."""

    mobile_otp: str = ""
    desktop_otp: str = ""
    next: str = HOME
    link: str = ""  # the key of a shared invitation link

    @property
    def is_in_app(self) -> bool:
        return bool(self.mobile_otp or self.desktop_otp)


def requested_target(call: Call) -> LoginTarget:
    """Read the target from the query. Raises if a one-time password is malformed."""
    params = call.request.params
    mobile, desktop = (params.get(name, "") for name in OTPS)
    domain.people.app_login_otp.check_only_one(mobile, desktop)
    for name in OTPS:
        if name in params:
            domain.people.app_login_otp.checked(params[name])
    return LoginTarget(mobile, desktop, next_path(call), params.get(LINK, "")[:100])


def next_path(call: Call) -> str:
    """The path to go to after the login, if it is one of ours; else `/`."""
    address = call.request.params.get("next", "")
    return address if is_our_path(address) else HOME


def is_our_path(path: str) -> bool:
    """Whether every browser reads an address as a path of this server."""
    return (
        path.startswith("/")
        and not path.startswith(("//", "/\\"))
        and len(path) <= 2000
        and path.isprintable()
        and "\\" not in path
        and urlsplit(path).netloc == ""
    )


def form_targets(target: LoginTarget) -> list[str]:
    """Origins, besides our own, to which a login form may redirect."""
    return [APP_SCHEME] if target.mobile_otp else []


async def complete_sso(
    call: Call, known: Awaitable[VerifiedIdentity], target: LoginTarget
) -> Response:
    """Complete a login with an external identity."""
    async with api.audit.login(call, ""):
        return await complete(call, await known, target)


async def complete(call: Call, identity: VerifiedIdentity, target: LoginTarget) -> Response:
    if target.mobile_otp:
        return await _open_app(call, identity, target.mobile_otp)
    if target.desktop_otp:
        return await _show_token(call, identity, target.desktop_otp)
    return await start_session(call, identity, target.next)


async def start_session(call: Call, identity: VerifiedIdentity, where: str) -> Response:
    """Start a session and redirect to the requested page, or to the app."""
    token, session = api.browser_sessions.new_session(call)
    await call.db.write(actions.people.login.log_in, identity, session)
    cookie = api.browser_sessions.session_cookie(call.config, call.request, token)
    return account_pages.redirect(where, cookie)


async def _open_app(call: Call, identity: VerifiedIdentity, otp: str) -> Response:
    """Open the mobile app with its API key. The browser gets no session cookie."""
    found = await api.people.login.key_of(call, identity)
    query = {
        "otp_encrypted_api_key": domain.people.app_login_otp.encrypted_key(otp, found.api_key),
        "email": found.email,
        "user_id": str(found.user_id),
        "realm": call.site,
    }
    return Response(
        status_code=302, headers=NO_STORE | {"Location": f"zulip://login?{urlencode(query)}"}
    )


async def _show_token(call: Call, identity: VerifiedIdentity, otp: str) -> Response:
    """Show the token to paste into the desktop app."""
    from tertulia.external.sso import jwt

    token = domain.people.keys.new_key()
    await call.db.write(
        actions.people.pending_logins.issue_token, identity, token_hash(call, token)
    )
    pasted = domain.people.app_login_otp.encrypted_token(otp, token, jwt.encrypt)
    headers = security_headers.of_page(scripts=True)
    return await account_pages.page(call, "desktop.html", headers=headers, pasted=pasted)


def token_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login token {token}")
