"""Sign-up of users that a provider or directory authenticates."""

from tertulia import actions
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Call
from tertulia.domain.messages.notices import WelcomeMessage
from tertulia.domain.people.identities import ExternalProfile
from tertulia.domain.people.invitations import Invitation


async def welcome_message(
    call: Call, invitation: Invitation | None, language: str = ""
) -> WelcomeMessage:
    own = "" if invitation is None else invitation.terms.welcome
    author = Author(call.system_db, call.org, None, call.site)
    words = await actions.people.welcome_message.compose(author, own, language)
    return WelcomeMessage(words, call.site if call.config.sends_mail else "")


async def match_or_create(call: Call, profile: ExternalProfile, link: str = "") -> int:
    """The account id of an authenticated profile; a new account is created and welcomed."""
    received = None
    if await call.system_db.read(actions.people.external_identities.is_new, profile):
        invitation = await call.system_db.read(
            actions.people.external_identities.invitation, call.vault, profile, link
        )
        received = await welcome_message(call, invitation)
    return await call.system_db.write(
        actions.people.external_identities.match_or_create, call.vault, profile, link, received
    )
