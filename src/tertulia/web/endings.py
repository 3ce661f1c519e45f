"""How a login ends: in this browser, in a mobile app that is called with an encrypted key, or in a
desktop app, into which an encrypted token is pasted."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from tertulia import actions, api, domain, links
from tertulia.actions.people.arriving import ProvenIdentity
from tertulia.api.call import Call
from tertulia.web import door, logging_in

NO_STORE = {"Cache-Control": "no-store"}


class Ending(msgspec.Struct, frozen=True):
    """How a login is to end: in an app that gave a one-time password, or here, on this page."""

    mobile_otp: str = ""
    desktop_otp: str = ""
    next: str = logging_in.HOME


def asked_for(call: Call) -> Ending:
    """Raises for one-time passwords that are none."""
    params = call.request.params
    mobile, desktop = params.get("mobile_flow_otp", ""), params.get("desktop_flow_otp", "")
    domain.people.one_time_passwords.check_only_one(mobile, desktop)
    for name in ("mobile_flow_otp", "desktop_flow_otp"):
        if name in params:
            domain.people.one_time_passwords.checked(params[name])
    wanted = params.get("next", "")
    return Ending(mobile, desktop, wanted if logging_in.is_our_path(wanted) else logging_in.HOME)


async def enter(
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
    await call.db.write(actions.people.logins_under_way.hand_over, who, token_hash(call, token))
    pasted = domain.people.one_time_passwords.encrypted_token(otp, token, links.tokens.seal)
    return await door.page(call, "desktop.html", pasted=pasted)


def token_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login token {token}")
