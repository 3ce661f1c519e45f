"""The pages for joining: by an invitation, or by signing up where anybody may.

/register/                  an address is asked for, and written to
/accounts/do_confirm/{key}  the link in that mail: a name and a password, and one is in
/join/{key}/                an invitation: the same at once, if it was sent to an address or no
                            mail can prove one; else an address is asked for first
"""

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain
from tertulia.actions.messages.composing import Author
from tertulia.actions.people.arriving import EMAIL, ProvenIdentity
from tertulia.actions.people.coming_in import Newcomer
from tertulia.api.call import Call
from tertulia.domain.messages.notices import Words
from tertulia.domain.people.invitations import Invitation
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import InvitationRequired, LinkNotGood
from tertulia.errors.http import RateLimited
from tertulia.errors.people import EmailTaken, InvalidEmail
from tertulia.http.ratelimit import neighbourhood
from tertulia.web import door, logging_in, words
from tertulia.web.door import DoorPages

REFUSALS = (BadRequest, InvalidEmail, EmailTaken, InvitationRequired, RateLimited)


class JoiningPages:
    def __init__(self, entrance: DoorPages) -> None:
        self._door = entrance

    def routes(self) -> list[Route]:
        route = self._door.route
        return [
            route("/register/", _ask, _write),
            route("/accounts/home/", _ask, _write),
            route("/accounts/do_confirm/{key}", _show_confirmed, _finish),
            route("/join/{key}/", _show_invitation, _take_invitation),
        ]


# --- signing up ---


async def _ask(call: Call) -> Response:
    return await _address_form(call)


async def _write(call: Call, invitation: Invitation | None = None) -> Response:
    """Write to the address; whoever has it, the answer is the same."""
    email = call.request.params.get("email", "").strip()
    try:
        if not domain.people.user.looks_like_email(email):
            raise InvalidEmail()
        if not call.config.sends_mail:
            raise InvitationRequired(email=email)
        await call.db.write(
            actions.people.coming_in.ask,
            call.vault,
            email,
            neighbourhood(call.request.client_address),
            call.site,
            None if invitation is None else invitation.id,
        )
    except REFUSALS as error:
        return await _address_form(call, invitation, error, email)
    return await door.message(call, "link_sent", "sign_up_sent_explained")


async def _address_form(
    call: Call,
    invitation: Invitation | None = None,
    error: ClientError | None = None,
    email: str = "",
) -> Response:
    realm = call.org.realm
    is_open = call.config.sends_mail and not realm.setting("invite_required")
    return await door.page(
        call,
        "sign_up.html",
        error=error,
        email=email[:300],
        may_sign_up=(is_open or invitation is not None) and not realm.deactivated,
    )


async def _show_confirmed(call: Call, key: str) -> Response:
    email, _ = await call.db.read(actions.people.coming_in.confirmed, call.vault, key)
    return await _newcomer_form(call, email)


async def _finish(call: Call, key: str) -> Response:
    email, invitation = await call.db.read(actions.people.coming_in.confirmed, call.vault, key)
    try:
        newcomer = await _newcomer(call, email)
        user = await call.db.write(
            actions.people.coming_in.finish_sign_up,
            call.vault,
            key,
            newcomer,
            await _greeting(call, invitation),
        )
    except REFUSALS as error:
        return await _newcomer_form(call, email, error)
    return await logging_in.let_in(call, ProvenIdentity(EMAIL, user.id), "/")


# --- by an invitation ---


async def _show_invitation(call: Call, key: str) -> Response:
    invitation = await _invitation(call, key)
    if not call.org.realm.admits_passwords:
        return door.see("/login/")  # whoever vouches for them there finds the invitation
    if invitation.email is None and call.config.sends_mail:
        return await _address_form(call, invitation)
    return await _newcomer_form(call, invitation.email)


async def _take_invitation(call: Call, key: str) -> Response:
    invitation = await _invitation(call, key)
    if invitation.email is None and call.config.sends_mail:
        return await _write(call, invitation)
    email = invitation.email or call.request.params.get("email", "").strip()
    try:
        newcomer = await _newcomer(call, email)
        user = await call.db.write(
            actions.people.coming_in.accept,
            call.vault,
            key,
            email,
            newcomer,
            await _greeting(call, invitation),
        )
    except REFUSALS as error:
        return await _newcomer_form(call, invitation.email, error)
    return await logging_in.let_in(call, ProvenIdentity(EMAIL, user.id), "/")


async def _invitation(call: Call, key: str) -> Invitation:
    found = await call.db.read(actions.people.invitations.get, call.vault, key)
    if found is None or call.org.realm.deactivated:
        raise LinkNotGood()
    return found


# --- what all of them do ---


async def _newcomer_form(
    call: Call, email: str | None, error: ClientError | None = None
) -> Response:
    """Asks for a name and a password, and for the address where it is not known."""
    return await door.page(
        call,
        "newcomer.html",
        error=error,
        email=email or "",
        asks_email=email is None,
        given_email=call.request.params.get("email", "")[:300],
        full_name=call.request.params.get("full_name", "")[:200],
    )


async def _newcomer(call: Call, email: str) -> Newcomer:
    """What somebody says of themselves, checked; the hash of a password takes its time."""
    full_name = domain.people.user.checked_full_name(call.request.params.get("full_name", ""))
    if not call.org.realm.admits_passwords:
        raise BadRequest("Can't join the organization: password authentication is not enabled.")
    password = call.request.params.get("password", "")
    return Newcomer(full_name, await api.people.hashing.chosen(password, [email, full_name]))


async def _greeting(call: Call, invitation: Invitation | None) -> Words:
    """What a newcomer is welcomed with, rendered before anything is written."""
    own = "" if invitation is None else invitation.terms.welcome
    more = own or str(call.org.realm.setting("welcome_message_custom_text"))
    first = words.of(call.request)["welcome"].format(call.org.realm.name)
    text = f"{first}\n\n{more}" if more else first
    author = Author(call.db, call.org, None, call.site)
    draft = await actions.messages.composing.compose(author, text, "Internal", None)
    return Words(draft.content, draft.rendered)
