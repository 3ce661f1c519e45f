"""The second step of a login with a password: enter a code, or set up a second factor first.

Between the steps there is no session. The finished first step is stored for this browser, and valid
for one attempt; a failed attempt stores a new one.
"""

from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain, features
from tertulia.actions.people.login import MissingFactor, VerifiedIdentity
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import ClientError
from tertulia.errors.authentication import LoginExpired, WrongCode
from tertulia.errors.http import RateLimited
from tertulia.web import (
    account_pages,
    login_completion,
    login_state,
    second_factor,
    security_headers,
)
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import LoginTarget

ASK, SET_UP, DONE = "/accounts/login/code/", "/accounts/login/setup/", "/accounts/login/done/"


class PendingSecondFactor(msgspec.Struct, frozen=True):
    """A login whose password was right."""

    method: str
    user_id: int
    target: LoginTarget = msgspec.field(name="ending")  # the stored name
    is_complete: bool = False
    challenge: str = msgspec.field(
        default="", name="asked"
    )  # the challenge that the passkey must sign

    def identity(self, call: Call) -> VerifiedIdentity:
        address = call.request.client_address
        return VerifiedIdentity(self.method, self.user_id, address, self.is_complete)


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        route(ASK, _restart, _check, max_bytes=1 << 15),
        route(SET_UP, _restart, _set_up),
        route(DONE, _restart, _finish),
    ]


async def complete_or_ask(call: Call, identity: VerifiedIdentity, target: LoginTarget) -> Response:
    """After a right password: start the session, or ask for the second factor."""
    missing = await call.db.read(actions.people.login.missing_factor, identity)
    if missing is None:
        return await login_completion.complete(call, identity, target)
    pending = PendingSecondFactor(identity.method, identity.user_id, target)
    if missing is MissingFactor.CODE:
        return await _show_form(call, pending)
    secret = domain.people.second_factors.new_secret()
    return await _show_set_up(call, pending, secret)


async def _restart(call: Call) -> Response:
    """Redirect to the password form: a step cannot be opened by its address."""
    return account_pages.redirect("/login/")


# --- a code ---


async def _show_form(
    call: Call, pending: PendingSecondFactor, error: ClientError | None = None
) -> Response:
    pending_passkey = msgspec.structs.replace(pending, challenge=domain.people.sessions.new_token())
    passkeys = await features.passkeys.request(
        call, pending_passkey.user_id, pending_passkey.challenge
    )
    return await _step(
        call,
        pending_passkey,
        "second_factor_step.html",
        error=error,
        passkeys="" if passkeys is None else msgspec.json.encode(passkeys).decode(),
    )


async def _check(call: Call) -> Response:
    pending = await _load_pending(call)
    try:
        async with api.audit.login(call, _owner(call, pending).email):
            identity = await _verify(call, pending)
            return await login_completion.complete(call, identity, pending.target)
    except (WrongCode, RateLimited) as error:
        return await _show_form(call, pending, error)


async def _verify(call: Call, pending: PendingSecondFactor) -> VerifiedIdentity:
    """Check a passkey or a code. Raises WrongCode and RateLimited."""
    params, identity = call.request.params, pending.identity(call)
    if params.get("passkey"):
        return await features.passkeys.show(call, identity, pending.challenge, params["passkey"])
    return await features.second_factors.show_code(call, identity, params.get("code", ""))


# --- setup, if the organization requires a second factor ---


async def _show_set_up(
    call: Call, pending: PendingSecondFactor, secret: str, error: ClientError | None = None
) -> Response:
    shown = await second_factor.shown_secret(call, _owner(call, pending), secret)
    return await _step(
        call,
        pending,
        "set_up_app.html",
        error=error,
        **shown,
        action=SET_UP,
        asks_password=False,
    )


async def _set_up(call: Call) -> Response:
    pending = await _load_pending(call)
    user, params = _owner(call, pending), call.request.params
    secret = domain.people.second_factors.checked_secret(params.get("secret", ""))

    def set_up(tx: Tx) -> list[str]:
        if (
            actions.people.login.missing_factor(tx, pending.identity(call))
            is not MissingFactor.SETTING_UP
        ):
            raise LoginExpired()
        return features.second_factors.store_app(
            tx, call.vault, user, secret, params.get("code", ""), call.config.sends_mail
        )

    api.audit.record_as(call, "POST /users/me/second_factor/app", user.id)
    try:
        codes = await call.db.write(set_up)
    except WrongCode as error:
        return await _show_set_up(call, pending, secret, error)
    complete = msgspec.structs.replace(pending, is_complete=True)
    return await _step(call, complete, "recovery_codes.html", codes=codes, action=DONE)


async def _finish(call: Call) -> Response:
    """The person has confirmed that the recovery codes are saved."""
    pending = await _load_pending(call)
    if not pending.is_complete:
        raise LoginExpired()
    return await login_completion.complete(call, pending.identity(call), pending.target)


# --- shared by all ---


async def _step(call: Call, pending: PendingSecondFactor, template: str, **values: Any) -> Response:
    state = domain.people.sessions.new_token()
    cookie = await login_state.save(call, state, pending, pending.user_id)
    targets = login_completion.form_targets(pending.target)
    scripts = bool(values.get("passkeys"))
    policy = security_headers.of_page(scripts=scripts, form_targets=targets)
    headers = {**policy, "Set-Cookie": cookie}
    return await account_pages.page(call, template, headers=headers, state=state, **values)


async def _load_pending(call: Call) -> PendingSecondFactor:
    return await login_state.load(call, call.request.params.get("state", ""), PendingSecondFactor)


def _owner(call: Call, pending: PendingSecondFactor) -> User:
    owner = call.org.users.get(pending.user_id)
    if owner is None:
        raise LoginExpired()
    return owner
