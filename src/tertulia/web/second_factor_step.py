"""The second step of a login with a password: enter a code, or set up a second factor first.

Between the steps there is no session. The finished first step is stored for this browser, and valid
for one attempt; a failed attempt stores a new one.
"""

from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.actions.people.login import MissingFactor, VerifiedIdentity
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import ClientError
from tertulia.errors.authentication import LoginExpired, WrongCode
from tertulia.errors.http import RateLimited
from tertulia.web import account_pages, login_completion, login_state, security_headers, totp_qr
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import LoginTarget

ASK, SET_UP, DONE = "/accounts/login/code/", "/accounts/login/setup/", "/accounts/login/done/"


class PendingSecondFactor(msgspec.Struct, frozen=True):
    """A login whose password was right."""

    method: str
    user_id: int
    ending: LoginTarget
    is_complete: bool = False
    asked: str = ""  # the challenge that the passkey must sign

    def who(self, call: Call) -> VerifiedIdentity:
        address = call.request.client_address
        return VerifiedIdentity(self.method, self.user_id, address, self.is_complete)


def routes(entrance: AccountPages) -> list[Route]:
    route = entrance.route
    return [
        route(ASK, _begin_again, _check, most_bytes=1 << 15),
        route(SET_UP, _begin_again, _set_up),
        route(DONE, _begin_again, _finish),
    ]


async def go_on(call: Call, who: VerifiedIdentity, ending: LoginTarget) -> Response:
    """After a right password: start the session, or ask for the second factor."""
    missing = await call.db.read(actions.people.login.missing_factor, who)
    if missing is None:
        return await login_completion.finish(call, who, ending)
    waiting = PendingSecondFactor(who.method, who.user_id, ending)
    if missing is MissingFactor.CODE:
        return await _ask(call, waiting)
    secret = domain.people.second_factors.new_secret()
    return await _show_set_up(call, waiting, secret)


async def _begin_again(call: Call) -> Response:
    """Redirect to the password form: a step cannot be opened by its address."""
    return account_pages.see("/login/")


# --- a code ---


async def _ask(
    call: Call, waiting: PendingSecondFactor, error: ClientError | None = None
) -> Response:
    asking = msgspec.structs.replace(waiting, asked=domain.people.sessions.new_token())
    passkeys = await api.people.passkeys.request(call, asking.user_id, asking.asked)
    return await _step(
        call,
        asking,
        "second_step.html",
        error=error,
        passkeys="" if passkeys is None else msgspec.json.encode(passkeys).decode(),
    )


async def _check(call: Call) -> Response:
    waiting = await _waiting(call)
    try:
        async with api.audit.login(call, _owner(call, waiting).email):
            who = await _show(call, waiting)
            return await login_completion.finish(call, who, waiting.ending)
    except (WrongCode, RateLimited) as error:
        return await _ask(call, waiting, error)


async def _show(call: Call, waiting: PendingSecondFactor) -> VerifiedIdentity:
    """Check a passkey or a code. Raises WrongCode and RateLimited."""
    params, who = call.request.params, waiting.who(call)
    if params.get("passkey"):
        return await api.people.passkeys.show(call, who, waiting.asked, params["passkey"])
    return await api.people.second_factors.show_code(call, who, params.get("code", ""))


# --- setup, if the organization requires a second factor ---


async def _show_set_up(
    call: Call, waiting: PendingSecondFactor, secret: str, error: ClientError | None = None
) -> Response:
    shown = await totp_qr.secret(call, _owner(call, waiting), secret)
    return await _step(
        call,
        waiting,
        "set_up_app.html",
        error=error,
        **shown,
        action=SET_UP,
        asks_password=False,
    )


async def _set_up(call: Call) -> Response:
    waiting = await _waiting(call)
    user, params = _owner(call, waiting), call.request.params
    secret = domain.people.second_factors.checked_secret(params.get("secret", ""))

    def set_up(tx: Tx) -> list[str]:
        if (
            actions.people.login.missing_factor(tx, waiting.who(call))
            is not MissingFactor.SETTING_UP
        ):
            raise LoginExpired()
        return actions.people.second_factors.set_up_app(
            tx, call.vault, user, secret, params.get("code", ""), call.config.sends_mail
        )

    api.audit.record_as(call, "POST /users/me/second_factor/app", user.id)
    try:
        codes = await call.db.write(set_up)
    except WrongCode as error:
        return await _show_set_up(call, waiting, secret, error)
    complete = msgspec.structs.replace(waiting, is_complete=True)
    return await _step(call, complete, "recovery_codes.html", codes=codes, action=DONE)


async def _finish(call: Call) -> Response:
    """The person has confirmed that the recovery codes are saved."""
    waiting = await _waiting(call)
    if not waiting.is_complete:
        raise LoginExpired()
    return await login_completion.finish(call, waiting.who(call), waiting.ending)


# --- shared by all ---


async def _step(call: Call, waiting: PendingSecondFactor, template: str, **values: Any) -> Response:
    state = domain.people.sessions.new_token()
    cookie = await login_state.remember(call, state, waiting, waiting.user_id)
    targets = login_completion.form_targets(waiting.ending)
    scripts = bool(values.get("passkeys"))
    policy = security_headers.of_page(scripts=scripts, form_targets=targets)
    headers = {**policy, "Set-Cookie": cookie}
    return await account_pages.page(call, template, headers=headers, state=state, **values)


async def _waiting(call: Call) -> PendingSecondFactor:
    return await login_state.recall(call, call.request.params.get("state", ""), PendingSecondFactor)


def _owner(call: Call, waiting: PendingSecondFactor) -> User:
    owner = call.org.users.get(waiting.user_id)
    if owner is None:
        raise LoginExpired()
    return owner
