"""The page for one's own second factor: set up, renew, remove. It needs no script."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from tertulia import api, domain, features
from tertulia.api.call import Call
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import PasskeyNotFound, WrongCode
from tertulia.errors.http import RateLimited
from tertulia.http.parameter_rules import parse_id
from tertulia.web import account_pages, page_texts, security_headers
from tertulia.web.account_pages import AccountPages, Endpoint


async def shown_secret(call: Call, user: User, known: str) -> dict[str, Any]:
    """The secret as the page shows it."""
    address = domain.people.second_factors.app_address(known, call.org.realm.name, user.email)
    spaced = " ".join(known[at : at + 4] for at in range(0, len(known), 4))
    picture = await api.files.pictures.process(call.person, _picture, address)
    return {"secret": known, "spaced": spaced, "picture": picture}


def _picture(text: str) -> str:
    """The QR code. The library is loaded with the first one."""
    import segno

    drawn = segno.make(text, micro=False)
    address: str = drawn.svg_data_uri(scale=4, border=3, light="white")
    return address


PATH = "/accounts/second_factor/"
FORM_ERRORS = (BadRequest, WrongCode, RateLimited)


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        route(PATH, _own(_show), None),
        route(f"{PATH}app/", _own(_show_set_up), _own(_set_up)),
        route(f"{PATH}passkey/", _own(_show_new_passkey), None),
        route(f"{PATH}passkey/remove/", None, _own(_remove_passkey)),
        account_pages.script("passkeys.js"),
        route(f"{PATH}recovery_codes/", None, _own(_renew_codes)),
        route(f"{PATH}remove/", None, _own(_remove)),
    ]


def _own(endpoint: Endpoint) -> Endpoint:
    """Route of a page that needs a login. Errors are shown on the page."""

    async def answer(call: Call) -> Response:
        if call.caller is None:
            return account_pages.redirect(f"/login/?next={PATH}")
        try:
            return await endpoint(call)
        except FORM_ERRORS as error:
            return await _show(call, error)

    return answer


async def _show(call: Call, error: ClientError | None = None, notice: str = "") -> Response:
    known = await features.second_factors.get_own(call)
    t = page_texts.of(call.request)
    if "removed" in call.request.params and not known.is_on:
        notice = t("login.second-factor-removed")
    return await account_pages.page(
        call, "second_factor.html", error=error, notice=notice, known=known, email=call.user.email
    )


async def _show_set_up(call: Call, error: ClientError | None = None) -> Response:
    given = call.request.params.get("secret", "") if error is not None else ""
    secret = given or domain.people.second_factors.new_secret()
    return await account_pages.page(
        call,
        "set_up_app.html",
        error=error,
        **await shown_secret(call, call.user, secret),
        action=f"{PATH}app/",
        asks_password=True,
        email=call.user.email,
        state="",
    )


async def _set_up(call: Call) -> Response:
    params = call.request.params
    api.audit.record_as(call, "POST /users/me/second_factor/app", call.user.id)
    secret = domain.people.second_factors.checked_secret(params.get("secret", ""))
    try:
        made = await features.second_factors.set_up_app(
            call,
            password=params.get("password", ""),
            secret=secret,
            code=params.get("code", ""),
        )
    except FORM_ERRORS as error:
        return await _show_set_up(call, error)
    if not made.recovery_codes:
        return await _show(call, notice=page_texts.of(call.request)("login.app-replaced"))
    return await _show_codes(call, made.recovery_codes)


async def _renew_codes(call: Call) -> Response:
    api.audit.record_as(call, "POST /users/me/second_factor/recovery_codes", call.user.id)
    password = call.request.params.get("password", "")
    made = await features.second_factors.renew_recovery_codes(call, password=password)
    return await _show_codes(call, made.recovery_codes)


async def _remove(call: Call) -> Response:
    api.audit.record_as(call, "DELETE /users/me/second_factor", call.user.id)
    password = call.request.params.get("password", "")
    await features.second_factors.remove(call, password=password)
    return account_pages.redirect(f"{PATH}?removed")


# --- passkeys, which need a script ---


async def _show_new_passkey(call: Call) -> Response:
    headers = security_headers.of_page(scripts=True)
    return await account_pages.page(
        call, "new_passkey.html", headers=headers, email=call.user.email
    )


async def _remove_passkey(call: Call) -> Response:
    params = call.request.params
    passkey_id = parse_id(params.get("passkey_id", ""))
    if passkey_id is None:
        raise PasskeyNotFound()
    act = f"DELETE /users/me/second_factor/passkeys/{passkey_id}"
    api.audit.record_as(call, act, call.user.id)
    await features.passkeys.remove(call, passkey_id, password=params.get("password", ""))
    return account_pages.redirect(PATH)


async def _show_codes(call: Call, codes: list[str]) -> Response:
    return await account_pages.page(call, "recovery_codes.html", codes=codes, action="", state="")
