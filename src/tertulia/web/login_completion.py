"""How a login ends: in this browser, in a mobile app that is called with an encrypted key, or in a
desktop app, into which an encrypted token is pasted."""

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
    """How a login is to end: in an app that gave a one-time password, or here, on this page."""

    mobile_otp: str = ""
    desktop_otp: str = ""
    next: str = HOME
    link: str = ""  # the key of an invitation for many that somebody has come with

    @property
    def is_in_app(self) -> bool:
        return bool(self.mobile_otp or self.desktop_otp)


def asked_for(call: Call) -> LoginTarget:
    """Raises for one-time passwords that are none."""
    params = call.request.params
    mobile, desktop = (params.get(name, "") for name in OTPS)
    domain.people.one_time_passwords.check_only_one(mobile, desktop)
    for name in OTPS:
        if name in params:
            domain.people.one_time_passwords.checked(params[name])
    return LoginTarget(mobile, desktop, wanted(call), params.get(LINK, "")[:100])


def wanted(call: Call) -> str:
    """Where somebody wanted to go, if that is a page of ours; else home."""
    address = call.request.params.get("next", "")
    return address if is_our_path(address) else HOME


def is_our_path(wanted: str) -> bool:
    """Whether an address leads nowhere but to us, however a browser may read it."""
    return (
        wanted.startswith("/")
        and not wanted.startswith(("//", "/\\"))
        and len(wanted) <= 2000
        and wanted.isprintable()
        and "\\" not in wanted
        and urlsplit(wanted).netloc == ""
    )


def form_targets(ending: LoginTarget) -> list[str]:
    """Where a form may lead that ends a login, besides our own pages."""
    return [APP_SCHEME] if ending.mobile_otp else []


async def enter(call: Call, known: Awaitable[VerifiedIdentity], ending: LoginTarget) -> Response:
    """Let somebody in whom others vouch for."""
    async with api.audit.login(call, ""):
        return await finish(call, await known, ending)


async def finish(call: Call, who: VerifiedIdentity, ending: LoginTarget) -> Response:
    if ending.mobile_otp:
        return await _call_app(call, who, ending.mobile_otp)
    if ending.desktop_otp:
        return await _show_token(call, who, ending.desktop_otp)
    return await start_session(call, who, ending.next)


async def start_session(call: Call, who: VerifiedIdentity, where: str) -> Response:
    """Somebody has shown who they are: begin a session, and lead them to where they wanted."""
    token, entrance = api.cookies.entrance(call)
    await call.db.write(actions.people.login.arrive, who, entrance)
    cookie = api.cookies.keep_cookie(call.config, call.request, token)
    return account_pages.see(where, cookie)


async def _call_app(call: Call, who: VerifiedIdentity, otp: str) -> Response:
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


async def _show_token(call: Call, who: VerifiedIdentity, otp: str) -> Response:
    """Show what is to be pasted into the desktop app."""
    from tertulia.external.sso import jwt

    token = domain.people.keys.new_key()
    await call.db.write(actions.people.pending_logins.hand_over, who, token_hash(call, token))
    pasted = domain.people.one_time_passwords.encrypted_token(otp, token, jwt.seal)
    headers = security_headers.of_page(scripts=True)
    return await account_pages.page(call, "desktop.html", headers=headers, pasted=pasted)


def token_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login token {token}")
