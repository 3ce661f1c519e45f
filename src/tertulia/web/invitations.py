"""The pages for joining: by an invitation, or by signing up where anybody may.

/register/                  an address is asked for, and written to
/accounts/do_confirm/{key}  the link in that mail: a name and a password, and one is in
/join/{key}/                an invitation: the same at once, if it was sent to an address or no
                            mail can prove one; else an address is asked for first
"""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.actions.people.login import EMAIL, VerifiedIdentity
from tertulia.actions.people.signup import Newcomer
from tertulia.api.call import Call
from tertulia.domain.messages.welcome_message import WelcomeMessage
from tertulia.domain.people.invitations import Invitation
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import InvitationRequired, LinkNotGood
from tertulia.errors.http import RateLimited
from tertulia.errors.people import EmailTaken, InvalidEmail
from tertulia.http.ratelimit import address_bucket
from tertulia.web import account_pages, login_completion, second_factor_step, translations
from tertulia.web.account_pages import AccountPages
from tertulia.web.login_completion import LoginTarget

REFUSALS = (BadRequest, InvalidEmail, EmailTaken, InvitationRequired, RateLimited)


def routes(entrance: AccountPages) -> list[Route]:
    route = entrance.route
    return [
        route("/register/", _address_form, _write),
        route("/accounts/home/", _address_form, _write),
        route("/accounts/do_confirm/{key}", _show_confirmed, _finish),
        route("/join/{key}/", _show_invitation, _take_invitation),
    ]


# --- signing up ---


async def _write(call: Call, invitation: Invitation | None = None) -> Response:
    """Write to the address; whoever has it, the answer is the same."""
    email = call.request.params.get("email", "").strip()
    try:
        if not domain.people.user.looks_like_email(email):
            raise InvalidEmail()
        if not call.config.sends_mail:
            raise InvitationRequired(email=email)
        await call.db.write(
            actions.people.signup.ask,
            call.vault,
            email,
            address_bucket(call.request.client_address),
            call.site,
            None if invitation is None else invitation.id,
        )
    except REFUSALS as error:
        return await _address_form(call, invitation, error, email)
    return await account_pages.message(call, "link_sent", "sign_up_sent_explained")


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
        **_other_ways(call, invitation),
    )


def _is_open(call: Call) -> bool:
    """Whether anybody may sign up."""
    realm = call.org.realm
    is_closed = realm.deactivated or realm.setting("invite_required")
    return call.config.sends_mail and not is_closed


async def _show_confirmed(call: Call, key: str) -> Response:
    email, _ = await call.db.read(actions.people.signup.confirmed, call.vault, key)
    return await _newcomer_form(call, email)


async def _finish(call: Call, key: str) -> Response:
    email, invitation = await call.db.read(actions.people.signup.confirmed, call.vault, key)
    try:
        newcomer = await _newcomer(call, email)
        user = await call.db.write(
            actions.people.signup.finish_sign_up,
            call.vault,
            key,
            newcomer,
            await _reception(call, invitation),
        )
    except REFUSALS as error:
        return await _newcomer_form(call, email, error)
    return await second_factor_step.go_on(call, VerifiedIdentity(EMAIL, user.id), LoginTarget())


# --- by an invitation ---


async def _show_invitation(call: Call, key: str) -> Response:
    try:
        invitation = await _invitation(call, key)
    except LinkNotGood:
        if _is_open(call):  # no invitation is needed
            return account_pages.see("/register/")
        raise
    if not call.org.realm.admits_passwords:
        # Whoever vouches for them there finds an invitation to their address; a link goes along.
        return account_pages.see(
            f"/login/?{login_completion.LINK}={key}" if invitation.is_for_many else "/login/"
        )
    if invitation.email is None and call.config.sends_mail:
        return await _address_form(call, invitation)
    return await _newcomer_form(call, invitation.email, invitation=invitation)


async def _take_invitation(call: Call, key: str) -> Response:
    invitation = await _invitation(call, key)
    if invitation.email is None and call.config.sends_mail:
        return await _write(call, invitation)
    email = invitation.email or call.request.params.get("email", "").strip()
    try:
        newcomer = await _newcomer(call, email)
        user = await call.db.write(
            actions.people.signup.accept,
            call.vault,
            key,
            email,
            newcomer,
            await _reception(call, invitation),
        )
    except REFUSALS as error:
        return await _newcomer_form(call, invitation.email, error, invitation)
    return await second_factor_step.go_on(call, VerifiedIdentity(EMAIL, user.id), LoginTarget())


async def _invitation(call: Call, key: str) -> Invitation:
    found = await call.db.read(actions.people.invitations.get, call.vault, key)
    if found is None or call.org.realm.deactivated:
        raise LinkNotGood()
    return found


# --- what all of them do ---


async def _newcomer_form(
    call: Call,
    email: str | None,
    error: ClientError | None = None,
    invitation: Invitation | None = None,
) -> Response:
    """Asks for a name and a password, and for the address where it is not known."""
    return await account_pages.page(
        call,
        "newcomer.html",
        error=error,
        email=email or "",
        asks_email=email is None,
        given_email=call.request.params.get("email", "")[:300],
        full_name=call.request.params.get("full_name", "")[:200],
        **_other_ways(call, invitation),
    )


def _other_ways(call: Call, invitation: Invitation | None) -> dict[str, Any]:
    """Beside a password kept here: whoever has an account elsewhere can bring it along."""
    query = ""
    if invitation is not None and invitation.is_for_many:
        query = f"?{login_completion.LINK}={call.vault.unseal(invitation.sealed)}"
    return {
        "methods": api.organization.server.external_methods(call),
        "has_directory": bool(api.people.ldap_login.open_to(call)),
        "query": query,
    }


async def _newcomer(call: Call, email: str) -> Newcomer:
    """What somebody says of themselves, checked; the hash of a password takes its time."""
    full_name = domain.people.user.checked_full_name(call.request.params.get("full_name", ""))
    if not call.org.realm.admits_passwords:
        raise BadRequest("Can't join the organization: password authentication is not enabled.")
    password = call.request.params.get("password", "")
    hashed = await api.people.password_hashing.chosen(call.person, password, [email, full_name])
    return Newcomer(full_name, hashed)


async def _reception(call: Call, invitation: Invitation | None) -> WelcomeMessage:
    language = translations.language(call.request.header("accept-language"))
    return await api.people.sso_signup.reception(call, invitation, language)
