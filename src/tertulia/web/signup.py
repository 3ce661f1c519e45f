"""Signup pages: with an invitation, or without one where signup is open.

/register/                  asks for an address and sends a mail to it
/accounts/do_confirm/{key}  the link in that mail: asks for a name and a password
/join/{key}/                an invitation: does the same if it was sent to an address, or if the
                            server sends no mail; else it asks for an address first
"""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain, locale
from tertulia.actions.people.login import EMAIL, VerifiedIdentity
from tertulia.actions.people.signup import NewAccount
from tertulia.api.call import Call
from tertulia.domain.messages.notices import WelcomeMessage
from tertulia.domain.people.invitations import Invitation
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import InvitationRequired, LinkInvalid
from tertulia.errors.http import RateLimited
from tertulia.errors.people import EmailTaken, InvalidEmail
from tertulia.http.ratelimit import address_bucket
from tertulia.web import account_pages, login_completion, second_factor_step
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import LoginTarget

FORM_ERRORS = (BadRequest, InvalidEmail, EmailTaken, InvitationRequired, RateLimited)


def routes(pages: AccountPages) -> list[Route]:
    route = pages.route
    return [
        route("/register/", _address_form, _send_mail),
        route("/accounts/home/", _address_form, _send_mail),
        route("/accounts/do_confirm/{key}", _show_confirmed, _finish),
        route("/join/{key}/", _show_invitation, _accept_invitation),
    ]


# --- signing up ---


async def _send_mail(call: Call, invitation: Invitation | None = None) -> Response:
    """Send the mail. The response is the same for known and unknown addresses."""
    email = call.request.params.get("email", "").strip()
    try:
        if not domain.people.user.looks_like_email(email):
            raise InvalidEmail()
        if not call.config.sends_mail:
            raise InvitationRequired(email=email)
        await call.db.write(
            actions.people.signup.request,
            call.vault,
            email,
            address_bucket(call.request.client_address),
            call.site,
            None if invitation is None else invitation.id,
        )
    except FORM_ERRORS as error:
        return await _address_form(call, invitation, error, email)
    return await account_pages.message(call, "login.link-sent", "login.sign-up-sent-explained")


async def _address_form(
    call: Call,
    invitation: Invitation | None = None,
    error: ClientError | None = None,
    email: str = "",
) -> Response:
    realm = call.org.realm
    return await account_pages.page(
        call,
        "sign_up.html",
        error=error,
        email=email[:300],
        may_sign_up=_is_open(call) or (invitation is not None and not realm.deactivated),
        **_provider_links(call, invitation),
    )


def _is_open(call: Call) -> bool:
    """Whether people may sign up without an invitation."""
    realm = call.org.realm
    is_closed = realm.deactivated or realm.setting("invite_required")
    return call.config.sends_mail and not is_closed


async def _show_confirmed(call: Call, key: str) -> Response:
    email, _ = await call.db.read(actions.people.signup.confirmed, call.vault, key)
    return await _account_form(call, email)


async def _finish(call: Call, key: str) -> Response:
    email, invitation = await call.db.read(actions.people.signup.confirmed, call.vault, key)
    try:
        account = await _new_account(call, email)
        user = await call.db.write(
            actions.people.signup.finish_sign_up,
            call.vault,
            key,
            account,
            await _welcome_message(call, invitation),
        )
    except FORM_ERRORS as error:
        return await _account_form(call, email, error)
    return await second_factor_step.complete_or_ask(
        call, VerifiedIdentity(EMAIL, user.id), LoginTarget()
    )


# --- by an invitation ---


async def _show_invitation(call: Call, key: str) -> Response:
    try:
        invitation = await _invitation(call, key)
    except LinkInvalid:
        if _is_open(call):  # open signup: no invitation needed
            return account_pages.redirect("/register/")
        raise
    if not call.org.realm.admits_passwords:
        # Single sign-on finds an invitation by its address; the key of a shared link is passed on.
        return account_pages.redirect(
            f"/login/?{login_completion.LINK}={key}" if invitation.is_for_many else "/login/"
        )
    if invitation.email is None and call.config.sends_mail:
        return await _address_form(call, invitation)
    return await _account_form(call, invitation.email, invitation=invitation)


async def _accept_invitation(call: Call, key: str) -> Response:
    invitation = await _invitation(call, key)
    if invitation.email is None and call.config.sends_mail:
        return await _send_mail(call, invitation)
    email = invitation.email or call.request.params.get("email", "").strip()
    try:
        account = await _new_account(call, email)
        user = await call.db.write(
            actions.people.signup.accept,
            call.vault,
            key,
            email,
            account,
            await _welcome_message(call, invitation),
        )
    except FORM_ERRORS as error:
        return await _account_form(call, invitation.email, error, invitation)
    return await second_factor_step.complete_or_ask(
        call, VerifiedIdentity(EMAIL, user.id), LoginTarget()
    )


async def _invitation(call: Call, key: str) -> Invitation:
    found = await call.db.read(actions.people.account_creation.find_invitation, call.vault, key)
    if found is None or call.org.realm.deactivated:
        raise LinkInvalid()
    return found


# --- shared by all ---


async def _account_form(
    call: Call,
    email: str | None,
    error: ClientError | None = None,
    invitation: Invitation | None = None,
) -> Response:
    """The form with name and password, and the address if it is not known yet."""
    return await account_pages.page(
        call,
        "new_account.html",
        error=error,
        email=email or "",
        asks_email=email is None,
        given_email=call.request.params.get("email", "")[:300],
        full_name=call.request.params.get("full_name", "")[:200],
        **_provider_links(call, invitation),
    )


def _provider_links(call: Call, invitation: Invitation | None) -> dict[str, Any]:
    """Links to single sign-on providers, in place of a password."""
    query = ""
    if invitation is not None and invitation.is_for_many:
        query = f"?{login_completion.LINK}={call.vault.unseal(invitation.sealed)}"
    return {
        "methods": api.organization.server.external_methods(call),
        "has_directory": bool(api.people.ldap_login.open_to(call)),
        "query": query,
    }


async def _new_account(call: Call, email: str) -> NewAccount:
    """Validate the form and hash the password."""
    full_name = domain.people.user.checked_full_name(call.request.params.get("full_name", ""))
    if not call.org.realm.admits_passwords:
        raise BadRequest(
            "Can't join the organization: password authentication is not enabled.",
            problem="password-login-disabled",
        )
    password = call.request.params.get("password", "")
    hashed = await api.people.password_hashing.chosen(call.person, password, [email, full_name])
    return NewAccount(full_name, hashed)


async def _welcome_message(call: Call, invitation: Invitation | None) -> WelcomeMessage:
    language = locale.accepted(call.request.header("accept-language"))
    return await api.people.sso_signup.welcome_message(call, invitation, language)
