"""Pending logins: state that is stored until the browser returns from the provider."""

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
    """Stored when the browser leaves for the provider, read once when it returns."""

    provider: str
    nonce: str
    verifier: str
    return_address: str
    target: LoginTarget = msgspec.field(name="ending")  # the stored name


async def save(call: Call, state: str, login: msgspec.Struct, user_id: int | None = None) -> str:
    """Store a login, bound to this browser. Returns the Set-Cookie value.

    `user_id` is the account, if it is known.
    """
    browser, cookie = api.browser_sessions.login_token(call)
    await call.db.write(
        actions.people.pending_logins.start,
        _state_hash(call, state, type(login)),
        _browser_hash(call, browser),
        call.vault.seal(msgspec.json.encode(login).decode()),
        user_id,
    )
    return cookie


async def load(call: Call, state: str, kind: type[T]) -> T:
    """Return a stored login and delete it. Raises LoginExpired."""
    browser = api.browser_sessions.pending_login_token(call)
    if not state or browser is None:
        raise LoginExpired()
    sealed = await call.db.write(
        actions.people.pending_logins.resume,
        _state_hash(call, state, kind),
        _browser_hash(call, browser),
    )
    return msgspec.json.decode(call.vault.unseal(sealed), type=kind)


# --- the desktop app's own window ---


def is_desktop_app(call: Call) -> bool:
    """Whether the request comes from the desktop app, where people should not type passwords."""
    return call.client == DESKTOP_APP and "desktop_flow_otp" not in call.request.params


async def send_to_browser(call: Call) -> Response:
    """A page that opens the same URL in the system's browser."""
    wanted = login_completion.requested_target(call).next
    query = urlencode({"next": wanted}) if wanted != login_completion.HOME else ""
    address = f"{call.site}{call.request.path}{'?' if query else ''}{query}"
    headers = security_headers.of_page(scripts=True)
    return await account_pages.page(call, "desktop_start.html", headers=headers, address=address)


# Class names at the time of the first stored hashes: renaming a class must not end pending logins.
_STORED_NAMES = {
    "LoginState": "Luggage",
    "PendingSecondFactor": "WaitingLogin",
    "AddressChoice": "SeveralAddresses",
}


def _state_hash(call: Call, state: str, kind: type[msgspec.Struct]) -> bytes:
    """The hash of a state. It depends on the kind of login, so a state of one kind is invalid for
    another.
    """
    name = _STORED_NAMES.get(kind.__name__, kind.__name__)
    return call.vault.fingerprint(f"login state {name} {state}")


def _browser_hash(call: Call, token: str) -> bytes:
    return call.vault.fingerprint(f"login browser {token}")
