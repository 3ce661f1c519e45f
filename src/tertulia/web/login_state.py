"""Logins that are not finished here and now, and what is remembered of them until they go on."""

from typing import TypeVar
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from tertulia import actions, api
from tertulia.api.call import Call
from tertulia.errors.authentication import LoginExpired
from tertulia.web import account_pages, login_completion, security_headers
from tertulia.web.login_completion import LoginTarget

T = TypeVar("T", bound=msgspec.Struct)

DESKTOP_APP = "ZulipElectron"


class LoginState(msgspec.Struct, frozen=True):
    """What has to be known when somebody comes back from a provider."""

    provider: str
    nonce: str
    verifier: str
    return_address: str
    ending: LoginTarget


async def remember(
    call: Call, state: str, luggage: msgspec.Struct, user_id: int | None = None
) -> str:
    """Keep what will have to be known; gives the value of Set-Cookie for the browser it is of.
    `user_id` is whose login it is, where that is known."""
    browser, cookie = api.cookies.login_token(call)
    await call.db.write(
        actions.people.pending_logins.leave,
        _state_hash(call, state, type(luggage)),
        _browser_hash(call, browser),
        call.vault.seal(msgspec.json.encode(luggage).decode()),
        user_id,
    )
    return cookie


async def recall(call: Call, state: str, kind: type[T]) -> T:
    """What the login left with that comes back now, once. Raises LoginExpired."""
    browser = api.cookies.known_login_token(call)
    if not state or browser is None:
        raise LoginExpired()
    sealed = await call.db.write(
        actions.people.pending_logins.come_back,
        _state_hash(call, state, kind),
        _browser_hash(call, browser),
    )
    return msgspec.json.decode(call.vault.unseal(sealed), type=kind)


# --- the desktop app's own window ---


def is_desktop_app(call: Call) -> bool:
    """Whether it is the window of the desktop app, in which nobody should type a password."""
    return call.client == DESKTOP_APP and "desktop_flow_otp" not in call.request.params


async def send_to_browser(call: Call) -> Response:
    """A page that has the app open the same address in the system's browser."""
    wanted = login_completion.asked_for(call).next
    query = urlencode({"next": wanted}) if wanted != login_completion.HOME else ""
    address = f"{call.site}{call.request.path}{'?' if query else ''}{query}"
    headers = security_headers.of_page(scripts=True)
    return await account_pages.page(call, "desktop_start.html", headers=headers, address=address)


# What these classes were called when the hashes of logins under way were first stored.
_STORED_NAMES = {"LoginState": "Luggage", "PendingSecondFactor": "WaitingLogin"}


def _state_hash(call: Call, state: str, kind: type[msgspec.Struct]) -> bytes:
    """One that was made for one thing is good for no other."""
    name = _STORED_NAMES.get(kind.__name__, kind.__name__)
    return call.vault.fingerprint(f"login state {name} {state}")


def _browser_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login browser {token}")
