"""Pages for forgotten passwords and for confirming a new email address."""

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.api.call import Call
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import PasswordLoginDisabled
from tertulia.errors.http import RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.http.ratelimit import address_bucket
from tertulia.web import account_pages
from tertulia.web.account_pages import AccountPages


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        route("/accounts/password/reset/", _forgotten_form, _send_link),
        route("/accounts/password/reset/{key}/", _choose, _save),
        route("/accounts/confirm_new_email/{key}", _confirm, _change_address),
    ]


# --- forgotten ---


async def _send_link(call: Call) -> Response:
    """Send the mail. Response and work are the same for known and unknown addresses."""
    if not call.config.sends_mail:
        return await _forgotten_form(call)
    email = call.request.params.get("email", "").strip()
    try:
        if not domain.people.user.looks_like_email(email):
            raise InvalidEmail()
        _check_passwords_are_used(call)
        await call.db.write(
            actions.people.password_reset.request,
            call.vault,
            email,
            address_bucket(call.request.client_address),
            call.site,
            [each.key for each in api.people.ldap_login.open_to(call)],
        )
    except (InvalidEmail, PasswordLoginDisabled, RateLimited) as error:
        return await _forgotten_form(call, error, email)
    return await account_pages.message(call, "login.link-sent", "login.link-sent-explained")


async def _forgotten_form(
    call: Call, error: ClientError | None = None, email: str = ""
) -> Response:
    sends_mail = call.config.sends_mail
    return await account_pages.page(
        call, "forgot_password.html", error=error, email=email[:300], sends_mail=sends_mail
    )


# --- a new password ---


async def _choose(call: Call, key: str) -> Response:
    user = await _owner(call, key)
    return await account_pages.page(call, "choose_password.html", email=user.email)


async def _save(call: Call, key: str) -> Response:
    user = await _owner(call, key)
    try:
        password = call.request.params.get("password", "")
        hashed = await api.people.password_hashing.chosen(
            call.person, password, [user.email, user.full_name]
        )
    except BadRequest as error:
        return await account_pages.page(call, "choose_password.html", error=error, email=user.email)
    renew_key = "renew_key" in call.request.params
    await call.db.write(
        actions.people.password_reset.set_password, call.vault, key, hashed, renew_key
    )
    cookie = api.browser_sessions.drop_cookie(call.config, call.request)
    return account_pages.redirect("/login/?password_changed", cookie)


async def _owner(call: Call, key: str) -> User:
    """The account of a link. Raises if its password is not stored here."""
    _check_passwords_are_used(call)
    user = await call.db.read(actions.people.password_reset.owner_of, call.vault, key)
    await api.people.ldap_login.check_own_password(call, user.id)
    return user


def _check_passwords_are_used(call: Call) -> None:
    if not call.org.realm.admits_passwords:
        raise PasswordLoginDisabled()


# --- a new address ---


async def _confirm(call: Call, key: str) -> Response:
    email = await call.db.read(actions.people.email_change.new_address, call.vault, key)
    return await account_pages.page(call, "confirm_address.html", email=email)


async def _change_address(call: Call, key: str) -> Response:
    await call.db.write(actions.people.email_change.confirm, call.vault, key)
    return account_pages.redirect("/login/?address_changed")
